// Agents: made, looked at, signalled.

import { type Command, Option } from "@commander-js/extra-typings";
import { vendorTypes } from "#contract/agent-type.ts";
import { json, project, reason } from "./options.ts";
import { budgetCost, budgetOf, budgetTokens } from "./usage-commands.ts";
import { workspaceCommands } from "./workspace-commands.ts";

const policy = () =>
	new Option("--policy <policy>", "who answers when it asks for permission").choices([
		"ask",
		"auto-edit",
		"full",
	] as const);
const subscription = () =>
	new Option("--subscription <name>", "whose slots it uses; without it, whichever fits its type");

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
	signal(program, "kill", "kill", "end an agent");
	program
		.command("tree")
		.description("all agents as a forest")
		.addOption(new Option("--project <slug>", "only of this project"))
		.addOption(json())
		.action(async (options) => {
			const [{ act }, { tree }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
			await act(options, ({ client, query }) => client.call("agents", { query }), tree);
		});
	forkCommand(program);
	configureCommand(agent);
	workspaceCommands(program, agent);
}

function addCommand(agent: Command): void {
	agent
		.command("add")
		.description("a new agent under agent 0")
		.argument("[name]", "its handle; one is made up if absent")
		.option("--type <type>", `${vendorTypes.join(", ")}, acp, llm, scripted, shell or human`)
		.option("--command <line>", "for the type acp: the program, and its arguments")
		.option("--model <model>", "the model it uses")
		.option("--prompt <text>", "its first prompt")
		.addOption(subscription())
		.addOption(policy())
		.addOption(budgetTokens())
		.addOption(budgetCost())
		.addOption(
			new Option("--workspace <kind>", "where it works; a worktree in a project, else none").choices([
				"worktree",
				"clone",
				"main",
				"none",
			] as const),
		)
		.option("--from <branch>", "the branch that it starts from; the project's base if absent")
		.option("--no-wait", "answer before its workspace is ready")
		.addHelpText(
			"after",
			"\nExamples:\n  brood agent add\n  brood agent add opus-1 --project web --type scripted --prompt 'say hello'",
		)
		.addOption(new Option("--project <slug>", "the project it belongs to; the one of this directory if absent"))
		.option("--no-project", "it belongs to none, whatever the directory")
		.addOption(json())
		.action(
			async (
				name,
				{
					project: slug,
					type,
					model,
					command,
					prompt,
					subscription: paid,
					policy: who,
					workspace,
					from,
					json: asJson,
					wait,
					...bounds
				},
			) => {
				const [{ act }, { projectHere }, { madeAgent, noted }] = await Promise.all([
					import("./act.ts"),
					import("./here.ts"),
					import("./print.ts"),
				]);
				const body = {
					...(name && { name }),
					...(type && { type }),
					...(model && { model }),
					...(command && { command }),
					...(prompt && { prompt }),
					...(paid && { subscription: paid }),
					...(who && { policy: who }),
					...(workspace && { workspace }),
					...(from && { from }),
					wait,
					...budgetOf(bounds),
				};
				await act(
					{ json: asJson, ...(typeof slug === "string" && { project: slug }) },
					async (cli) => {
						const { client, key, query } = cli;
						const project = slug === false ? undefined : (query.project ?? (await projectHere(cli)));
						return noted(
							await (project === undefined
								? client.ask("agentAdd", { key, body })
								: client.ask("agentAddTo", { key, params: { project }, body })),
						);
					},
					madeAgent,
				);
			},
		);
}

