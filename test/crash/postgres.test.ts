// PostgreSQL going away, coming back, being written by many and losing an answer.

import net from "node:net";
import path from "node:path";
import pg from "pg";
import { describe, expect, test, vi } from "vitest";
import { examinePostgres, openPostgres } from "#adapters/store/postgres/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { limits } from "#contract/limits.ts";
import { expected } from "#contract/log.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { nextTick } from "#engine/loop/dispatch.ts";
import { StoreFault } from "#engine/ports/store.ts";
import { startEngine } from "#src/main.ts";
import { acknowledged, expectNothingLost } from "#test/support/acknowledged.ts";
import { everyAgent } from "#test/support/every.ts";
import { lossyProxy } from "#test/support/lossy-proxy.ts";
import { startPostgres } from "#test/support/postgres.ts";
import { runProgram } from "#test/support/process.ts";
import { done, say, spawn } from "#test/support/say.ts";
import { freshDatabase, freshFolder } from "#test/support/stores.ts";

const allEvents = async (engine: Engine) => await engine.reads.events({ after: 0, limit: 1_000_000 });
const append = (engine: Engine, text: string) =>
	done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text }, { key: null });

test("eight processes that start at the same moment migrate once and make one agent 0", async () => {
	const url = await freshDatabase();
	const go = Promise.withResolvers<string>();
	let waiting = 8;
	const watch = (line: string): void => {
		if (line === "ready" && --waiting === 0) go.resolve("go\n");
	};
	const ran = await Promise.all(
		Array.from({ length: 8 }, () => runProgram("starter", [JSON.stringify({ url })], { input: go.promise, watch })),
	);
	const found = ran.map(({ lines, errors }) => lines.find((line) => line.startsWith("agent")) ?? errors);
	expect(found[0]).toMatch(/^agent \S{22}$/);
	expect(new Set(found).size).toBe(1);
	await using engine = await startEngine({ url });
	expect((await allEvents(engine)).filter((event) => event.kind === "agent.spawned")).toHaveLength(1);
});

test("several nodes write at once: ids follow the commits and a reader never sees a gap close", async () => {
	const url = await freshDatabase();
	await using reader = await startEngine({ url });
	const nodes = await Promise.all(Array.from({ length: 3 }, () => startEngine({ url })));
	const seen: number[] = [];
	let writing = true;
	const watching = (async () => {
		while (writing) {
			const events = await reader.reads.events({ after: seen.at(-1) ?? 0, limit: 1000 });
			seen.push(...events.map((event) => event.id));
		}
	})();
	await Promise.all(nodes.flatMap((node, at) => Array.from({ length: 60 }, (_, n) => append(node, `${at}:${n}`))));
	writing = false;
	await watching;
	const events = await allEvents(reader);
	seen.push(...(await reader.reads.events({ after: seen.at(-1) ?? 0, limit: 1000 })).map((event) => event.id));
	expect(events.filter((event) => event.kind === "user")).toHaveLength(180);
	expect(seen).toEqual(events.map((event) => event.id));
	for (const node of nodes) await node[Symbol.asyncDispose]();
});

test("two nodes that spawn under one name: one wins, the other is told", async () => {
	const url = await freshDatabase();
	await using one = await startEngine({ url });
	await using two = await startEngine({ url });
	for (let round = 0; round < 10; round++) {
		const wishes = [one, two].map((node) => spawn(node, node.agentZero.id, { name: `same-${round}` }));
		const results = await Promise.allSettled(wishes);
		expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
		expect(String(results.find((result) => result.status === "rejected")?.reason)).toMatch(/CONFLICT/);
	}
});

test("a project that two nodes add or remove at once has one fate", async () => {
	const url = await freshDatabase();
	await using one = await startEngine({ url });
	await using two = await startEngine({ url });
	for (let round = 0; round < 10; round++) {
		const slug = `p-${round}`;
		const adds = await Promise.all(
			[one, two].map((node, at) => say(node, { type: "project.add", slug, path: `/srv/${at}` })),
		);
		expect(adds.map((outcome) => "done" in outcome).sort()).toEqual([false, true]);
		const [spawned, removed] = await Promise.all([
			say(one, { type: "agent.spawn", parent: one.agentZero.id, context: "fresh", project: slug }),
			say(two, { type: "project.remove", slug }),
		]);
		expect(["done" in spawned, "done" in removed].sort()).toEqual([false, true]);
	}
});

