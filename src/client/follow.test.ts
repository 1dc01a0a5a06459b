import { expect, test } from "vitest";
import { refuse } from "#contract/refusal.ts";
import { Client, type FollowedMessage, Refused, type Send } from "./client.ts";

/** A daemon that refuses some of the connections, counted from 1. */
function followed(refused: { [connection: number]: "READER_LIMIT" | "FORBIDDEN" }): AsyncGenerator<FollowedMessage> {
	let connections = 0;
	const send: Send = async () => {
		connections++;
		const code = refused[connections];
		const text = async () => JSON.stringify({ error: code && refuse(code, "No.") });
		return { ok: code === undefined, text, chunks: said(`event: upTo\ndata: ${connections}\n\n`) };
	};
	const client = new Client({ url: "http://localhost", token: "x" }, send);
	return client.follow({ after: 0 }, new AbortController().signal);
}

async function* said(text: string): AsyncGenerator<Uint8Array> {
	yield new TextEncoder().encode(text);
}

async function messages(follower: AsyncGenerator<FollowedMessage>, count: number): Promise<unknown[]> {
	const seen: unknown[] = [];
	try {
		for await (const message of follower) if (seen.push(message) === count) break;
	} catch (error) {
		seen.push(error instanceof Refused ? error.refusal.code : error);
	}
	return seen;
}

test("a reader that has begun outlives a refusal that passes by itself", async () => {
	expect(await messages(followed({ 2: "READER_LIMIT" }), 4)).toEqual([
		{ upTo: 1 },
		{ lost: 1 },
		{ lost: 1 },
		{ upTo: 3 },
	]);
});

test("it ends with one that would be repeated, and with any at its first connection", async () => {
	expect(await messages(followed({ 2: "FORBIDDEN" }), 4)).toEqual([{ upTo: 1 }, { lost: 1 }, "FORBIDDEN"]);
	expect(await messages(followed({ 1: "READER_LIMIT" }), 4)).toEqual(["READER_LIMIT"]);
});
