// Making agents: `agent add` under agent 0, and `fork`.
import { type Command, Option } from "@commander-js/extra-typings";
import { vendorTypes } from "#contract/agent-type.ts";
import { itemNumber, json, policy, project } from "./options.ts";
import { budgetCost, budgetOf, budgetTokens } from "./usage-commands.ts";

export function addCommand(agent: Command): void {
	agent
		.command("add")
		.description("a new agent under agent 0")
		.argument("[name]", "its handle; one is made up if absent")
		.option("--type <type>", `${vendorTypes.join(", ")}, acp, llm, scripted, shell or human`)
		.option("--command <line>", "for the type acp: the program, and its arguments")
		.option("--model <model>", "the model it uses")
		.option("--prompt <text>", "its first prompt")
		.option("--subscription <name>", "whose slots it uses; without it, whichever fits its type")
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
		.action(async (name, { project: slug, json: asJson, wait, budgetTokens: tokens, budgetCost: cost, ...named }) => {
			const [{ act }, { projectHere }, { printToStderr }, { madeAgent, noted }, { chooseVendor }] = await Promise.all([
				import("./act.ts"),
				import("./here.ts"),
				import("./print.ts"),
				import("./print-agents.ts"),
				import("./vendor.ts"),
			]);
			const given = { ...said({ name, ...named }), wait, ...budgetOf({ budgetTokens: tokens, budgetCost: cost }) };
			await act(
				{ json: asJson, ...(typeof slug === "string" && { project: slug }) },
				async (cli) => {
					const { client, key, query } = cli;
					const project = slug === false ? undefined : (query.project ?? (await projectHere(cli)));
					const type = named.type ?? (await chooseVendor(cli, project, asJson === true ? () => {} : printToStderr));
					const body = { ...given, type };
					return noted(
						await (project === undefined
							? client.ask("agentAdd", { key, body })
							: client.ask("agentAddTo", { key, params: { project }, body })),
					);
				},
				madeAgent,
			);
		});
}

export function forkCommand(program: Command): void {
	program
		.command("fork")
		.description("a child with the agent's conversation")
		.argument("<agent>", "who is forked")
		.argument("[prompt]", "the child's first prompt")
		.option("--name <handle>", "the child's handle")
		.option("--at <item>", "the last item that it inherits", itemNumber)
		.option("--fresh", "without the conversation, as agents fork by default")
		.option("--inherit", "with the conversation, as people fork by default")
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
			const [{ act }, { UsageError }, { madeAgent, noted }] = await Promise.all([
				import("./act.ts"),
				import("./print.ts"),
				import("./print-agents.ts"),
			]);
			const { name, at, type, model, policy: answers, shareWorkspace, wait } = options;
			if (options.fresh === true && options.inherit === true)
				throw new UsageError("--fresh and --inherit exclude each other.");
			const fresh = options.fresh ?? (options.inherit === true ? false : undefined);
			const workspace = shareWorkspace === true ? "share" : options.workspace;
			const named = said({ prompt, name, at, type, model, policy: answers, workspace });
			const body = { ...named, ...(fresh !== undefined && { fresh }), wait, ...budgetOf(options) };
			await act(
				options,
				async ({ client, key, query }) =>
					noted(await client.ask("fork", { key, query, params: { agent: reference }, body })),
				madeAgent,
			);
		});
}

/** Without what was not given, or is empty. */
const said = (given: Readonly<Record<string, unknown>>): object =>
	Object.fromEntries(Object.entries(given).filter(([, value]) => Boolean(value)));
