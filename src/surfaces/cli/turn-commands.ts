// Turns: what an agent did with its prompts.
import type { Command } from "@commander-js/extra-typings";
import { json, project } from "./options.ts";

export function turnCommands(program: Command): void {
	const turn = program.command("turn").description("what an agent did with its prompts");
	turn
		.command("list")
		.description("its turns, oldest first")
		.argument("<agent>", "whose")
		.addOption(project())
		.addOption(json())
		.action(async (agent, options) => {
			const [{ act }, { turnTable }] = await Promise.all([import("./act.ts"), import("./print-thread.ts")]);
			await act(options, ({ client, query }) => client.call("turns", { query, params: { agent } }), turnTable);
		});
	turn
		.command("show")
		.description("one turn and its items")
		.argument("<agent>", "whose")
		.argument("[turn]", "its id; the latest if absent", "last")
		.addOption(project())
		.addOption(json())
		.action(async (agent, id, options) => {
			const [{ act }, { turnLines }] = await Promise.all([import("./act.ts"), import("./print-thread.ts")]);
			await act(options, ({ client, query }) => client.call("turn", { query, params: { agent, turn: id } }), turnLines);
		});
	turn
		.command("retry")
		.description("run the prompt of a turn again that was interrupted or failed")
		.argument("<agent>", "whose")
		.argument("[turn]", "its id; the latest if absent", "last")
		.addOption(project())
		.addOption(json())
		.action(async (agent, id, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key, query }) => client.call("turnRetry", { key, query, params: { agent, turn: id }, body: {} }),
				(queued) => `prompt ${queued.id} runs it again`,
			);
		});
	turn
		.command("finish")
		.description("say that a person's turn is over")
		.argument("<agent>", "whose")
		.requiredOption("--message <text>", "what came of it")
		.option("--failed", "it did not work out")
		.addOption(project())
		.addOption(json())
		.action(async (agent, options) => {
			const { act } = await import("./act.ts");
			const body = { message: options.message, failed: options.failed === true };
			await act(
				options,
				({ client, key, query }) => client.call("turnFinish", { key, query, params: { agent }, body }),
				(over) => `turn ${over.id} ${over.state}`,
			);
		});
}
