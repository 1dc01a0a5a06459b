// The property that matters most: the delta replay equals a model that copies everything, for every agent, after
// every step, on every store.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import { contextOf } from "#domain/history.ts";
import type { Engine } from "#engine/engine.ts";
import { spawn } from "#test/support/say.ts";
import { type Flavor, flavors, freshTestStore, type TestStore } from "#test/support/stores.ts";
import { Copies, program, type Step } from "./model.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
/** programs in `npm test`, and in `npm run torture` */
const runs: Record<Flavor, number> = torture
	? { memory: 100_000, sqlite: 10_000, postgres: 2000 }
	: { memory: 1000, sqlite: 300, postgres: 120 };
const unlimited = { descendantsMax: Number.POSITIVE_INFINITY };

type Replay = (engine: Engine, agent: AgentId) => Promise<number[]>;

const replay: Replay = async (engine, agent) => {
	const context = await engine.queries.context(agent);
	if (isRefusal(context)) throw new Error(context.message);
	return ids(context.items);
};

/** Runs a program and compares every agent's context with its copy after each step. */
async function compare(running: Running, steps: readonly Step[], how: Replay): Promise<number> {
	const copies = new Copies((await spawn(running.engine, running.engine.agentZero.id)).id);
	let accepted = 0;
	for (const step of steps) {
		if (step.do === "restart") await running.restart();
		else if (await copies.play(running.engine, step)) accepted++;
		const contexts = await Promise.all(copies.agents.map((agent) => how(running.engine, agent)));
		expect(contexts, `after ${JSON.stringify(step)}`).toEqual([...copies.contexts.values()].map(ids));
	}
	return accepted;
}

const ids = (items: readonly { id: number }[]): number[] => items.map((item) => item.id);

interface Running {
	engine: Engine;
	restart(): Promise<void>;
}

async function run(testStore: TestStore): Promise<Running> {
	const running = {
		engine: await testStore.open(unlimited),
		async restart() {
			if ("memory" in testStore.location) return;
			await running.engine[Symbol.asyncDispose]();
			running.engine = await testStore.open(unlimited);
		},
	};
	return running;
}

describe.each(flavors)("on %s", (flavor) => {
	test(`${runs[flavor]} random programs`, { timeout: torture ? 3_600_000 : 60_000 }, async () => {
		await using testStore = await freshTestStore(flavor);
		// memory starts empty each time; the others go on with what is there
		const shared = flavor === "memory" ? null : await run(testStore);
		let accepted = 0;
		await fc.assert(
			fc.asyncProperty(program, async (steps) => {
				const running = shared ?? (await run(testStore));
				accepted += await compare(running, steps, replay);
				if (shared === null) await running.engine[Symbol.asyncDispose]();
			}),
			{ numRuns: runs[flavor] },
		);
		await shared?.engine[Symbol.asyncDispose]();
		expect(accepted).toBeGreaterThan(runs[flavor] * 5);
	});

	test.runIf(flavor !== "memory")("contexts are the same after a restart, whatever came before it", async () => {
		await using testStore = await freshTestStore(flavor);
		const programs = fc.sample(program, { numRuns: 10, seed: 7 });
		const before = await testStore.open(unlimited);
		const expected = new Map<AgentId, number[]>();
		for (const steps of programs) {
			const copies = new Copies((await spawn(before, before.agentZero.id)).id);
			for (const step of steps) if (step.do !== "restart") await copies.play(before, step);
			for (const [agent, copy] of copies.contexts)
				expected.set(
					agent,
					copy.map((item) => item.id),
				);
		}
		await before[Symbol.asyncDispose]();
		await using after = await testStore.open(unlimited);
		expect(expected.size).toBeGreaterThan(20);
		for (const [agent, items] of expected) expect(await replay(after, agent)).toEqual(items);
	});
});

describe("the property notices a replay that is wrong", () => {
	/** The walk of the design, with one of its rules left out. */
	const walk =
		(rule: { min: boolean; zeroIsNothing: boolean }): Replay =>
		async (engine, leaf) => {
			const events = await engine.reads.events({ after: 0, limit: 1_000_000 });
			const found: Event[][] = [];
			let upTo: number | null = null;
			for (let next: AgentState | undefined = await engine.reads.agent(leaf); next !== undefined; ) {
				const { id, lineage }: AgentState = next;
				const end: number = upTo ?? Number.POSITIVE_INFINITY;
				const own = events.filter((event) => event.agent === id && !event.kind.includes(".") && event.id <= end);
				const clear = own.findLastIndex((event) => event.kind === "clear");
				found.unshift(own.slice(clear + 1));
				if (clear >= 0 || lineage === null) break;
				const forkPoint = lineage.forkPoint === 0 && !rule.zeroIsNothing ? null : lineage.forkPoint;
				upTo = rule.min && upTo !== null && forkPoint !== null ? Math.min(upTo, forkPoint) : forkPoint;
				next = await engine.reads.agent(lineage.agent);
			}
			return contextOf(found.flat()).map((item) => item.id);
		};
	const survives = async (how: Replay): Promise<boolean> => {
		await using testStore = await freshTestStore("memory");
		const property = fc.asyncProperty(program, async (steps) => {
			const running = await run(testStore);
			await using _ = running.engine;
			await compare(running, steps, how);
		});
		return !(await fc.check(property, { numRuns: 300, endOnFailure: true })).failed;
	};

	test("the walk as it should be survives", async () =>
		expect(await survives(walk({ min: true, zeroIsNothing: true }))).toBe(true));
	test("without the min it does not", async () =>
		expect(await survives(walk({ min: false, zeroIsNothing: true }))).toBe(false));
	test("with 0 read as no limit it does not", async () =>
		expect(await survives(walk({ min: true, zeroIsNothing: false }))).toBe(false));
	test("an agent's own thread alone is not its context", async () => {
		const own: Replay = async (engine, agent) => {
			const events = await engine.reads.events({ after: 0, limit: 1_000_000, agent });
			return ids(contextOf(events.filter((event) => !event.kind.includes("."))));
		};
		expect(await survives(own)).toBe(false);
	});
});
