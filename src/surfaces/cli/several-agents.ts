// One verb for several agents. A failure with one does not stop the others.
import type { Agent } from "#contract/wire.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { type Scope, scopeOf } from "./directory-project.ts";
import { printError, UsageError } from "./print.ts";
import { agentTable } from "./print-agents.ts";

interface ManyOptions extends Options {
	all?: boolean | undefined;
}

export type ManyVerb = "pause" | "resume" | "interrupt" | "kill" | "agentDelete";

export async function tellMany(
	route: ManyVerb,
	references: readonly string[],
	options: ManyOptions,
	body: object,
): Promise<void> {
	await act(
		options,
		async (cli): Promise<Told | Told[]> => {
			const scope = await scopeOf(cli, references);
			const [only, ...others] = references;
			if (only !== undefined && others.length === 0 && options.all !== true)
				return await tellOne(cli, route, { agent: only, body, scope });
			const found: Told[] = [];
			for (const [at, reference] of (await namesOf(cli, route, references, options)).entries()) {
				try {
					found.push(await tellOne({ ...cli, key: `${cli.key}-${at}` }, route, { agent: reference, body, scope }));
				} catch (error) {
					process.exitCode = printError(error, options.json === true);
				}
			}
			return found;
		},
		(answered) => {
			const found = [answered].flat();
			if (found.length === 0 && route === "interrupt") return "no turn is running";
			const below = found.reduce((sum, { endedBelow = 0 }) => sum + endedBelow, 0);
			return `${agentTable(found)}${below === 0 ? "" : `\nwith ${below} below ${found.length === 1 ? "it" : "them"}`}`;
		},
	);
}

/** A kill also says how many agents below it ended with it. */
type Told = Agent & { endedBelow?: number };

async function tellOne(
	{ client, key }: CliContext,
	route: ManyVerb,
	{ agent, body: { retry, ...body }, scope }: { agent: string; body: { retry?: boolean }; scope: Scope },
): Promise<Told> {
	if (retry === true)
		await client.call("turnRetry", { key: `${key}-retry`, query: scope, params: { agent, turn: "last" }, body: {} });
	return await client.ask(route, { key, query: scope, params: { agent }, body });
}

/** Those that the verb can be meant for: only a running turn can be interrupted. */
async function namesOf(
	{ client, query }: CliContext,
	route: ManyVerb,
	references: readonly string[],
	{ all }: ManyOptions,
): Promise<readonly string[]> {
	if (all !== true) {
		if (references.length === 0) {
			const hint = query.project === undefined ? "--all" : `--all for all agents of ${query.project}`;
			throw new UsageError(`Name the agents, or add ${hint}.`);
		}
		return references;
	}
	if (references.length > 0) throw new UsageError("Name agents or use --all, not both.");
	const agents = await client.call("agents", { query });
	const isMeant = ({ life, supervisor, turn }: Agent): boolean =>
		life !== "ended" && supervisor !== null && (route !== "interrupt" || turn !== null);
	return agents.filter(isMeant).map(({ id }) => id);
}