describe("a database that goes away", { timeout: 60_000 }, () => {
	test("and comes back loses and doubles nothing", async () => {
		await using server = await startPostgres({ durable: true });
		const url = await server.createDatabase();
		let left = 60;
		const back: Promise<void>[] = [];
		let restarted = Promise.resolve();
		const ran = await runProgram("writer", [JSON.stringify({ url }), "pg", "400", "8"], {
			watch(line) {
				if (!line.startsWith("ack") || --left % 120 !== 0 || back.length === 2) return;
				// many lines may come at once: one restart after the other
				restarted = restarted.then(() => server.crash()).then(() => server.start());
				back.push(restarted);
			},
		});
		await Promise.all(back);
		expect(back).toHaveLength(2);
		expect(ran.lines.at(-1)).toBe("over");
		const acks = acknowledged(ran.lines);
		expect(acks.length).toBeGreaterThan(300);
		await using engine = await startEngine({ url });
		expectNothingLost(acks, await allEvents(engine));
	});

	test("for too long is reported, what was reported did not happen, and reads wait as well", async () => {
		await using server = await startPostgres({ durable: true });
		const url = await server.createDatabase();
		await using store = await openPostgres({ url, run: batchRunner(limits), retryForMs: 200 });
		await using patient = await openPostgres({ url, run: batchRunner(limits) });
		await server.crash();
		await expect(store.commit([])).rejects.toThrow(StoreFault);
		await expect(store.commit([])).rejects.toThrow(/cannot be reached.*Nothing was changed/);
		await expect(store.reads.lastEvent()).rejects.toMatchObject({ name: "StoreFault", kind: "unavailable" });
		const mirrored = store.reads.mirrored({ boards: [], threads: [], itemsMax: 1, isPart: false });
		await expect(mirrored).rejects.toMatchObject({ name: "StoreFault", kind: "unavailable" });
		const waiting = everyAgent(patient.reads);
		await server.start();
		expect(await store.commit([])).toEqual([]);
		expect(await waiting).toEqual([]);
	});

	test("and leaves its address to a standby can be written to only when that is over", async () => {
		await using server = await startPostgres();
		const url = await server.createDatabase();
		await using standby = await server.standby(server.url(), { synchronous: false });
		await using proxy = await lossyProxy(url);
		await using store = await openPostgres({ url: proxy.url, run: batchRunner(limits), retryForMs: 200 });
		proxy.turnTo(standby.url());
		const away = { kind: "unavailable", message: expect.stringMatching(/is it a standby\? .* Nothing was changed\./) };
		await expect(store.commit([])).rejects.toMatchObject(away);
		await expect(examinePostgres({ url: proxy.url })).rejects.toMatchObject(away);
		await expect(openPostgres({ url: proxy.url, run: batchRunner(limits) })).rejects.toMatchObject(away);
		proxy.turnTo(url);
		expect(await store.commit([])).toEqual([]);
	});
});

test("an answer to COMMIT that gets lost is asked for: no item is lost or doubled", async () => {
	const url = await freshDatabase();
	await using proxy = await lossyProxy(url);
	const engine = await startEngine({ url: proxy.url });
	const acks: { id: number; text: string }[] = [];
	for (let at = 0; at < 20; at++) {
		if (at % 4 === 0) proxy.loseCommits(1);
		acks.push({ id: (await append(engine, `lossy:${at}`)).event ?? 0, text: `lossy:${at}` });
	}
	expect(proxy.lost).toBe(5);
	expectNothingLost(acks, await allEvents(engine));
	await engine[Symbol.asyncDispose]();
});

test("a lost answer to COMMIT is asked for until the database is back, and what waits behind it is refused", async () => {
	const url = await freshDatabase();
	await using proxy = await lossyProxy(url);
	let later = 0;
	const clock = { now: () => systemClock.now() + later };
	const now = performance.now.bind(performance);
	using _ = vi.spyOn(performance, "now").mockImplementation(() => now() + later);
	const store = await openPostgres({ url: proxy.url, run: batchRunner(limits) });
	await using engine = await Engine.start({ store, driver: null, limits, clock, ids: randomIds });
	let asked = 0;
	const nowhere = freshFolder();
	await using gone = net.createServer((socket) => {
		asked++;
		socket.destroy();
	});
	await new Promise<void>((resolve) => gone.listen(path.join(nowhere, ".s.PGSQL.5432"), resolve));

	const away = Promise.withResolvers<void>();
	proxy.loseCommits(1, () => {
		proxy.turnTo(`postgres://postgres@localhost/gone?host=${encodeURIComponent(nowhere)}`);
		away.resolve();
	});
	const lost = append(engine, "lossy");
	await away.promise;
	const behind = append(engine, "behind");
	behind.catch(expected("it is awaited below"));
	// it waits
	await nextTick();
	later = 60_000;
	await expect(behind).rejects.toMatchObject({
		kind: "unavailable",
		message: expect.stringMatching(/Nothing was changed/),
	});
	const before = asked;
	await expect.poll(() => asked).toBeGreaterThan(before + 3);
	proxy.turnTo(url);
	expectNothingLost([{ id: (await lost).event ?? 0, text: "lossy" }], await allEvents(engine));
	const texts = (await allEvents(engine)).map(({ text }) => text);
	expect([texts.filter((text) => text === "lossy").length, texts.includes("behind")]).toEqual([1, false]);
});

test("a database of a newer Brood is used as long as that allows it, else refused and not touched", async () => {
	const url = await freshDatabase();
	await (await startEngine({ url }))[Symbol.asyncDispose]();
	const client = new pg.Client(url);
	await client.connect();
	const future = async (version: number, writesFrom: number) =>
		await client.query("insert into migration (version, name, at, writes_from) values ($1, 'from the future', 0, $2)", [
			version,
			writesFrom,
		]);
	// a step that only adds: both programs write side by side
	await future(9998, 1);
	await (await startEngine({ url }))[Symbol.asyncDispose]();
	// until the first release the one step may change
	const renamed = (name: string) =>
		client.query("update migration set name = $1 where version = 1 returning name", [name]);
	const { rows } = await client.query("select name from migration where version = 1");
	await renamed("of another checkout");
	await expect(startEngine({ url })).rejects.toThrow(/unreleased Brood.*not touched/);
	await renamed(rows[0].name);
	await future(9999, 9999);
	const dump = async () =>
		(
			await client.query(
				"select (select count(*) from event), (select count(*) from migration), (select count(*) from agent)",
			)
		).rows;
	const before = await dump();
	await expect(startEngine({ url })).rejects.toThrow(/newer Brood.*not touched/);
	expect(await dump()).toEqual(before);
	await expect(client.query("update event set text = 'other words'")).rejects.toThrow(/append-only/);
	await expect(client.query("delete from event")).rejects.toThrow(/append-only/);
	await client.end();
});
