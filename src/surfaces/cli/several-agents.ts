// One verb for several agents. A failure with one does not stop the others.
import { Refused } from "#client/client.ts";
import { counted } from "#contract/counted.ts";
import { fullName } from "#contract/full-name.ts";
import { refuse } from "#contract/refusal.ts";
import type { Agent } from "#contract/wire.ts";
import { act, type CliContext } from "./act.ts";
import { confirm } from "./confirm.ts";
import { type AllOptions, meansAll, type Scope, scopeOf, scopeOfAll } from "./directory-project.ts";
import { printError, UsageError } from "./print.ts";
import { agentTable } from "./print-agents.ts";

interface ManyOptions extends AllOptions {
	/** do not ask */
	yes?: boolean | undefined;
}

export type ManyAgentsRoute = "pause" | "resume" | "interrupt" | "kill" | "agentDelete";

export async function tellMany(
	route: ManyAgentsRoute,
	references: readonly string[],
	options: ManyOptions,
	body: object,
): Promise<void> {
	await act(
		options,
		async (cli): Promise<Told | Told[]> => {
			const scope = await scopeOf(cli, references);
			const [only, ...others] = references;
			if (only !== undefined && others.length === 0 && !meansAll(options))
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
			// each was refused, which is printed
			if (found.length === 0) return references.length > 0 ? "" : "no living agents";
			const below = found.reduce((sum, { endedBelow = 0 }) => sum + endedBelow, 0);
			return `${agentTable(found)}${below === 0 ? "" : `\nwith ${below} below ${found.length === 1 ? "it" : "them"}`}`;
		},
	);
}

/** A kill also says how many agents below it ended with it. */
type Told = Agent & { endedBelow?: number };

async function tellOne(
	{ client, key }: CliContext,
	route: ManyAgentsRoute,
	{ agent, body: { retry, ...body }, scope }: { agent: string; body: { retry?: boolean }; scope: Scope },
): Promise<Told> {
	if (retry === true)
		await client.call("turnRetry", { key: `${key}-retry`, query: scope, params: { agent, turn: "last" }, body: {} });
	return await client.ask(route, { key, query: scope, params: { agent }, body });
}

/** Those that the verb can be meant for: only a running turn can be interrupted. */
async function namesOf(
	cli: CliContext,
	route: ManyAgentsRoute,
	references: readonly string[],
	options: ManyOptions,
): Promise<readonly string[]> {
	if (meansAll(options) && references.length > 0) throw new UsageError("Name agents or use --all, not both.");
	if (references.length > 0) return references;
	const scope = await scopeOfAll(cli, options);
	if (!meansAll(options)) {
		const hint = scope.project === undefined ? "--all" : `--all for all agents of ${scope.project}`;
		throw new UsageError(`Name the agents, or add ${hint}.`);
	}
	const agents = await cli.client.call("agents", { query: scope });
	const isMeant = ({ life, supervisor, turn }: Agent): boolean =>
		life !== "ended" && supervisor !== null && (route !== "interrupt" || turn !== null);
	const meant = agents.filter(isMeant);
	if (options.yes !== true && meant.length > 0) await askFirst(route, meant);
	return meant.map(({ id }) => id);
}

/** Before what cannot be undone; where there is nobody to ask, the command is a script's. */
async function askFirst(route: ManyAgentsRoute, agents: readonly Agent[]): Promise<void> {
	if (route !== "kill" && route !== "agentDelete") return;
	const names = agents.slice(0, namesMax).map(fullName);
	const more = agents.length > namesMax ? ` and ${agents.length - namesMax} more` : "";
	const verb = route === "kill" ? "Kill" : "Delete";
	const said = await confirm(`${verb} ${counted(agents.length, "agent")}: ${names.join(", ")}${more}?`);
	if (said === false) throw new Refused(refuse("CONFLICT", "No agent was changed."));
}

const namesMax = 20;
