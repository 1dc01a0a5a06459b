// Never more turns at work than there are slots, however many ask at once; and how a count that was read before would
// fare.
import { afterEach, describe, expect, test } from "vitest";
import { type AgentId, SubscriptionName, system } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { done, refused, say, spawn } from "#test/support/say.ts";
import { durable, type Flavor, freshTestStore, type TestStore } from "#test/support/stores.ts";

const claims = 1000;
const slots = 7;
const testStores: TestStore[] = [];
const engines: Engine[] = [];
afterEach(async () => {
	for (const engine of engines.splice(0)) await engine[Symbol.asyncDispose]();
	for (const testStore of testStores.splice(0)) await testStore[Symbol.asyncDispose]();
});

/** Engines without a driver: nothing starts by itself. Several of them share a store that can be shared. */
async function opened(flavor: Flavor, limits: object = {}): Promise<Engine[]> {
	const testStore = await freshTestStore(flavor);
	testStores.push(testStore);
	const first = await testStore.open({ turnsMax: 10_000, ...limits });
	const others =
		flavor === "postgres"
			? [await testStore.open({ turnsMax: 10_000, ...limits }), await testStore.open({ turnsMax: 10_000, ...limits })]
			: [];
	engines.push(first, ...others);
	return [first, ...others];
}

async function waiting(engine: Engine, count: number): Promise<AgentId[]> {
	const made = await Promise.all(
		Array.from({ length: count }, () => spawn(engine, engine.agentZero.id, { prompt: "go" })),
	);
	return made.map(({ id }) => id);
}

async function all(
	engine: Engine,
	agents: readonly AgentId[],
	others: readonly Engine[] = [engine],
): Promise<{ started: number; codes: Set<string> }> {
	const outcomes = await Promise.all(
		agents.map((agent, at) =>
			say(others[at % others.length] ?? engine, { type: "turn.start", agent }, { as: system, key: null }),
		),
	);
	const started = outcomes.filter((outcome) => "done" in outcome && outcome.events.length > 0).length;
	return { started, codes: new Set(outcomes.flatMap((outcome) => ("refused" in outcome ? outcome.refused.code : []))) };
}

describe.each(durable)("%s", (flavor) => {
	test(`${claims} claims at once never exceed a subscription`, { timeout: 120_000 }, async () => {
		const nodes = await opened(flavor);
		const [engine] = nodes;
		if (engine === undefined) throw new Error("no engine");
		await done(engine, { type: "subscription.add", name: "max", agentType: "scripted", maxConcurrent: slots });
		const agents = await waiting(engine, claims);
		expect(await all(engine, agents, nodes)).toEqual({ started: slots, codes: new Set(["NO_SLOT"]) });
		const leases = await engine.reads.turnLeases();
		expect(leases.map(({ turn }) => turn)).toEqual((await engine.reads.openTurns()).map(({ id }) => id));
		expect(new Set(leases.map(({ subscription }) => subscription))).toEqual(new Set(["max"]));
		// a turn that ends gives back exactly one
		const [lease] = leases;
		await done(
			engine,
			{ type: "turn.end", agent: lease?.agent, turn: lease?.turn, state: "completed" },
			{ as: system },
		);
		const left = agents.filter((id) => !leases.some(({ agent }) => agent === id));
		expect(await all(engine, left, nodes)).toEqual({ started: 1, codes: new Set(["NO_SLOT"]) });
	});

	test("nor what the machine carries", { timeout: 60_000 }, async () => {
		const nodes = await opened(flavor, { turnsMax: 3 });
		const [engine] = nodes;
		if (engine === undefined) throw new Error("no engine");
		const agents = await waiting(engine, 100);
		expect(await all(engine, agents, nodes)).toEqual({ started: 3, codes: new Set(["NO_SLOT"]) });
		expect(await refused(engine, { type: "turn.start", agent: agents[50] }, { as: system })).toMatchObject({
			code: "NO_SLOT",
			message: expect.stringContaining("the machine runs 3 turns, which is its limit"),
		});
	});

	test("but a count that is read first and acted on later does: the control", { timeout: 60_000 }, async () => {
		const [engine] = await opened(flavor);
		if (engine === undefined) throw new Error("no engine");
		const agents = await waiting(engine, 100);
		await Promise.all(
			agents.map(async (agent) => {
				if ((await engine.reads.turnLeases()).length < slots)
					await say(engine, { type: "turn.start", agent }, { as: system });
			}),
		);
		expect((await engine.reads.turnLeases()).length).toBeGreaterThan(slots);
	});

	test("leases are dropped when the daemon starts again, with the turns that had them", async () => {
		const [engine] = await opened(flavor);
		if (engine === undefined) throw new Error("no engine");
		await done(engine, { type: "subscription.add", name: "max", agentType: "scripted", maxConcurrent: 2 });
		const agents = await waiting(engine, 4);
		await all(engine, agents);
		expect(await engine.reads.turnLeases()).toHaveLength(2);
		for (const open of engines.splice(0)) await open[Symbol.asyncDispose]();
		const again = await testStores[0]?.open();
		if (again === undefined) throw new Error("no store");
		engines.push(again);
		expect([await again.reads.turnLeases(), await again.reads.openTurns()]).toEqual([[], []]);
		expect(await again.reads.subscriptions()).toMatchObject([
			{ name: SubscriptionName.parse("max"), maxConcurrent: 2 },
		]);
	});
});
