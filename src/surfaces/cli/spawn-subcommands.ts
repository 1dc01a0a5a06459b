// Making agents: `agent add` under agent 0, and `fork`.
import { type Command, Option } from "@commander-js/extra-typings";
import { vendorTypes } from "#contract/agent-type.ts";
import { withConversation, withoutConversation } from "#contract/context-words.ts";
import { agentSubcommand, env, itemNumber, policy, subcommand, withoutEmpty } from "./options.ts";
import { budgetCost, budgetOf, budgetTokens } from "./usage-subcommands.ts";

export function addSubcommand(agent: Command): void {
	subcommand(agent, "add", "add an agent, with its own worktree if this directory is a project")
		.argument("[name]", "the agent's name; default: generated")
		.option("--type <type>", `${vendorTypes.join(", ")}, acp, llm, scripted, shell or human`)
		.option("--program <line>", "for --type acp: the program and its arguments")
		.option("--model <model>", "the model that it uses")
		.option("--prompt <text>", "its first prompt")
		.option("--subscription <name>", "the subscription whose slots it uses; default: any of its type")
		.addOption(env())
		.addOption(policy())
		.addOption(budgetTokens())
		.addOption(budgetCost())
		.addOption(
			new Option("--workspace <kind>", "the kind of workspace; default: worktree in a project, else none").choices([
				"worktree",
				"clone",
				"main",
				"none",
			] as const),
		)
		.option("--from <branch>", "the branch that it starts from; default: the project's base")
		.option(
			"--node <node>",
			"the node that it lives at; default: its project's; without a project, this one, or another that has its program",
		)
		.option("--no-wait", "return before its workspace is ready")
		.addHelpText(
			"after",
			"\nExamples:\n  brood agent add\n  brood agent add opus-1 --project web --type scripted --prompt 'say hello'",
		)
		.addOption(new Option("--project <slug>", "its project; default: the one of this directory"))
		.option("--no-project", "no project, whatever the directory")
		.action(async (name, { budgetTokens: tokens, budgetCost: cost, ...options }) => {
			const { addAgent } = await import("./add-agent.ts");
			await addAgent(name, options, budgetOf({ budgetTokens: tokens, budgetCost: cost }));
		});
}

export function forkSubcommand(program: Command): void {
	agentSubcommand(
		program,
		"fork",
		"copy an agent: a child with its conversation and its uncommitted files",
		"the agent to fork; an agent says self",
	)
		.argument("[prompt]", "the child's first prompt")
		.option("--name <handle>", "the child's name")
		.option("--at <item>", "inherit the conversation only up to this item", itemNumber)
		.option("--fresh", withoutConversation)
		.option("--inherit", withConversation)
		.option("--share-workspace", "work in the parent's files instead of a copy")
		.option("--no-wait", "return before its workspace is ready")
		.addOption(
			new Option("--workspace <kind>", "the kind of its own workspace, with the parent's files; or none").choices([
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
		.action(async (reference, prompt, options) => {
			const [{ act }, { scopeOf }, { projectHere }, { UsageError }, { madeAgent, withExitCode }] = await Promise.all([
				import("./act.ts"),
				import("./directory-project.ts"),
				import("./project-here.ts"),
				import("./print.ts"),
				import("./print-agents.ts"),
			]);
			const { name, at, type, model, policy: answers, shareWorkspace, wait } = options;
			if (options.fresh === true && options.inherit === true)
				throw new UsageError("--fresh and --inherit exclude each other.");
			const fresh = options.fresh ?? (options.inherit === true ? false : undefined);
			const workspace = shareWorkspace === true ? "share" : options.workspace;
			const named = withoutEmpty({ prompt, name, at, type, model, policy: answers, workspace });
			const body = { ...named, ...(fresh !== undefined && { fresh }), wait, ...budgetOf(options) };
			await act(
				options,
				async (cli) => {
					const { client, key } = cli;
					// agent 0 has no project: its fork goes into the named one, or the directory's
					const into = options.project ?? (reference === "init" ? await projectHere(cli) : undefined);
					const request = { ...body, ...(into !== undefined && { project: into }) };
					const query = await scopeOf(cli, [reference]);
					return withExitCode(await client.call("fork", { key, query, params: { agent: reference }, body: request }));
				},
				madeAgent,
			);
		});
}
