// Queues a prompt, and optionally waits for its turn.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Client } from "#client/client.ts";
import { fullName } from "#contract/full-name.ts";
import { messageOf } from "#contract/message-of.ts";
import { indented } from "#contract/visible.ts";
import type { Prompt, Turn } from "#contract/wire.ts";
import { act, type Options } from "./act.ts";
import { detachOnInterrupt } from "./detach.ts";
import { scopeOf } from "./directory-project.ts";
import { followTurn, startable } from "./follow-turn.ts";
import { LiveConversation } from "./live-conversation.ts";
import { printToStderr, UsageError } from "./print.ts";
import { timeOf } from "./time.ts";

interface PromptOptions extends Options {
	front?: boolean | undefined;
	wait?: boolean | undefined;
	follow?: boolean | undefined;
	now?: boolean | undefined;
	file?: string | undefined;
	priority?: number | undefined;
	notBefore?: string | undefined;
	metadata?: string | undefined;
}

/** A text from the arguments or from a file; `what` it is, for refusals. */
export async function textOf(given: string | undefined, file: string | undefined, what = "prompt"): Promise<string> {
	if ((given === undefined) === (file === undefined)) throw new UsageError(`Give either the ${what} or --file.`);
	const words = given ?? (await contentOf(file ?? "-"));
	if (words === "") throw new UsageError(`The ${what} is empty.`);
	return words;
}

async function contentOf(file: string): Promise<string> {
	try {
		return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
	} catch (error) {
		throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
	}
}

export async function prompt(reference: string, words: string | undefined, options: PromptOptions): Promise<void> {
	await act(
		options,
		async (cli): Promise<Prompt | Turn | { turn: Turn; answer: string }> => {
			const { client, key } = cli;
			const { priority, notBefore } = options;
			if (options.now === true && notBefore !== undefined)
				throw new UsageError("--now and --not-before exclude each other.");
			const body = {
				text: await textOf(words, options.file),
				front: options.front === true,
				now: options.now === true,
				...(priority !== undefined && { priority }),
				...(options.metadata !== undefined && { metadata: metadataIn(options.metadata) }),
				...(notBefore !== undefined && { notBefore: timeOf(notBefore, "later") }),
			};
			const query = await scopeOf(cli, [reference]);
			const queued = await client.call("prompt", { key, query, params: { agent: reference }, body });
			if (options.wait !== true && options.follow !== true) return queued;
			if (options.now !== true) await startable(client, queued);
			const isQuiet = options.json === true;
			const agent = await client.call("agent", { params: { agent: queued.agent } });
			const name = options.project === undefined ? reference : fullName(agent);
			detachOnInterrupt({ handle: agent.handle, name, json: isQuiet });
			const live = options.follow === true && !isQuiet ? new LiveConversation(agent.workspace?.path ?? null) : null;
			const interactive = live !== null && process.stdin.isTTY && process.stderr.isTTY;
			const turn = await followTurn(client, queued, { live, interactive, say: isQuiet ? null : printToStderr });
			// the turn is printed all the same; the exit code says that it failed
			if (turn.state !== "completed") process.exitCode = 1;
			if (isQuiet) return turn;
			return { turn, answer: live === null ? await answerOf(client, turn, reference) : "" };
		},
		(answered) => ("answer" in answered ? endOf(answered) : `prompt ${answered.id} queued`),
	);
}

/** The turn's final text; of an agent that ran a command and said nothing, such as a shell, the command's output. */
async function answerOf(client: Client, { id, agent, state, finalItem }: Turn, reference: string): Promise<string> {
	const textOfItem = async (item: number): Promise<string> =>
		(await client.call("item", { params: { item: String(item) } })).text?.trim() ?? "";
	const final = finalItem === null || state !== "completed" ? "" : await textOfItem(finalItem);
	if (final !== "") return final;
	const { items } = await client.call("turn", { params: { agent, turn: String(id) } });
	const spoken = items.findLast(({ kind }) => kind === "assistant" || kind === "tool_result");
	return spoken?.kind === "tool_result"
		? lastLines(await textOfItem(spoken.id), `brood log ${reference} --item ${spoken.id}`)
		: "";
}

const linesMax = 200;

function lastLines(output: string, rest: string): string {
	const lines = output.split("\n");
	if (lines.length <= linesMax) return output;
	const before = `[${lines.length - linesMax} lines before these: ${rest}]`;
	return [before, ...lines.slice(-linesMax)].join("\n");
}

/** The answer of a completed turn, or how the turn ended. */
function endOf({ turn: { id, state, reason, retriedAs }, answer }: { turn: Turn; answer: string }): string {
	if (state === "completed" && answer !== "") return answer;
	const output = answer === "" ? "" : `${answer}\n`;
	const why = reason === null ? "" : `: ${indented(reason, "  | ")}`;
	const again = retriedAs === null ? "" : `\nit is run again by prompt ${retriedAs}, which is queued`;
	return `${output}turn ${id} ${state}${why}${again}`;
}

function metadataIn(text: string): Record<string, string> {
	try {
		const value: unknown = JSON.parse(text);
		const given = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
		if (given?.every((entry): entry is [string, string] => typeof entry[1] === "string") === true)
			return Object.fromEntries(given);
	} catch {
		// printed below
	}
	throw new UsageError('--metadata takes a JSON object of texts, like \'{"ticket": "A-1"}\'.');
}
