// Prompts: what waits for an agent.

import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { counted } from "#contract/counted.ts";
import type { Prompt } from "#contract/wire.ts";
import { call } from "./call.ts";
import { agentSubcommand, reason, wholeNumber } from "./options.ts";
import { turnSubcommands } from "./turn-subcommands.ts";

const priority = (words: string): number => {
	if (Math.abs(wholeNumber(words)) > 100) throw new InvalidArgumentError("It goes from -100 to 100.");
	return wholeNumber(words);
};

const position = (words: string): number => {
	if (wholeNumber(words) < 1) throw new InvalidArgumentError("Positions are counted from 1.");
	return wholeNumber(words);
};

export function queueSubcommands(program: Command): void {
	program.commandsGroup("Work:");
	promptSubcommand(program, "prompt", "give an agent a prompt")
		.option("--wait", "wait for the turn and print the answer")
		.option("--follow", "wait for the turn and show what the agent does")
		.option("--now", "run it now, in one turn, even if the agent is held (paused, for example)")
		.addHelpText(
			"after",
			"\nExamples:\n  brood prompt opus-1 'fix the test' --wait\n  brood prompt opus-1 'this first' --front\n  brood prompt opus-1 --file task.md --not-before 2h",
		)
		.action(queuePrompt);
	const queue = program.command("queue").description("list and change an agent's queued prompts");
	agentSubcommand(queue, "list", "list queued prompts, the next one first").action((agent, options) =>
		call("queue", options, { params: { agent } }, promptTable),
	);
	promptSubcommand(queue, "add", "add a prompt to the queue").action(queuePrompt);
	changeSubcommands(queue);
	turnSubcommands(program);
}

const promptSubcommand = (parent: Command, name: string, description: string) =>
	agentSubcommand(parent, name, description, "the agent's name or id")
		.argument("[text]", "the prompt; or use --file")
		.option("-f, --file <file>", "read the prompt from a file; - is standard input")
		.option("--front", "put it in front of the queue; several keep their order")
		.option("--priority <number>", "from -100 to 100; higher runs first", priority)
		.option("--metadata <json>", "a JSON object stored with it, for your own programs")
		.option("--not-before <time>", "do not start it before this time: an ISO time, or a delay (90s, 1h30m, 7d)");

const queuePrompt = async (...given: Parameters<typeof import("./prompt.ts").prompt>): Promise<void> =>
	await (await import("./prompt.ts")).prompt(...given);

function changeSubcommands(queue: Command): void {
	const one = (name: string, description: string) =>
		agentSubcommand(queue, name, description, "the agent").argument("<prompt>", "the prompt's id");
	one("edit", "replace the text of a prompt; the journal keeps both texts")
		.argument("[text]", "the new text; or use --file")
		.option("-f, --file <file>", "read the text from a file; - is standard input")
		.addOption(reason())
		.action((agent, prompt, text, { file, reason: why, ...options }) =>
			call(
				"promptEdit",
				options,
				async () => {
					const { textOf } = await import("./prompt.ts");
					return { params: { agent, prompt }, body: { text: await textOf(text, file), reason: why } };
				},
				(changed) => promptTable([changed]),
			),
		);
	one("move", "move a prompt to another position")
		.argument("<position>", "the new position; 1 is next", position)
		.action((agent, prompt, to, options) =>
			call("promptMove", options, { params: { agent, prompt }, body: { to } }, (moved) => promptTable([moved])),
		);
	one("remove", "remove a prompt from the queue")
		.addOption(reason())
		.action((agent, prompt, { reason: why, ...options }) =>
			call(
				"promptRemove",
				options,
				{ params: { agent, prompt }, query: { reason: why } },
				({ id }) => `prompt ${id} removed`,
			),
		);
	agentSubcommand(queue, "clear", "remove all prompts from the queue", "the agent")
		.addOption(reason())
		.action((agent, { reason: why, ...options }) =>
			call(
				"queueClear",
				options,
				{ params: { agent }, query: { reason: why } },
				({ length }) => `${counted(length, "prompt")} removed`,
			),
		);
}

const promptTable = async (prompts: readonly Prompt[]): Promise<string> =>
	(await import("./print-thread.ts")).promptTable(prompts);
