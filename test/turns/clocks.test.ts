// Clocks that jump, a day back or hours ahead: what was meant as a duration lasts as long as was meant.
import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentState } from "#contract/agent.ts";
import { system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { noLog } from "#engine/ports/log.ts";
import type { Store } from "#engine/ports/store.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { done, say, spawn } from "#test/support/say.ts";
import { settled } from "#test/support/settled.ts";

const hour = 3_600_000;
const jumps = [
	["a day back", -24 * hour],
	["five hours ahead", 5 * hour],
] as const;

/** The wall clock, and the time that has really passed. */
const time = { wall: 0, monotonic: 0 };
let engine: Engine;
let store: Store;
let driver: FakeDriver;
beforeEach(async () => {
	Object.assign(time, { wall: Date.UTC(2030, 0, 1), monotonic: Date.UTC(2030, 0, 1) });
	store = openMemory(batchRunner(limits));
	driver = new FakeDriver();
	const clock = { now: () => time.wall, monotonic: () => time.monotonic };
	engine = await Engine.start({ store, driver, limits, clock, ids: randomIds, log: noLog });
});
afterEach(async () => await engine[Symbol.asyncDispose]());

const pass = (ms: number): void => {
	time.wall += ms;
	time.monotonic += ms;
};
/** Something happens that has nothing to do with it, so that everybody looks. */
async function lookAround(agent: AgentState): Promise<void> {
	await done(engine, { type: "agent.configure", agent: agent.id, model: `m${time.monotonic}` });
	for (const { id } of await store.reads.openWaits())
		await say(engine, { type: "wait.look", wait: id }, { as: system });
	await done(engine, { type: "agent.checkLimit", agent: agent.id }, { as: system });
	await settled(engine);
}
const add = (request: object = {}): Promise<AgentState> => spawn(engine, engine.agentZero.id, request);

test.each(jumps)("a wait lasts as long as it was meant to, though the clock jumps %s", async (_, by) => {
	const target = await add({ prompt: "work" });
	await expect.poll(() => driver.running.length).toBe(1);
	const { event = 0 } = await done(engine, {
		type: "wait.open",
		targets: [target.id],
		for: "idle",
		mode: "all",
		blocking: true,
		timeoutMs: hour,
	});
	time.wall += by;
	pass(hour - 1000);
	await lookAround(target);
	expect((await store.reads.openWaits()).map(({ id }) => id)).toEqual([event]);
	pass(2000);
	await lookAround(target);
	expect(await store.reads.openWaits()).toEqual([]);
});

test.each(jumps)("a cool-down lasts as long as the program said, though the clock jumps %s", async (_, by) => {
	const agent = await add({ prompt: "work" });
	await expect.poll(() => driver.running.length).toBe(1);
	driver.open(agent.id)?.end({ state: "failed", reason: "limit", text: null, limit: { until: time.wall + 2 * hour } });
	const held = async () => (await engine.reads.agent(agent.id))?.holds.map(({ kind }) => kind);
	await expect.poll(held).toEqual(["limit"]);
	time.wall += by;
	pass(2 * hour - 1000);
	await lookAround(agent);
	expect(await held()).toEqual(["limit"]);
	pass(2000);
	await lookAround(agent);
	expect(await held()).toEqual([]);
});

test("a time that a program names after the clock was set is a time of the clock as it is set", async () => {
	const agent = await add({ prompt: "work" });
	await expect.poll(() => driver.running.length).toBe(1);
	time.wall += 5 * hour;
	driver.open(agent.id)?.end({ state: "failed", reason: "limit", text: null, limit: { until: time.wall + hour } });
	await expect
		.poll(async () => (await engine.reads.agent(agent.id))?.holds.map(({ until }) => until))
		.toEqual([time.monotonic + hour]);
});

test.each(jumps)("a receipt is kept for seven days of time, though the clock jumps %s", async (_, by) => {
	const key = "the-same-request";
	const command = { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", name: "once" };
	const first = await done(engine, command, { key });
	time.wall += by;
	pass(limits.receiptsKeptMs - hour);
	await store.dropReceipts(time.monotonic - limits.receiptsKeptMs, 1000);
	expect(await done(engine, command, { key })).toEqual(first);
	pass(2 * hour);
	expect(await store.dropReceipts(time.monotonic - limits.receiptsKeptMs, 1000)).toBe(1);
});

test("the stamps of events are those of the wall clock", async () => {
	time.wall += 5 * hour;
	const agent = await add();
	expect((await engine.reads.agent(agent.id))?.createdAt).toBe(time.wall);
});

test("the control: with the wall clock alone a wait of an hour is not over after one", async () => {
	const wall = openMemory(batchRunner(limits));
	await using naive = await Engine.start({
		store: wall,
		driver: null,
		limits,
		clock: { now: () => time.wall },
		ids: randomIds,
		log: noLog,
	});
	const target = await spawn(naive, naive.agentZero.id, { prompt: "work" });
	const { event = 0 } = await done(naive, {
		type: "wait.open",
		targets: [target.id],
		for: "idle",
		mode: "all",
		blocking: true,
		timeoutMs: hour,
	});
	time.wall -= 24 * hour;
	pass(hour + 1000);
	await say(naive, { type: "wait.look", wait: event }, { as: system });
	expect(await wall.reads.openWaits()).toHaveLength(1);
});
