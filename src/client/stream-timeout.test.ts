// A stream on which nothing comes any more, in a time that the test turns.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client } from "./client.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const at = { url: "http://127.0.0.1:1", token: "t" };

/** Each connection sends these chunks, each after so many seconds, and then nothing. */
function speaking(...connections: { after: number; text: string }[][]) {
	const opened: AbortSignal[] = [];
	const client = new Client(at, async (_, { signal }) => {
		if (signal === undefined) throw new Error("a stream needs a signal");
		const said = connections[opened.length] ?? [];
		opened.push(signal);
		return { ok: true, text: async () => "", chunks: chunks(said) };
	});
	return { client, opened };
}

async function* chunks(said: readonly { after: number; text: string }[]): AsyncGenerator<Uint8Array> {
	for (const { after, text } of said) {
		await new Promise((resume) => setTimeout(resume, after * 1000));
		yield bytes(text);
	}
	await new Promise(() => {});
}

test("a connection on which nothing comes for a while is lost and made again", async () => {
	const { client, opened } = speaking(
		[
			{ after: 0, text: "event: upTo\ndata: 7\n\n" },
			...Array.from({ length: 5 }, () => ({ after: 14, text: ": still here\n\n" })),
		],
		[{ after: 1, text: "event: upTo\ndata: 9\n\n" }],
	);
	const stop = new AbortController();
	const stream = client.follow({ after: 0 }, stop.signal);
	const next = async (): Promise<unknown> => {
		const [{ value }] = await Promise.all([stream.next(), vi.advanceTimersByTimeAsync(90_000)]);
		return value;
	};
	expect([await next(), await next()]).toEqual([{ upTo: 7 }, { lost: 7 }]);
	expect(opened.map((signal) => signal.aborted)).toEqual([true]);
	expect(await next()).toEqual({ upTo: 9 });
	stop.abort();
	expect(await next()).toBeUndefined();
});

test("a daemon that takes the connection and says nothing at all is lost too", async () => {
	const stop = new AbortController();
	const client = new Client(at, async () => await new Promise(() => {}));
	const first = client.follow({ after: 3 }, stop.signal).next();
	await vi.advanceTimersByTimeAsync(15_000);
	expect((await first).value).toEqual({ lost: 3 });
});
