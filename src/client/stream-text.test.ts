import { expect, test } from "vitest";
import { Client, type Send } from "./client.ts";

/** The messages of a stream that arrives in these pieces, and what it ended with. */
async function streamed(...pieces: readonly string[]): Promise<unknown[]> {
	const send: Send = async () => ({ ok: true, text: async () => "", chunks: encoded(pieces) });
	const client = new Client({ url: "http://localhost", token: "x" }, send);
	const seen: unknown[] = [];
	try {
		for await (const message of client.stream({ after: 0 }, new AbortController().signal)) seen.push(message);
	} catch (error) {
		seen.push(error instanceof Error ? error.name : error);
	}
	return seen;
}

async function* encoded(pieces: readonly string[]): AsyncGenerator<Uint8Array> {
	for (const piece of pieces) yield new TextEncoder().encode(piece);
}

const upTo = "event: upTo\ndata: 5\n\n";

test("comments, later kinds of messages and a message that is cut off by the end are skipped", async () => {
	const later = 'event: tomorrow\ndata: {"a":1}\n\n';
	for (const end of ["", ":", "i", "id: 7\nev", 'event: event\ndata: {"id"'])
		expect(await streamed(": beat\n\n", later, upTo, end)).toEqual([{ upTo: 5 }]);
	expect(await streamed("eve", upTo.slice(3))).toEqual([{ upTo: 5 }]);
});

test("what is no event stream cannot be read, in whole parts and without any", async () => {
	for (const text of [
		"<html>proxy</html>",
		"<html>\n\n<p>proxy</p>\n\n</html>",
		'{"error":"busy"}',
		"id: 1\ndata: {nonsense\n\n",
		"event: upTo\ndata: five\n\n",
		"data: 5\n\n",
		'data: {"no":"event"}\n\n',
	]) {
		expect(await streamed(text)).toEqual(["SyntaxError"]);
		expect(await streamed(upTo, text)).toEqual([{ upTo: 5 }, "SyntaxError"]);
	}
});
