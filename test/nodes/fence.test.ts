// A node that was replaced writes nothing any more, whatever it had decided.
import pg from "pg";
import { expect, test } from "vitest";
import { openPostgres } from "#adapters/store/postgres/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { human, IdempotencyKey } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { NodeId } from "#contract/node.ts";
import type { ReceiptOutcome } from "#contract/receipt.ts";
import { refuse } from "#contract/refusal.ts";
import { exitWhenFenced } from "#daemon/exit-when-fenced.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { noLog } from "#engine/ports/log.ts";
import type { Store } from "#engine/ports/store.ts";
import { shell } from "#test/support/cli.ts";
import { lossyProxy } from "#test/support/lossy-proxy.ts";
import { done } from "#test/support/say.ts";
import { freshDatabase } from "#test/support/stores.ts";

// N1
const lives = process.env["BROOD_TORTURE"] === undefined ? 1 : 500;
const node = NodeId.parse(randomIds.key());

/** A life of the node, with its own start; or an engine that is not a node. */
async function openLife(url: string, { isNode = true } = {}): Promise<Engine> {
	const parts = partsOf(await openPostgres({ url, run: batchRunner(limits) }));
	return await Engine.start(isNode ? { ...parts, node: lifeOf() } : parts);
}

const partsOf = (store: Store) => ({ store, driver: null, limits, clock: systemClock, ids: randomIds });
const lifeOf = () => ({ node, name: "one", startId: randomIds.key(), version: "0", schema: 1, types: [] });

const append = (engine: Engine, text: string) =>
	done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text }, { key: null });
const texts = async (engine: Engine): Promise<(string | null)[]> =>
	(await engine.reads.events({ after: 0, limit: 1000, kinds: ["user"] })).map(({ text }) => text);

test(`${lives} times the next life of a node ends the one before: none of its late batches lands, and it is told why`, {
	timeout: 1000 * lives + 30_000,
}, async () => {
	const url = await freshDatabase();
	let before = await openLife(url);
	await append(before, "life 0");
	for (let life = 1; life <= lives; life++) {
		const next = await openLife(url);
		const late = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => append(before, `late ${at}`)));
		expect(late.map((each) => each.status === "rejected" && each.reason.kind)).toEqual(late.map(() => "fenced"));
		expect(await before.failed).toMatchObject({ name: "StoreFault", kind: "fenced" });
		await append(next, `life ${life}`);
		await before[Symbol.asyncDispose]();
		before = next;
	}
	expect(await texts(before)).toEqual(Array.from({ length: lives + 1 }, (_, life) => `life ${life}`));
	await before[Symbol.asyncDispose]();
});

test("nor does it replace what another node has answered under the same key", async () => {
	const url = await freshDatabase();
	const store = await openPostgres({ url, run: batchRunner(limits) });
	const first = await Engine.start({ ...partsOf(store), node: lifeOf() });
	const named = { actor: human, key: IdempotencyKey.parse("k"), fingerprint: "f", at: 1 };
	const keep = async (outcome: ReceiptOutcome) => await store.keepReceipts([{ ...named, outcome }], { durable: false });
	await keep({ subject: { event: 7 } });
	const next = await openLife(url);
	await expect(keep({ refused: refuse("NOT_RUNNING", "late") })).rejects.toMatchObject({ kind: "fenced" });
	expect(await next.reads.receipt(human, named.key)).toMatchObject({ outcome: { subject: { event: 7 } } });
	expect(await first.failed).toMatchObject({ kind: "fenced" });
	for (const engine of [first, next]) await engine[Symbol.asyncDispose]();
});

test("a daemon starts again after it was replaced, but not if another one has its id: it says which", {
	timeout: 60_000,
}, async () => {
	await using sh = shell();
	const { home } = sh;
	const url = await freshDatabase();
	const [first, copy] = [await openLife(url), await openLife(url)];
	const said: string[] = [];
	const about = { home, log: { ...noLog, error: (_: string, text: string) => void said.push(text) } };
	const why = await first.failed;
	expect(await exitWhenFenced(first, about, why)).toEqual({ code: 78, again: false });
	// nor does a command start it that only needs a daemon
	for (const command of ["ps", "status"])
		expect(await sh.json(command)).toMatchObject({
			code: 1,
			error: { code: "HOME_UNUSABLE", message: expect.stringMatching(/not started by itself: .* as node one at /) },
		});
	// control: the node that replaced it has gone
	await copy[Symbol.asyncDispose]();
	expect(await exitWhenFenced(first, about, why)).toEqual({ code: 71, again: true });
	expect(said).toEqual([
		expect.stringMatching(/stays down: .* as node one at .* remove the file \S+\/id/),
		expect.stringContaining("starts again"),
	]);
	// who asks for it gets it
	expect((await sh.json("up")).code).toBe(0);
	expect((await sh.json("down")).code).toBe(0);
	expect((await sh.json("ps")).code).toBe(0);
	await first[Symbol.asyncDispose]();
});

test("control: an engine that is not a node has no fence, and its late batch lands", async () => {
	const url = await freshDatabase();
	const first = await openLife(url, { isNode: false });
	const second = await openLife(url);
	await append(first, "late");
	expect(await texts(second)).toEqual(["late"]);
	for (const engine of [first, second]) await engine[Symbol.asyncDispose]();
});

test("a node that was ended while the answer to its COMMIT was lost learns what became of it, and writes no more", async () => {
	const url = await freshDatabase();
	await using proxy = await lossyProxy(url);
	const engine = await openLife(proxy.url);
	proxy.loseCommits(1);
	await append(engine, "acknowledged");
	expect(proxy.lost).toBe(1);
	const client = new pg.Client(url);
	await client.connect();
	await client.query("update node set epoch = epoch + 1");
	await client.end();
	await expect(append(engine, "late")).rejects.toMatchObject({ kind: "fenced" });
	expect(await texts(engine)).toEqual(["acknowledged"]);
	await engine[Symbol.asyncDispose]();
});
