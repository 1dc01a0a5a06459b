// Turns: what an agent did with its prompts.
import type { Command } from "@commander-js/extra-typings";
import { call } from "./call.ts";
import { agentSubcommand, allProjects, scopedSubcommand } from "./options.ts";

export function turnSubcommands(program: Command): void {
	const turn = program.command("turn").description("show and retry turns: what an agent did with each prompt");
	agentSubcommand(turn, "list", "list an agent's turns, oldest first").action((agent, options) =>
		call("turns", options, { params: { agent } }, async (turns) =>
			(await import("./print-thread.ts")).turnTable(turns),
		),
	);
	agentSubcommand(turn, "show", "show one turn and its items")
		.argument("[turn]", "the turn's id; default: the latest", "last")
		.action((agent, id, options) =>
			call("turn", options, { params: { agent, turn: id } }, async (found) =>
				(await import("./print-thread.ts")).turnLines(found),
			),
		);
	scopedSubcommand(turn, "retry", "run the prompt of an interrupted or failed turn again, before the queue")
		.argument("[agent]", "the agent's name or id")
		.argument("[turn]", "the turn's id; default: the latest", "last")
		.option(
			"--all",
			"every turn that the last stop or crash of the daemon interrupted, in the project of --project or of this directory, else in all",
		)
		.addOption(allProjects())
		.action(async (agent, id, options) => await (await import("./retry.ts")).retry(agent, id, options));
	agentSubcommand(turn, "finish", "end the turn of a human agent", "the agent's name or id")
		.requiredOption("-m, --message <text>", "the result")
		.option("--failed", "mark the turn as failed")
		.action((agent, { message, failed = false, ...options }) =>
			call(
				"turnFinish",
				options,
				{ params: { agent }, body: { message, failed } },
				(ended) => `turn ${ended.id} ${ended.state}`,
			),
		);
}