function listCommand(agent: Command): void {
	agent
		.command("list")
		.description("all agents, oldest first")
		.option("--reaped", "also those that were hidden")
		.option("--available", "only those that are free and could start a turn now")
		.addOption(new Option("--project <slug>", "only of this project"))
		.addOption(json())
		.action(async (options) => {
			const [{ act }, { agentTable }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
			const reaped = { reaped: String(options.reaped === true) };
			await act(
				options,
				({ client, query }) =>
					options.available
						? client.call("agentsAvailable", { query })
						: client.call("agents", { query: { ...query, ...reaped } }),
				agentTable,
			);
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

function forkCommand(program: Command): void {
	program
		.command("fork")
		.description("a child with the agent's conversation")
		.argument("<agent>", "who is forked")
		.argument("[prompt]", "the child's first prompt")
		.option("--name <handle>", "the child's handle")
		.option("--at <item>", "the last item that it inherits", Number)
		.option("--fresh", "without the conversation")
		.option("--share-workspace", "in the same tree as its parent")
		.option("--no-wait", "answer before its workspace is ready")
		.addOption(
			new Option("--workspace <kind>", "a tree of its own of this kind, with the parent's files, or none").choices([
				"worktree",
				"clone",
				"none",
			] as const),
		)
		.option("--type <type>", "another agent type")
		.option("--model <model>", "another model")
		.addOption(policy())
		.addOption(budgetTokens())
		.addOption(budgetCost())
		.addHelpText(
			"after",
			"\nExamples:\n  brood fork opus-1\n  brood fork opus-1 'try it the other way' --name other-way\n  brood fork opus-1 --at 42",
		)
		.addOption(project())
		.addOption(json())
		.action(async (reference, prompt, options) => {
			const [{ act }, { madeAgent, noted }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
			const { name, at, fresh, type, model } = options;
			const body = {
				...(prompt && { prompt }),
				...(name && { name }),
				...(at && { at }),
				...(fresh && { fresh }),
				...(type && { type }),
				...(model && { model }),
				...(options.policy && { policy: options.policy }),
				...(options.workspace && { workspace: options.workspace }),
				...(options.shareWorkspace && { workspace: "share" as const }),
				wait: options.wait,
				...budgetOf(options),
			};
			await act(
				options,
				async ({ client, key, query }) =>
					noted(await client.call("fork", { key, query, params: { agent: reference }, body })),
				madeAgent,
			);
		});
}

type Verb = "agent" | "pause" | "resume" | "interrupt" | "kill" | "agentDelete" | "reap" | "recover" | "configure";

function signal(parent: Command, name: string, route: Verb, description: string): void {
	const command = parent
		.command(name)
		.description(description)
		.argument("<agent>", "its handle, id, project/handle or the beginning of its id")
		.addOption(project())
		.addOption(json());
	const resume = new Option("--resume", "go on with the queue afterwards").default(false);
	const cascade = new Option("--cascade", "with everything below it").default(false);
	if (route === "pause" || route === "resume")
		command
			.addOption(reason())
			.action((reference, { reason: why, ...options }) => tell(route, reference, options, { reason: why }));
	else if (route === "interrupt")
		command
			.addOption(reason())
			.addOption(resume)
			.action((reference, { reason: why, resume: on, ...options }) =>
				tell(route, reference, options, { reason: why, resume: on }),
			);
	else if (route === "kill")
		command
			.addOption(cascade)
			.addOption(reason())
			.action((reference, { cascade: all, reason: why, ...options }) =>
				tell(route, reference, options, { cascade: all, reason: why }),
			);
	else if (route === "agentDelete")
		command
			.alias("remove")
			.addOption(reason())
			.option("--force", "also with prompts in its queue, or work that is not merged", false)
			.option("--branch", "its branch too", false)
			.action((reference, { force, branch, reason: why, ...options }) =>
				tell(route, reference, options, { force, branch, reason: why }),
			);
	else command.action((reference, options) => tell(route, reference, options, route === "agent" ? undefined : {}));
}

async function tell(
	route: Verb,
	reference: string,
	options: { json?: true | undefined; project?: string | undefined },
	body: object | undefined,
): Promise<void> {
	const [{ act }, { agentDetails, agentTable }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
	const ask = { params: { agent: reference }, ...(body && { body }) };
	await act(
		options,
		({ client, key, query }) => client.ask(route, { key, query, ...ask }),
		(found) => (route === "agent" ? agentDetails(found) : agentTable([found])),
	);
}
