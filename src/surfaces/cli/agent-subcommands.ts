// Agents: list, configure, stop, repair.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Node } from "#contract/node-wire.ts";
import type { Agent, Availability } from "#contract/wire.ts";
import type { Options } from "./act.ts";
import { call } from "./call.ts";
import { agentSubcommand, allProjects, onlyProject, policy, reason, scopedSubcommand, subcommand } from "./options.ts";
import type { ManyAgentsRoute } from "./several-agents.ts";
import { addSubcommand, forkSubcommand } from "./spawn-subcommands.ts";
import { budgetCost, budgetOf, budgetTokens } from "./usage-subcommands.ts";
import { workspaceSubcommands } from "./workspace-subcommands.ts";

export function agentSubcommands(program: Command): void {
	program.commandsGroup("Agents:");
	const agent = program.command("agent").description("add, list, configure, stop and repair agents");
	addSubcommand(agent);
	listSubcommand(agent);
	const verbs: [name: string, route: AgentRoute, description: string][] = [
		["status", "agent", "show everything about one agent"],
		["pause", "pause", "pause an agent: no further turns start"],
		["resume", "resume", "let a paused agent continue"],
		["interrupt", "interrupt", "stop the running turn and pause the agent"],
		["kill", "kill", "end an agent; its conversation and files are kept"],
		["delete", "agentDelete", "end an agent and move its workspace to the trash, if its work is merged"],
		["reap", "reap", "hide an ended agent from lists"],
		["recover", "recover", "clear error holds and repair the workspace"],
	];
	for (const [name, route, description] of verbs) verbSubcommand(agent, name, route, description);
	for (const [name, route, description] of verbs.filter(([each]) => short.includes(each)))
		verbSubcommand(program, name, route, description);
	psSubcommand(program);
	subcommand(program, "tree", "show agents below their supervisors; reaped ones are left out")
		.addOption(onlyProject())
		.action((options) =>
			call("tree", options, {}, async ({ rows }) => (await import("./print-overviews.ts")).treeText(rows)),
		);
	subcommand(
		program,
		"inbox",
		"list what needs you: approvals, errors, turns of human agents, issues to review, usage limits, nodes that stopped answering",
	)
		.alias("attention")
		.addOption(onlyProject())
		.action((options) =>
			call("inbox", options, {}, async (inbox) => (await import("./print-overviews.ts")).inboxText(inbox)),
		);
	forkSubcommand(program);
	configureSubcommand(agent);
	workspaceSubcommands(program, agent);
}

/** A list of agents. */
const filtered = (parent: Command, name: string, description: string) =>
	subcommand(parent, name, description)
		.option("-a, --all", "include agent 0 and ended agents")
		.option("-w, --watch", "refresh every two seconds until Ctrl+C")
		.option("--type <type>", "only agents of this type")
		.option("--model <model>", "only agents with this model")
		.addOption(onlyProject());

function psSubcommand(program: Command): void {
	filtered(program, "ps", "show what every agent is doing")
		.alias("ls")
		.action(async (options) => {
			const { ps } = await import("./ps.ts");
			await ps(options);
		});
}

function listSubcommand(agent: Command): void {
	filtered(agent, "list", "show what every agent is doing, like ps; with --json, every field of each agent")
		.option("--reaped", "include reaped (hidden) agents")
		.option("--available", "only idle agents that could start a turn now; if there is none, why not")
		.action(async ({ reaped = false, available, type, model, all, watch, ...options }) => {
			const show = async (agents: Agent[]): Promise<string> => (await import("./print-agents.ts")).agentTable(agents);
			if (available === true) return await listAvailable({ type, model }, options);
			if (watch === true || (!reaped && options.json !== true))
				return await (await import("./ps.ts")).ps({ ...options, all, watch, type, model });
			await call("agents", options, { query: { reaped: String(reaped), type, model } }, show);
		});
}

/** If no agent is free, lists the busy ones and why. */
async function listAvailable(filter: { type?: string | undefined; model?: string | undefined }, options: Options) {
	const [{ act }, { agentTable, busyTable }] = await Promise.all([import("./act.ts"), import("./print-agents.ts")]);
	let others: Availability[] = [];
	await act(
		options,
		async ({ client, query }) => {
			const scope = { ...query, ...filter };
			const free = await client.call("agentsAvailable", { query: scope });
			if (free.length === 0) others = await client.call("availability", { query: scope });
			return free;
		},
		(free) => (free.length > 0 ? agentTable(free) : busyTable(others)),
	);
}

