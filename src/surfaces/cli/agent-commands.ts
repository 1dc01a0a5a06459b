// Agents: list, configure, signal.
import { type Command, Option } from "@commander-js/extra-typings";
import type { Agent } from "#contract/wire.ts";
import type { Options } from "./act.ts";
import { call } from "./call.ts";
import type { ManyVerb } from "./many.ts";
import { json, onlyProject, policy, project, reason } from "./options.ts";
import { addCommand, forkCommand } from "./spawn-commands.ts";
import { budgetCost, budgetOf, budgetTokens } from "./usage-commands.ts";
import { workspaceCommands } from "./workspace-commands.ts";

export function agentCommands(program: Command): void {
	program.commandsGroup("Agents:");
	const agent = program.command("agent").description("durable processes with a conversation");
	addCommand(agent);
	listCommand(agent);
	const verbs: [name: string, route: Verb, description: string][] = [
		["status", "agent", "everything about one agent"],
		["pause", "pause", "start no further turns"],
		["resume", "resume", "let a paused agent continue"],
		["interrupt", "interrupt", "stop the open turn"],
		["kill", "kill", "end an agent"],
		["delete", "agentDelete", "end an agent for good, if nothing waits for it"],
		["reap", "reap", "hide an ended agent"],
		["recover", "recover", "clear error holds and repair the workspace"],
	];
	for (const [name, route, description] of verbs) signal(agent, name, route, description);
	for (const [name, route, description] of verbs.filter(([each]) => short.includes(each)))
		signal(program, name, route, description);
	psCommand(program);
	program
		.command("tree")
		.description("all agents as a forest")
		.addOption(onlyProject())
		.addOption(json())
		.action((options) =>
			call("agents", options, {}, async (agents) => (await import("./print-agents.ts")).tree(agents)),
		);
	forkCommand(program);
	configureCommand(agent);
	workspaceCommands(program, agent);
}

function psCommand(program: Command): void {
	program
		.command("ps")
		.alias("ls")
		.description("what every agent is doing")
		.option("-a, --all", "also agent 0 and those that have ended")
		.option("-w, --watch", "again every two seconds, until Ctrl+C")
		.option("--type <type>", "only of this type")
		.option("--model <model>", "only with this model")
		.addOption(new Option("--project <slug>", "only of this project"))
		.addOption(json())
		.action(async (options) => {
			const { ps } = await import("./ps.ts");
			await ps(options);
		});
}

function listCommand(agent: Command): void {
	agent
		.command("list")
		.description("all agents, oldest first")
		.option("--reaped", "also those that were hidden")
		.option("--available", "only those that are free and could start a turn now")
		.option("--type <type>", "only of this type")
		.option("--model <model>", "only with this model")
		.addOption(onlyProject())
		.addOption(json())
		.action(async ({ reaped = false, available, type, model, ...options }) => {
			const show = async (agents: Agent[]): Promise<string> => (await import("./print-agents.ts")).agentTable(agents);
			if (available === true) await call("agentsAvailable", options, { query: { type, model } }, show);
			else await call("agents", options, { query: { reaped: String(reaped), type, model } }, show);
		});
}

function configureCommand(agent: Command): void {
	agent
		.command("configure")
		.description("change its settings; what is not named stays as it is")
		.argument("<agent>", "whose")
		.option("--model <model>", "the model it uses")
		.option("--system-prompt <text>", "its system prompt")
		.option(
			"--option <name=value...>",
			"what its program is set to, such as mode=plan, instead of what it was; empty for nothing",
		)
		.option(
			"--pin <files...>",
			"files of its workspace that it sees in every turn, instead of those that it saw; empty for none",
		)
		.option("--subscription <name>", "whose slots it uses; empty for whichever fits its type")
		.addOption(policy())
		.addOption(budgetTokens())
		.addOption(budgetCost())
		.addOption(project())
		.addOption(json())
		.action(async (reference, options) => {
			const { model, systemPrompt, pin, option, subscription: paid, policy: who } = options;
			const body = {
				...(model !== undefined && { model: model || null }),
				...(systemPrompt !== undefined && { systemPrompt: systemPrompt || null }),
				...(option && { options: Object.fromEntries(option.filter((each) => each !== "").map(named)) }),
				...(pin && { pinned: pin.filter((file) => file !== "") }),
				...(paid !== undefined && { subscription: paid || null }),
				...(who && { policy: who }),
				...budgetOf(options),
			};
			await tell("configure", reference, options, body);
		});
}

/** `mode=plan`; what has no value is set to nothing. */
function named(text: string): [name: string, value: string] {
	const at = text.indexOf("=");
	return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

type Verb = "agent" | "pause" | "resume" | "interrupt" | "kill" | "agentDelete" | "reap" | "recover" | "configure";

/** Verbs that need no `agent` before them. */
const short: readonly string[] = ["pause", "resume", "interrupt", "kill"];

/** Verbs that make sense for many agents at once. */
const many: readonly ManyVerb[] = ["pause", "resume", "interrupt", "kill", "agentDelete"];
const isForMany = (route: Verb): route is ManyVerb => many.some((each) => each === route);

function signal(parent: Command, name: string, route: Verb, description: string): void {
	const command = parent.command(name).description(description).addOption(project()).addOption(json());
	for (const option of ownOptions(route)) command.addOption(option);
	if (route === "agentDelete") command.alias("remove");
	if (!isForMany(route)) {
		command
			.argument("<agent>", "its handle, id, project/handle or the beginning of its id")
			.action((reference, { json: asJson, project: slug, ...body }) =>
				tell(route, reference, { json: asJson, project: slug }, route === "agent" ? undefined : body),
			);
		return;
	}
	command
		.argument("[agents...]", "their handles, ids, project/handle or the beginnings of their ids")
		.option("--all", "every living agent, of the project if one is named")
		.action(async (references, { json: asJson, project: slug, all, ...body }) => {
			const { tellMany } = await import("./many.ts");
			await tellMany(route, references, { json: asJson, project: slug, all }, body);
		});
}

/** What a verb takes beside the agent; each is a field of the route's body. */
function ownOptions(route: Verb): Option[] {
	if (route === "pause" || route === "resume") return [reason()];
	const flag = (name: string, description: string) => new Option(name, description).default(false);
	if (route === "interrupt") return [reason(), flag("--resume", "go on with the queue afterwards")];
	if (route === "kill") return [flag("--cascade", "with everything below it"), reason()];
	if (route !== "agentDelete") return [];
	const force = flag("--force", "also with prompts in its queue, or work that is not merged");
	return [reason(), force, flag("--branch", "its branch too")];
}

async function tell(route: Verb, reference: string, options: Options, body: object | undefined): Promise<void> {
	const [{ act }, { agentDetails, agentTable }] = await Promise.all([import("./act.ts"), import("./print-agents.ts")]);
	const ask = { params: { agent: reference }, ...(body && { body }) };
	await act(
		options,
		({ client, key, query }) => client.ask(route, { key, query, ...ask }),
		(found) => (route === "agent" ? agentDetails(found) : agentTable([found])),
	);
}
