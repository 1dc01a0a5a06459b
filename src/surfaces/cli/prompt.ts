// Queueing a prompt, and staying until its turn is over.
import { readFileSync } from "node:fs";
import { type Client, Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import { indented } from "#contract/visible.ts";
import type { Item, Prompt, Turn } from "#contract/wire.ts";
import { act, type Options } from "./act.ts";
import { reconnect } from "./connect.ts";
import { printToStderr, UsageError } from "./print.ts";
import { timeOf } from "./time.ts";

interface PromptOptions extends Options {
	front?: boolean | undefined;
	wait?: boolean | undefined;
	now?: boolean | undefined;
	file?: string | undefined;
	priority?: number | undefined;
	notBefore?: string | undefined;
}

/** The words of a prompt, from the line or from a file. */
export function textOf(text: string | undefined, file: string | undefined): string {
	if ((text === undefined) === (file === undefined))
		throw new UsageError("Give either the words of the prompt or --file.");
	const words = text ?? contentOf(file ?? "-");
	if (words === "") throw new UsageError("A prompt without words: there is nothing to do.");
	return words;
}

function contentOf(file: string): string {
	try {
		return readFileSync(file === "-" ? 0 : file, "utf8");
	} catch (error) {
		throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
	}
}

export async function prompt(reference: string, text: string | undefined, options: PromptOptions): Promise<void> {
	await act(
		options,
		async ({ client, key, query }): Promise<Prompt | Turn> => {
			const { priority, notBefore } = options;
			if (options.now === true && notBefore !== undefined)
				throw new UsageError("--now and --not-before exclude each other.");
			const body = {
				text: textOf(text, options.file),
				front: options.front === true,
				now: options.now === true,
				...(priority !== undefined && { priority }),
				...(notBefore !== undefined && { notBefore: timeOf(notBefore, "later") }),
			};
			const queued = await client.call("prompt", { key, query, params: { agent: reference }, body });
			if (options.wait !== true) return queued;
			if (options.now !== true) await startable(client, queued);
			const turn = await over(client, queued, options.json === true ? () => {} : tell);
			// the turn is still on standard output; the exit code says that it did not go well
			if (turn.state !== "completed") process.exitCode = 1;
			return turn;
		},
		(answered) => ("state" in answered ? endOf(answered) : `prompt ${answered.id} queued`),
	);
}

function endOf({ id, state, reason, retriedAs }: Turn): string {
	return `turn ${id} ${state}${reason === null ? "" : `: ${indented(reason, "  | ")}`}${retriedAs === null ? "" : `\nit is run again by prompt ${retriedAs}, which is queued`}`;
}

/** A prompt of an agent that is held waits for somebody: then so would we, for ever. */
async function startable(client: Client, { id, agent }: Pick<Prompt, "id" | "agent">): Promise<void> {
	const { handle, label, holds } = await client.call("agent", { params: { agent }, query: {} });
	const waits =
		holds.length > 0 &&
		(await client.call("queue", { params: { agent }, query: {} })).some((waiting) => waiting.id === id);
	if (waits)
		throw new Refused(
			refuse(
				"AGENT_INVALID_STATE",
				`Prompt ${id} is queued, but ${handle} is ${label}: it starts when the agent is resumed.`,
				{ suggestions: [`brood agent status ${handle}`] },
			),
		);
}

/** Whoever waits for a turn that waits for them would never learn of it. */
function tell({ id, data }: Pick<Item, "id" | "data">): void {
	const { title, answer }: { title?: unknown; answer?: unknown } = Object(data);
	if (answer === undefined)
		printToStderr(
			`It asks: ${indented(String(title), "  | ")}\n  try: brood approval show ${id}\n  try: brood approval allow ${id}\n  try: brood approval deny ${id}`,
		);
}

/**
 * The turn of a prompt, when it is over. A daemon that died meanwhile is started again: it knows how the turn ended.
 */
async function over(
	client: Client,
	{ id, agent }: Prompt,
	asked: (event: Pick<Item, "id" | "data">) => void,
): Promise<Turn> {
	const stop = new AbortController();
	try {
		const found = async (): Promise<Turn | undefined> =>
			(await client.call("turns", { params: { agent } })).findLast(
				(turn) => turn.prompt === id && turn.state !== "open",
			);
		const first = await found();
		if (first !== undefined) return first;
		for await (const event of client.events(id, stop.signal, reconnect)) {
			if (event.agent === agent && event.kind === "approval.asked") asked(event);
			if (event.agent === agent && ["agent.held", "prompt.returned", "turn.ended"].includes(event.kind))
				await startable(client, { id, agent });
			if (event.agent !== agent || event.kind !== "turn.ended") continue;
			const turn = await found();
			// a turn that never handed its prompt over is followed by another one
			if (
				turn !== undefined &&
				!(await client.call("queue", { params: { agent } })).some((waiting) => waiting.id === id)
			)
				return turn;
		}
		throw new Error("the event stream ended");
	} finally {
		stop.abort();
	}
}
