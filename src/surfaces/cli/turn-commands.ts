// Turns: what an agent did with its prompts.
import type { Command } from "@commander-js/extra-typings";
import { call } from "./call.ts";
import { agentCommand, json, project } from "./options.ts";

export function turnCommands(program: Command): void {
	const turn = program.command("turn").description("what an agent did with its prompts");
	agentCommand(turn, "list", "its turns, oldest first").action((agent, options) =>
		call("turns", options, { params: { agent } }, async (turns) =>
			(await import("./print-thread.ts")).turnTable(turns),
		),
	);
	agentCommand(turn, "show", "one turn and its items")
		.argument("[turn]", "its id; the latest if absent", "last")
		.action((agent, id, options) =>
			call("turn", options, { params: { agent, turn: id } }, async (found) =>
				(await import("./print-thread.ts")).turnLines(found),
			),
		);
	agentCommand(turn, "retry", "run the prompt of a turn again that was interrupted or failed")
		.argument("[turn]", "its id; the latest if absent", "last")
		.action((agent, id, options) =>
			call(
				"turnRetry",
				options,
				{ params: { agent, turn: id }, body: {} },
				(queued) => `prompt ${queued.id} runs it again`,
			),
		);
	turn
		.command("finish")
		.description("say that a person's turn is over")
		.argument("<agent>", "whose")
		.requiredOption("--message <text>", "what came of it")
		.option("--failed", "it did not work out")
		.addOption(project())
		.addOption(json())
		.action((agent, { message, failed = false, ...options }) =>
			call(
				"turnFinish",
				options,
				{ params: { agent }, body: { message, failed } },
				(ended) => `turn ${ended.id} ${ended.state}`,
			),
		);
}
