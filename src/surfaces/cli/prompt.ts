// Commands that go on after their first answer.
import { type Client, Refused } from "#client/client.ts";
import { isItem } from "#contract/item.ts";
import { refuse } from "#contract/refusal.ts";
import type { Prompt, Turn } from "#contract/wire.ts";
import { act, type Options } from "./act.ts";
import { connect } from "./connect.ts";
import { itemLine, print, printData, printError } from "./print.ts";

interface PromptOptions extends Options {
	front?: boolean | undefined;
	wait?: boolean | undefined;
}

export async function prompt(reference: string, text: string, options: PromptOptions): Promise<void> {
	await act(
		options,
		async ({ client, key, query }): Promise<Prompt | Turn> => {
			const queued = await client.call("prompt", { key, query, params: { agent: reference }, body: { text, front: options.front === true } });
			if (options.wait !== true) return queued;
			await startable(client, queued);
			const turn = await over(client, queued);
			// the turn is still on standard output; the exit code says that it did not go well
			if (turn.state !== "completed") process.exitCode = 1;
			return turn;
		},
		(answered) =>
			"state" in answered ? `turn ${answered.id} ${answered.state}${answered.reason === null ? "" : `: ${answered.reason}`}` : `prompt ${answered.id} queued`,
	);
}

/** A prompt of an agent that is held waits for somebody: then so would we, for ever. */
async function startable(client: Client, { id, agent }: Pick<Prompt, "id" | "agent">): Promise<void> {
	const { handle, label, holds } = await client.call("agent", { params: { agent }, query: {} });
	const waits = holds.length > 0 && (await client.call("queue", { params: { agent }, query: {} })).some((waiting) => waiting.id === id);
	if (waits)
		throw new Refused(
			refuse("AGENT_INVALID_STATE", `Prompt ${id} is queued, but ${handle} is ${label}: it starts when the agent is resumed.`, {
				suggestions: [`brood agent status ${handle}`],
			}),
		);
}

/** The turn of a prompt, when it is over. */
async function over(client: Client, { id, agent }: Prompt): Promise<Turn> {
	const stop = new AbortController();
	try {
		const found = async (): Promise<Turn | undefined> =>
			(await client.call("turns", { params: { agent } })).findLast((turn) => turn.prompt === id && turn.state !== "open");
		const first = await found();
		if (first !== undefined) return first;
		for await (const event of client.events(id, stop.signal)) {
			if (event.agent === agent && event.kind === "agent.held") await startable(client, { id, agent });
			if (event.agent !== agent || event.kind !== "turn.ended") continue;
			const turn = await found();
			// a turn that never handed its prompt over is followed by another one
			if (turn !== undefined && !(await client.call("queue", { params: { agent } })).some((waiting) => waiting.id === id)) return turn;
		}
		throw new Error("the event stream ended");
	} finally {
		stop.abort();
	}
}

export async function events(options: Options & { after: number; follow?: true | undefined }): Promise<void> {
	const stop = new AbortController();
	try {
		const { client } = await connect();
		const all: unknown[] = [];
		const until = options.follow === true ? Number.POSITIVE_INFINITY : await lastEvent(client);
		if (until > options.after) {
			for await (const event of client.events(options.after, stop.signal)) {
				if (options.follow === true && options.json === true) print(JSON.stringify(event));
				else if (options.json === true) all.push(event);
				else print(itemLine(event));
				if (event.id >= until) break;
			}
		}
		if (options.json === true && options.follow !== true) printData(all);
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	} finally {
		stop.abort();
	}
}

/** An agent's items as they come, from the first one. */
export async function followThread(reference: string, options: Options): Promise<void> {
	const stop = new AbortController();
	try {
		const { client } = await connect();
		const { id } = await client.ask("agent", { params: { agent: reference }, query: { project: options.project } });
		for await (const event of client.events(0, stop.signal)) {
			if (event.agent === id && isItem(event)) print(options.json === true ? JSON.stringify(event) : itemLine(event));
		}
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	} finally {
		stop.abort();
	}
}

async function lastEvent(client: Client): Promise<number> {
	return (await client.call("status")).lastEvent;
}
