// `brood run`, the first command that most people type.
import type { Command } from "@commander-js/extra-typings";
import { vendorTypes } from "#contract/agent-type.ts";
import { env, policy, subcommand } from "./options.ts";

export function runSubcommand(program: Command): void {
	program.commandsGroup("Start here:");
	subcommand(program, "run", "give a prompt to a new agent and watch it work")
		.argument("[words...]", `the prompt; a first word like ${vendorTypes[0]} or ${vendorTypes[1]} names the agent type`)
		.option("--name <handle>", "the agent's name; default: made from the prompt")
		.option("--model <model>", "the model that it uses")
		.option("-f, --file <file>", "read the prompt from a file; - is standard input")
		.option("--no-follow", "return as soon as the agent has started")
		.addOption(env())
		.addOption(policy())
		.option("--project <slug>", "its project; default: the one of this directory")
		.addHelpText(
			"after",
			"\nExamples:\n  brood run 'fix the failing test'\n  brood run codex 'port the parser to Rust' --policy auto-edit",
		)
		.action(async (words, options) => {
			const { run } = await import("./run.ts");
			await run(words, options);
		});
}
