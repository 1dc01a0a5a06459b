// Keys of the shell that runs this command. Agents see none of them, until they are given to a subscription: with
// `--env`, or after a yes on the terminal. Only names are ever printed.
import type { ApiKeys } from "#contract/subscription.ts";
import type { Subscription, VendorAgent } from "#contract/wire.ts";
import type { CliContext } from "./act.ts";
import { confirm } from "./confirm.ts";
import { running } from "./connect.ts";
import { UsageError } from "./print.ts";

type Shell = Readonly<Record<string, string | undefined>>;

/** The variables that `--env` names. */
export function keysNamed(names: readonly string[], shell: Shell = process.env): ApiKeys {
	return Object.fromEntries(
		names.map((name) => {
			const value = shell[name];
			if (name.includes("=")) throw new UsageError("--env takes names: their values are read from this shell.");
			if (!value) throw new UsageError(`${name} is not set in this shell.`);
			return [name, value];
		}),
	);
}

/** The keys of this shell that a vendor's program accepts, and what belongs to them; none without a key. */
export function keysIn({ keys, alongside }: Pick<VendorAgent, "keys" | "alongside">, shell: Shell = process.env) {
	const isSet = (name: string): boolean => Boolean(shell[name]);
	return keys.some(isSet) ? [...keys, ...alongside].filter(isSet) : [];
}

/** For a subscription: the keys that `--env` names or, for a new one of this type, those of this shell after a yes. */
export async function keysFor(
	type: string | undefined,
	env: readonly string[] | undefined,
): Promise<ApiKeys | undefined> {
	if (env !== undefined) return keysNamed(env);
	const connected = type === undefined || !process.stdin.isTTY ? null : await running();
	const vendor = (await connected?.client.call("vendors"))?.find((each) => each.type === type);
	const found = vendor === undefined ? [] : keysIn(vendor);
	if (found.length === 0) return undefined;
	const answer = await confirm(
		`${listed(found)} ${found.length === 1 ? "is" : "are"} set in this shell. Use ${found.length === 1 ? "it" : "them"} for this subscription? Without, its agents use your own login.`,
	);
	return answer === true ? keysNamed(found) : undefined;
}

/** "A", "A and B", "A, B and C". */
export const listed = (names: readonly string[]): string =>
	names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** As they are typed. */
export const envOptions = (names: readonly string[]): string => names.map((name) => `--env ${name}`).join(" ");

interface KeyOptions {
	env?: readonly string[] | undefined;
	say(text: string): void;
}

/**
 * The subscription that a new agent of this type is bound to, with keys of this shell; undefined if it uses what it
 * would use anyway.
 */
export async function subscriptionWithKeys(
	{ client, home }: CliContext,
	type: string,
	{ env, say }: KeyOptions,
): Promise<string | undefined> {
	const name = `${type}-key`;
	const all = env === undefined && home === null ? [] : await client.call("subscriptions");
	const known = all.some((each) => each.name === name);
	if (env !== undefined) return await give(keysNamed(env), known);
	// BROOD_URL names the daemon: this is an agent, or another machine's shell
	if (home === null) return undefined;
	const vendor = (await client.call("vendors")).find((each) => each.type === type);
	// an agent whose adapter is missing is refused anyway
	if (vendor === undefined || vendor.installed === null || vendor.loggedIn || hasCredentials(all, type))
		return undefined;
	const found = keysIn(vendor);
	if (found.length === 0) return undefined;
	const them = found.length === 1 ? "it" : "them";
	const answer = await confirm(
		`${listed(found)} ${found.length === 1 ? "is" : "are"} set in this shell. Use ${them} for ${type} agents? Brood keeps a copy in ${home}/credentials, which only you can read.`,
	);
	if (answer === true) return await give(keysNamed(found), known);
	say(`${type} agents do not see ${listed(found)} of this shell. To use ${them}: ${envOptions(found)}`);
	return undefined;

	async function give(keys: ApiKeys, isKnown: boolean): Promise<string> {
		const given = await (isKnown
			? client.call("subscriptionConfigure", { params: { subscription: name }, body: { keys } })
			: client.call("subscriptionAdd", { body: { name, type, keys } }));
		say(`Subscription ${name} has ${listed(Object.keys(keys))} now (${given.maxConcurrent} slots).`);
		return name;
	}
}

export const hasCredentials = (all: readonly Subscription[], type: string): boolean =>
	all.some((each) => each.type === type && each.credential !== null);
