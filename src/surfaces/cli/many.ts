// One verb for several agents. A failure with one does not stop the others.
import type { Agent } from "#contract/wire.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { type Scope, scopeOf } from "./here.ts";
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
	let below = 0;
	await act(
		options,
		async (cli): Promise<Agent | Agent[]> => {
			const scope = await scopeOf(cli, references);
			if (Reflect.get(body, "cascade") === true) below = await livingBelow(cli, references, scope);
			const [only, ...others] = references;
			if (only !== undefined && others.length === 0 && options.all !== true)
				return await tellOne(cli, route, { agent: only, body, scope });
			const found: Agent[] = [];
			for (const [at, reference] of (await namesOf(cli, references, options)).entries()) {
				try {
					found.push(await tellOne({ ...cli, key: `${cli.key}-${at}` }, route, { agent: reference, body, scope }));
				} catch (error) {
					process.exitCode = printError(error, options.json === true);
				}
			}
			return found;
		},
		(found) =>
			`${agentTable([found].flat())}${below === 0 ? "" : `\nwith ${below} below ${references.length === 1 ? "it" : "them"}`}`,
	);
}

/** How many living descendants a cascade ends besides the named agents. */
async function livingBelow({ client }: CliContext, references: readonly string[], query: Scope): Promise<number> {
	const agents = await client.call("agents", { query: {} });
	const named = await Promise.all(
		references.map(async (agent) => (await client.call("agent", { query, params: { agent } })).id),
	);
	const ending = new Set(named);
	for (let size = 0; size !== ending.size; ) {
		size = ending.size;
		for (const { id, supervisor, life } of agents)
			if (life !== "ended" && supervisor !== null && ending.has(supervisor)) ending.add(id);
	}
	return ending.size - new Set(named).size;
}

async function tellOne(
	{ client, key }: CliContext,
	route: ManyVerb,
	{ agent, body: { retry, ...body }, scope }: { agent: string; body: { retry?: boolean }; scope: Scope },
): Promise<Agent> {
	if (retry === true)
		await client.ask("turnRetry", { key: `${key}-retry`, query: scope, params: { agent, turn: "last" }, body: {} });
	return await client.ask(route, { key, query: scope, params: { agent }, body });
}

async function namesOf(
	{ client, query }: CliContext,
	references: readonly string[],
	{ all }: ManyOptions,
): Promise<readonly string[]> {
	if (all !== true) {
		if (references.length === 0) throw new UsageError("Name the agents, or use --all.");
		return references;
	}
	if (references.length > 0) throw new UsageError("Name agents or use --all, not both.");
	const agents = await client.call("agents", { query });
	return agents.filter(({ life, supervisor }) => life !== "ended" && supervisor !== null).map(({ id }) => id);
}
