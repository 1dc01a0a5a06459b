import { expect, test } from "vitest";
import { DaemonNotAnswering } from "#client/stream-timeout.ts";
import { human } from "#contract/ids.ts";
import type { StreamMessage } from "#contract/stream.ts";
import type { WireEvent } from "#contract/wire.ts";
import { type OpenStream, SharedStream, type TabMessage } from "./shared-stream.ts";

/** A browser with tabs: one channel, one lock, and a daemon whose journal has the events 1 to `last`. */
class Browser {
	readonly connections: { after: number; threads: string | undefined; signal: AbortSignal }[] = [];
	readonly #tabs: { receive: ((event: { data: TabMessage }) => void)[]; lead: () => void }[] = [];
	readonly #live = new Map<AbortSignal, (message: StreamMessage | null) => void>();
	#failure: Error | null = null;
	last = 0;

	tab(name: string): SharedStream {
		const receive: ((event: { data: TabMessage }) => void)[] = [];
		let lead = (): void => {};
		const leading = new Promise<void>((resolve) => (lead = resolve));
		const own = { receive, lead };
		this.#tabs.push(own);
		if (this.#tabs.length === 1) lead();
		return new SharedStream({
			tab: name,
			open: this.#open,
			channel: {
				postMessage: (data) => {
					for (const other of this.#tabs) if (other !== own) for (const each of other.receive) each({ data });
				},
				addEventListener: (_, each) => void receive.push(each),
			},
			lead: () => leading,
		});
	}

	/** The leader's tab is closed: its connection ends without a word, the next tab gets the lock. */
	closeFirst(): void {
		this.#tabs.shift();
		this.#live.clear();
		this.#tabs[0]?.lead();
	}

	happen(): void {
		this.last++;
		for (const push of this.#live.values()) push(event(this.last));
	}

	/** The daemon goes away, or stands still. */
	drop(failure: Error | null = null): void {
		this.#failure = failure;
		for (const push of this.#live.values()) push(null);
	}

	readonly #open: OpenStream = (query, signal) => this.#connection(query, signal);

	async *#connection(
		{ after, threads }: Parameters<OpenStream>[0],
		signal: AbortSignal,
	): AsyncGenerator<StreamMessage> {
		this.connections.push({ after, threads, signal });
		const queue: (StreamMessage | null)[] = [];
		for (let id = after + 1; id <= this.last; id++) queue.push(event(id));
		let wake = (): void => {};
		this.#live.set(signal, (message) => {
			queue.push(message);
			wake();
		});
		signal.addEventListener("abort", () => this.#live.delete(signal));
		for (;;) {
			const message = queue.shift();
			if (message === null && this.#failure !== null) throw this.#failure;
			if (message === null || signal.aborted) return;
			if (message !== undefined) yield message;
			else await new Promise<void>((resolve) => (wake = resolve));
		}
	}
}

const event = (id: number): StreamMessage => ({
	event: {
		id,
		agent: null,
		kind: "x.y",
		text: null,
		data: null,
		turn: null,
		actor: human,
		command: "",
		at: "",
	} satisfies WireEvent,
});

/** Reads until it has this many events; answers their ids. */
async function take(stream: AsyncGenerator<StreamMessage>, count: number): Promise<number[]> {
	const ids: number[] = [];
	while (ids.length < count) {
		const { value, done } = await stream.next();
		if (done === true) break;
		if ("event" in value) ids.push(value.event.id);
	}
	return ids;
}

const never = new AbortController().signal;

test("ten tabs share one connection, and each gets every event once", async () => {
	const browser = new Browser();
	const tabs = Array.from({ length: 10 }, (_, at) => browser.tab(`t${at}`));
	const streams = tabs.map((tab, at) => tab.stream({ after: 0, threads: `a${at}` }, never));
	const read = streams.map((stream) => take(stream, 3));
	await expect.poll(() => browser.connections.length).toBe(1);
	for (let count = 0; count < 3; count++) browser.happen();
	expect(await Promise.all(read)).toEqual(Array.from({ length: 10 }, () => [1, 2, 3]));
	const open = browser.connections.filter(({ signal }) => !signal.aborted);
	expect(open).toHaveLength(1);
	expect(open[0]?.threads?.split(",").toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => `a${at}`));
});

test("a tab that comes later gets what it lacks, and the others nothing twice that they could not skip", async () => {
	const browser = new Browser();
	const [first, second] = [browser.tab("a"), browser.tab("b")];
	const one = first.stream({ after: 0 }, never);
	const early = take(one, 2);
	await expect.poll(() => browser.connections.length).toBe(1);
	browser.happen();
	browser.happen();
	expect(await early).toEqual([1, 2]);
	// its rows are of event 1, although the connection is at 2
	const late = take(second.stream({ after: 1 }, never), 2);
	await expect.poll(() => browser.connections.length).toBe(2);
	browser.happen();
	expect(await late).toEqual([2, 3]);
	expect(browser.connections.map(({ after }) => after)).toEqual([0, 1]);
});

test("when the tab with the connection closes, the next takes over where each reader stands", async () => {
	const browser = new Browser();
	const [first, second] = [browser.tab("a"), browser.tab("b")];
	const one = first.stream({ after: 0 }, never);
	const two = second.stream({ after: 0 }, never);
	const read = [take(one, 2), take(two, 2)];
	await expect.poll(() => browser.connections.length).toBe(1);
	browser.happen();
	browser.happen();
	expect(await Promise.all(read)).toEqual([
		[1, 2],
		[1, 2],
	]);
	browser.closeFirst();
	browser.happen();
	expect(await take(two, 1)).toEqual([3]);
	expect(browser.connections.map(({ after }) => after)).toEqual([0, 2]);
});

test("a tab that no longer wants its stream asks for none", async () => {
	const browser = new Browser();
	const [first, second] = [browser.tab("a"), browser.tab("b")];
	const read = take(first.stream({ after: 7 }, never), 1);
	await expect.poll(() => browser.connections.length).toBe(1);
	expect(await take(second.stream({ after: 0 }, AbortSignal.abort()), 1)).toEqual([]);
	browser.last = 7;
	browser.happen();
	expect(await read).toEqual([8]);
	const late = second.stream({ after: 8 }, never);
	void take(late, 1);
	await expect.poll(() => browser.connections.map(({ after }) => after)).toEqual([7, 8]);
});

test("when the daemon goes away, every tab's stream ends", async () => {
	const browser = new Browser();
	const tabs = [browser.tab("a"), browser.tab("b")];
	const read = tabs.map((tab) => take(tab.stream({ after: 0 }, never), 1));
	await expect.poll(() => browser.connections.length).toBe(1);
	browser.drop();
	expect(await Promise.all(read)).toEqual([[], []]);
});

test("when the daemon stands still, every tab's stream says so", async () => {
	const browser = new Browser();
	const tabs = [browser.tab("a"), browser.tab("b")];
	const read = tabs.map((tab) => take(tab.stream({ after: 0 }, never), 1).catch((error: unknown) => error));
	await expect.poll(() => browser.connections.length).toBe(1);
	browser.drop(new DaemonNotAnswering());
	expect(await Promise.all(read)).toEqual([new DaemonNotAnswering(), new DaemonNotAnswering()]);
});

test("a stream that cannot be read is that for every tab, and not a daemon that is gone", async () => {
	const browser = new Browser();
	const tabs = [browser.tab("a"), browser.tab("b")];
	const read = tabs.map((tab) => take(tab.stream({ after: 0 }, never), 1).catch((error: unknown) => error));
	await expect.poll(() => browser.connections.length).toBe(1);
	browser.drop(new SyntaxError("Unexpected token"));
	expect(await Promise.all(read)).toEqual([expect.any(SyntaxError), expect.any(SyntaxError)]);
	// control: one that only ends
	const other = take(tabs[1]?.stream({ after: 0 }, never) ?? expect.unreachable(), 1);
	await expect.poll(() => browser.connections.length).toBe(2);
	browser.drop();
	expect(await other).toEqual([]);
});
