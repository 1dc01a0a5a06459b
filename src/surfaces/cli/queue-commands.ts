// Prompts and turns: what waits, what runs, what ran.
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Prompt, Turn } from "#contract/wire.ts";
import { json, project, reason, whole } from "./options.ts";

const priority = (words: string): number => {
	if (Math.abs(whole(words)) > 100) throw new InvalidArgumentError("It goes from -100 to 100.");
	return whole(words);
};

const place = (words: string): number => {
	if (whole(words) < 1) throw new InvalidArgumentError("Places are counted from 1.");
	return whole(words);
};

export function queueCommands(program: Command): void {
	program.commandsGroup("Work:");
	promptCommand(program.command("prompt").description("queue a prompt"))
		.option("--wait", "answer with the turn when it is over")
		.option("--now", "one turn at once, whatever holds the agent")
		.addHelpText(
			"after",
			"\nExamples:\n  brood prompt opus-1 'fix the test' --wait\n  brood prompt opus-1 'this first' --front\n  brood prompt opus-1 --file task.md --not-before 2h",
		)
		.action(async (reference, text, options) => {
			const { prompt } = await import("./prompt.ts");
			await prompt(reference, text, options);
		});
	const queue = program.command("queue").description("prompts that wait");
	queue
		.command("list")
		.description("what waits, the next one first")
		.argument("<agent>", "whose")
		.addOption(project())
		.addOption(json())
		.action(async (reference, options) => {
			const { act } = await import("./act.ts");
			const { promptTable } = await import("./print.ts");
			await act(
				options,
				({ client, query }) => client.call("queue", { query, params: { agent: reference } }),
				promptTable,
			);
		});
	promptCommand(queue.command("add").description("queue a prompt")).action(async (reference, text, options) => {
		const { prompt } = await import("./prompt.ts");
		await prompt(reference, text, options);
	});
	changeCommands(queue);
	turnCommands(program);
}

const promptCommand = (command: Command) =>
	command
		.argument("<agent>", "for whom")
		.argument("[text]", "the prompt; or use --file")
		.option("--file <path>", "read the prompt from a file; - is standard input")
		.option("--front", "before the others; several keep their order")
		.option("--priority <number>", "higher ones first, from -100 to 100", priority)
		.option("--not-before <time>", "not before this time: an ISO time, or how long from now (90s, 1h30m, 7d)")
		.addOption(project())
		.addOption(json());

function changeCommands(queue: Command): void {
	queue
		.command("edit")
		.description("replace the words of a prompt; both texts are kept")
		.argument("<agent>", "whose")
		.argument("<prompt>", "its id")
		.argument("[text]", "the new words; or use --file")
		.option("--file <path>", "read them from a file; - is standard input")
		.addOption(reason())
		.addOption(project())
		.addOption(json())
		.action(async (reference, prompt, text, options) => {
			const [{ act }, { textOf }, { promptTable }] = await Promise.all([
				import("./act.ts"),
				import("./prompt.ts"),
				import("./print.ts"),
			]);
			await act(
				options,
				({ client, key, query }) =>
					client.call("promptEdit", {
						key,
						query,
						params: { agent: reference, prompt },
						body: { text: textOf(text, options.file), reason: options.reason },
					}),
				(changed) => promptTable([changed]),
			);
		});
	queue
		.command("move")
		.description("move a prompt to another place")
		.argument("<agent>", "whose")
		.argument("<prompt>", "its id")
		.argument("<place>", "1 is next", place)
		.addOption(project())
		.addOption(json())
		.action(async (reference, prompt, to, options) => {
			const [{ act }, { promptTable }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
			await act(
				options,
				({ client, key, query }) =>
					client.call("promptMove", { key, query, params: { agent: reference, prompt }, body: { to } }),
				(moved) => promptTable([moved]),
			);
		});
	queue
		.command("remove")
		.description("take a prompt out")
		.argument("<agent>", "whose")
		.argument("<prompt>", "its id")
		.addOption(reason())
		.addOption(project())
		.addOption(json())
		.action(async (reference, prompt, options) => {
			const { act } = await import("./act.ts");
			const ask = { params: { agent: reference, prompt } };
			await act(
				options,
				({ client, key, query }) =>
					client.call("promptRemove", { key, query: { ...query, reason: options.reason }, ...ask }),
				(removed: Prompt) => `prompt ${removed.id} removed`,
			);
		});
	queue
		.command("clear")
		.description("take all prompts out")
		.argument("<agent>", "whose")
		.addOption(reason())
		.addOption(project())
		.addOption(json())
		.action(async (reference, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key, query }) =>
					client.call("queueClear", { key, query: { ...query, reason: options.reason }, params: { agent: reference } }),
				(removed) => `${removed.length} ${removed.length === 1 ? "prompt" : "prompts"} removed`,
			);
		});
}

function turnCommands(program: Command): void {
	const turn = program.command("turn").description("what an agent did with its prompts");
	turn
		.command("list")
		.description("its turns, oldest first")
		.argument("<agent>", "whose")
		.addOption(project())
		.addOption(json())
		.action(async (reference, options) => {
			const [{ act }, { turnTable }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
			await act(
				options,
				({ client, query }) => client.call("turns", { query, params: { agent: reference } }),
				turnTable,
			);
		});
	turn
		.command("show")
		.description("one turn and its items")
		.argument("<agent>", "whose")
		.argument("[turn]", "its id; the latest if absent", "last")
		.addOption(project())
		.addOption(json())
		.action(async (reference, id, options) => {
			const [{ act }, { turnLines }] = await Promise.all([import("./act.ts"), import("./print.ts")]);
			await act(
				options,
				({ client, query }) => client.call("turn", { query, params: { agent: reference, turn: id } }),
				turnLines,
			);
		});
	turn
		.command("retry")
		.description("run the prompt of a turn again that was interrupted or failed")
		.argument("<agent>", "whose")
		.argument("[turn]", "its id; the latest if absent", "last")
		.addOption(project())
		.addOption(json())
		.action(async (reference, id, options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key, query }) =>
					client.call("turnRetry", { key, query, params: { agent: reference, turn: id }, body: {} }),
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
		.action(async (reference, options) => {
			const { act } = await import("./act.ts");
			const body = { message: options.message, failed: options.failed === true };
			await act(
				options,
				({ client, key, query }) => client.call("turnFinish", { key, query, params: { agent: reference }, body }),
				(over: Turn) => `turn ${over.id} ${over.state}`,
			);
		});
}
