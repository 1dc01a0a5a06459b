// Each node publishes the whole journal: whoever follows any of them sees every node's events once, in order.
import { expect, test } from "vitest";
import type { Engine } from "#engine/engine.ts";
import { nextTick } from "#engine/loop/dispatch.ts";
import type { EventReader } from "#engine/loop/publish.ts";
import { until } from "#engine/loop/until.ts";
import { startEngine } from "#src/main.ts";
import { done, spawn } from "#test/support/say.ts";
import { freshDatabase } from "#test/support/stores.ts";
import { TwoNodes } from "#test/support/two-nodes.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
/** of each node; a million events of all three */
const items = torture ? 333_333 : 100;
const together = torture ? 256 : 1;
/** of each of those who come one after the other */
const readers = torture ? { count: 50, items: 5000 } : { count: 5, items: 100 };
const timeout = torture ? 1_800_000 : 60_000;

/** What this node publishes from now on, up to the event with these words. */
function readUpTo(engine: Engine, text: string): Promise<number[]> {
	const reader = engine.publisher.follow();
	const read = async (): Promise<number[]> => {
		const seen: number[] = [];
		for (;;) {
			const events = await reader.next();
			if (events === null) throw new Error("the reader was cut");
			seen.push(...events.map(({ id }) => id));
			if (events.some((event) => event.text === text)) return seen;
		}
	};
	return read();
}

/** How much of what was said comes before the first event of this kind. */
async function countUntil(reader: Pick<EventReader, "next">, kind: string): Promise<number> {
	for (let count = 0; ; ) {
		const events = await reader.next();
		if (events === null) throw new Error("the reader was cut");
		count += events.filter(({ text }) => text === "said").length;
		if (events.some((event) => event.kind === kind)) return count;
	}
}

const append = (engine: Engine, text: string) =>
	done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text }, { key: null });

test("three nodes write at once: the readers of each see every event once, in order and without gaps", {
	timeout,
}, async () => {
	const url = await freshDatabase();
	const nodes = [await startEngine({ url }), await startEngine({ url }), await startEngine({ url })];
	const before = await nodes[0]?.reads.lastEvent();
	const reading = nodes.map((node) => readUpTo(node, "the last"));
	// what a node would publish that only knows its own commits
	const own: number[] = [];
	await Promise.all(
		nodes.map(async (node, at) => {
			for (let n = 0; n < items; n += together) {
				const texts = Array.from({ length: Math.min(together, items - n) }, (_, more) => `${at}:${n + more}`);
				const written = await Promise.all(texts.map((text) => append(node, text)));
				if (at === 0) own.push(...written.map(({ event = 0 }) => event));
			}
		}),
	);
	await append(nodes[1] ?? expect.unreachable(), "the last");
	const all = Array.from({ length: 3 * items + 1 }, (_, at) => (before ?? 0) + at + 1);
	for (const seen of await Promise.all(reading)) expect(seen).toEqual(all);
	// control: own events alone have gaps
	expect(own.every((id, at) => at === 0 || id === (own[at - 1] ?? 0) + 1)).toBe(false);
	for (const node of nodes) await node[Symbol.asyncDispose]();
});

test("what agents say at other nodes is left out where nobody reads it, and whole for everybody who comes", {
	timeout,
}, async () => {
	await using nodes = await TwoNodes.open();
	const [writer, idle] = [nodes.a.daemon.engine, nodes.b.daemon.engine];
	using hints = idle.publisher.follow({ items: () => false });
	const hinted = countUntil(hints, "agent.held");
	let [isOver, written] = [false, 0];
	const writing = (async () => {
		for (; !isOver; written += together)
			await Promise.all(Array.from({ length: together }, () => append(writer, "said")));
	})();
	const enough = written + 20;
	while (written < enough) await nextTick();
	const passedOver = await writer.reads.lastEvent();
	while (idle.publisher.lastPublished < passedOver) await nextTick();
	let after = passedOver - 20;
	for (let reader = 0; reader < readers.count; reader++) {
		const stop = new AbortController();
		const [from, seen]: [number, number[]] = [after, []];
		for await (const message of nodes.b.client.follow({ after }, stop.signal)) {
			if ("event" in message) seen.push(message.event.id);
			if (seen.length >= readers.items) break;
		}
		stop.abort();
		expect(seen).toEqual(seen.map((_, at) => from + at + 1));
		after = seen.at(-1) ?? after;
	}
	isOver = true;
	await writing;
	await done(writer, { type: "agent.pause", agent: (await spawn(writer, writer.agentZero.id)).id });
	// control: without a reader there are gaps
	expect(await hinted).toBeLessThan(written);
});

test("who waits at one node is woken by what happens at another", async () => {
	const url = await freshDatabase();
	await using one = await startEngine({ url });
	await using two = await startEngine({ url });
	const { id } = await spawn(one, one.agentZero.id, { name: "far" });
	const paused = until(two.publisher, async () =>
		(await two.reads.agent(id))?.holds.some(({ kind }) => kind === "user") ? "paused" : null,
	);
	await done(one, { type: "agent.pause", agent: id });
	expect(await paused).toBe("paused");
});