function configureSubcommand(agent: Command): void {
	agentSubcommand(
		agent,
		"configure",
		"change an agent's settings; settings you do not name stay as they are",
		"the agent's name or id",
	)
		.option("--type <type>", "the type of agent 0 (init); other agents keep theirs")
		.option("--model <model>", "the model that it uses")
		.option("--system-prompt <text>", "its system prompt")
		.option(
			"--option <name=value...>",
			"options of its program, such as mode=plan; replaces all earlier ones, empty for none",
		)
		.option(
			"--pin <files...>",
			"files of its workspace that it reads in every turn; replaces all earlier ones, empty for none",
		)
		.option("--subscription <name>", "the subscription whose slots it uses; empty for any of its type")
		.addOption(policy())
		.addOption(budgetTokens())
		.addOption(budgetCost())
		.action(async (reference, options) => {
			const { type, model, systemPrompt, pin, option, subscription: chosen, policy: who } = options;
			const body = {
				...(type !== undefined && { type }),
				...(model !== undefined && { model: model || null }),
				...(systemPrompt !== undefined && { systemPrompt: systemPrompt || null }),
				...(option && { options: Object.fromEntries(option.filter((each) => each !== "").map(named)) }),
				...(pin && { pinned: pin.filter((file) => file !== "") }),
				...(chosen !== undefined && { subscription: chosen || null }),
				...(who && { policy: who }),
				...budgetOf(options),
			};
			await tell("configure", reference, options, body);
		});
}

/** Parses `mode=plan`; an empty value clears the setting. */
function named(text: string): [name: string, value: string] {
	const at = text.indexOf("=");
	return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

type AgentRoute =
	| "agent"
	| "pause"
	| "resume"
	| "interrupt"
	| "kill"
	| "agentDelete"
	| "reap"
	| "recover"
	| "configure";

/** Verbs that also work without `agent` in front. */
const short: readonly string[] = ["pause", "resume", "interrupt", "kill", "delete"];

/** Verbs that take several agents. */
const many: readonly ManyAgentsRoute[] = ["pause", "resume", "interrupt", "kill", "agentDelete"];
const isForMany = (route: AgentRoute): route is ManyAgentsRoute => many.some((each) => each === route);

function verbSubcommand(parent: Command, name: string, route: AgentRoute, description: string): void {
	const verb = scopedSubcommand(parent, name, description);
	for (const option of ownOptions(route)) verb.addOption(option);
	if (route === "agentDelete") verb.alias("remove");
	if (!isForMany(route)) {
		verb
			.argument("<agent>", "name, project/name, id, or the first characters of the id")
			.action((reference, { json: asJson, project: slug, ...body }) =>
				tell(route, reference, { json: asJson, project: slug }, route === "agent" ? undefined : body),
			);
		return;
	}
	verb
		.argument("[agents...]", "names, project/name, ids, or the first characters of ids")
		.option("--all", "every living agent of --project or of this directory's project, else of all projects")
		.addOption(allProjects())
		.action(async (references, { json: asJson, project: slug, all, allProjects: everywhere, ...more }) => {
			const { yes, branch: deleteBranch, ...rest }: { yes?: boolean; branch?: boolean } = more;
			const body = { ...rest, ...(deleteBranch !== undefined && { deleteBranch }) };
			const { tellMany } = await import("./several-agents.ts");
			await tellMany(route, references, { json: asJson, project: slug, all, allProjects: everywhere, yes }, body);
		});
}

/**
 * Arguments of a verb besides the agent; each but `--yes` and `--retry` is a field of the route's body (`--branch` is
 * `deleteBranch`).
 */
function ownOptions(route: AgentRoute): Option[] {
	if (route === "pause") return [reason()];
	const flag = (name: string, description: string) => new Option(name, description).default(false);
	if (route === "resume")
		return [reason(), flag("--retry", "first retry its last turn, if that was interrupted or failed")];
	if (route === "interrupt")
		return [
			reason(),
			flag("--resume", "do not pause it: continue with its queue"),
			flag("--force", "end its processes at once, without the time to stop by themselves"),
		];
	const yes = new Option("--yes", "with --all: do not ask");
	if (route === "kill") return [flag("--cascade", "also end all agents below it"), reason(), yes];
	if (route !== "agentDelete") return [];
	const force = flag("--force", "even with queued prompts or unmerged work; a snapshot is taken first");
	return [reason(), force, flag("--branch", "also delete its branch"), yes];
}

async function tell(route: AgentRoute, reference: string, options: Options, body: object | undefined): Promise<void> {
	const [{ act }, { scopeOf }, { agentDetails, agentTable, repairedAgent, withExitCode }] = await Promise.all([
		import("./act.ts"),
		import("./directory-project.ts"),
		import("./print-agents.ts"),
	]);
	const ask = { params: { agent: reference }, ...(body && { body }) };
	let nodes: readonly Node[] = [];
	let agents: readonly Agent[] = [];
	await act(
		options,
		async (cli) => {
			const found = await cli.client.ask(route, { key: cli.key, query: await scopeOf(cli, [reference]), ...ask });
			if (route === "agent" && options.json !== true)
				[nodes, agents] = await Promise.all([
					cli.client.call("nodes"),
					cli.client.call("agents", { query: { reaped: "true" } }),
				]);
			return route === "recover" ? withExitCode(found) : found;
		},
		(found) => {
			if (route === "agent") return agentDetails(found, nodes, agents);
			return route === "recover" ? repairedAgent(found) : agentTable([found]);
		},
	);
}
