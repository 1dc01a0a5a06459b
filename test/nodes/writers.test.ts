// Two nodes write to one database at the same moment: what either decides on does not change under it.

import pg from "pg";
import { expect, test, vi } from "vitest";
import { openPostgres } from "#adapters/store/postgres/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentState } from "#contract/agent.ts";
import { AgentId, actingAgent, system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { WaitState } from "#contract/wait.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import type { RunBatch, Store, Tx } from "#engine/ports/store.ts";
import { everyAgent } from "#test/support/every.ts";
import { expectFolded } from "#test/support/folded.ts";
import { done, openTurn, say, spawn } from "#test/support/say.ts";
import { freshDatabase } from "#test/support/stores.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const rounds = torture ? 400 : 10;
vi.setConfig({ testTimeout: torture ? 1_800_000 : 30_000 });

const wide = { ...limits, descendantsMax: 100_000, turnsMax: 100_000 };

async function openNode(url: string, run: RunBatch = batchRunner(wide)): Promise<{ engine: Engine; store: Store }> {
	const store = await openPostgres({ url, run });
	return {
		store,
		engine: await Engine.start({ store, driver: null, limits: wide, clock: systemClock, ids: randomIds }),
	};
}

/** A node whose decisions see the rows that it read before it had the lock, as long as `early` has some. */
function withEarlyReads() {
	const early = { agents: new Map<AgentId, AgentState>(), waits: null as WaitState[] | null };
	const run: RunBatch = async (tx, batch) =>
		await batchRunner(wide)(
			{
				...tx,
				agent: async (id) => early.agents.get(id) ?? (await tx.agent(id)),
				openWaits: async () => early.waits ?? (await tx.openWaits()),
			},
			batch,
		);
	return { early, run };
}

const isTorn = async ({ reads }: Engine, parent: AgentId, turn: number): Promise<boolean> =>
	(await reads.turn(turn))?.state !== "open" && (await reads.agent(parent))?.turn !== null;

/** A parent in a turn, and a child whose end gives the rest of its budget back to the parent's row. */
async function family(engine: Engine): Promise<{ parent: AgentId; child: AgentId; turn: number }> {
	const parent = await spawn(engine, engine.agentZero.id, { budget: { tokens: 1_000_000 } });
	const child = await spawn(engine, parent.id, { budget: { tokens: 1000 } });
	const turn = await openTurn(engine, parent.id);
	await done(engine, { type: "turn.hand", agent: parent.id, turn }, { as: system });
	return { parent: parent.id, child: child.id, turn };
}

const endTurn = (engine: Engine, { parent, turn }: { parent: AgentId; turn: number }) =>
	done(engine, { type: "turn.end", agent: parent, turn, state: "completed" }, { as: system });
const killChild = (engine: Engine, { child }: { child: AgentId }) =>
	done(engine, { type: "agent.kill", agent: child, cascade: false });

async function deadlocks(url: string): Promise<number> {
	const client = new pg.Client(url);
	await client.connect();
	await client.query("select pg_stat_force_next_flush()");
	const { rows } = await client.query("select deadlocks from pg_stat_database where datname = current_database()");
	await client.end();
	return Number(rows[0].deadlocks);
}

test("a parent's turn ends at one node while its child is killed at another: no row is torn, nothing deadlocks", async () => {
	const url = await freshDatabase();
	const [one, two] = [await openNode(url), await openNode(url)];
	let torn = 0;
	for (let round = 0; round < rounds; round++) {
		const them = await family(one.engine);
		await Promise.all([endTurn(one.engine, them), killChild(two.engine, them)]);
		if (await isTorn(one.engine, them.parent, them.turn)) torn++;
	}
	expect(torn).toBe(0);
	expect(await deadlocks(url)).toBe(0);
	await expectFolded(one.engine.reads);
	for (const { engine } of [one, two]) await engine[Symbol.asyncDispose]();
});

test("control: with rows that were read before the lock, the parent is left in a turn that is over", async () => {
	const url = await freshDatabase();
	const { early, run } = withEarlyReads();
	const [one, two] = [await openNode(url), await openNode(url, run)];
	const them = await family(one.engine);
	for (const agent of await everyAgent(two.engine.reads)) early.agents.set(agent.id, agent);
	await endTurn(one.engine, them);
	await killChild(two.engine, them);
	expect(await isTorn(one.engine, them.parent, them.turn)).toBe(true);
	await expect(expectFolded(one.engine.reads)).rejects.toThrow();
	for (const { engine } of [one, two]) await engine[Symbol.asyncDispose]();
});

/**
 * Two agents that ask, each at its own node, to wait for the other, at once unless something comes before; whether both
 * were let through.
 */
async function isCircle(one: Engine, two: Engine, before?: () => Promise<void>): Promise<boolean> {
	const [a, b] = [await spawn(one, one.agentZero.id), await spawn(one, one.agentZero.id)];
	for (const { id } of [a, b]) {
		const turn = await openTurn(one, id);
		await done(one, { type: "turn.hand", agent: id, turn }, { as: system });
	}
	await before?.();
	const wait = (engine: Engine, who: AgentState, target: AgentState) =>
		say(
			engine,
			{ type: "wait.open", targets: [target.id], for: "idle", mode: "all", blocking: true },
			{ as: actingAgent(who.id) },
		);
	const asked = [() => wait(one, a, b), () => wait(two, b, a)];
	const outcomes = [];
	if (before === undefined) outcomes.push(...(await Promise.all(asked.map((ask) => ask()))));
	else for (const ask of asked) outcomes.push(await ask());
	// whoever waits is looked at whenever something happens: those of earlier rounds are not to be there
	for (const { id } of [a, b]) await done(one, { type: "agent.kill", agent: id });
	return outcomes.every((outcome) => "done" in outcome);
}

test("two agents that ask at two nodes to wait for each other: one is refused", async () => {
	const url = await freshDatabase();
	const [one, two] = [await openNode(url), await openNode(url)];
	let circles = 0;
	for (let round = 0; round < rounds; round++) if (await isCircle(one.engine, two.engine)) circles++;
	expect(circles).toBe(0);
	expect(await deadlocks(url)).toBe(0);
	await expectFolded(one.engine.reads);
	for (const { engine } of [one, two]) await engine[Symbol.asyncDispose]();
});

test("control: with waits that were read before the lock, both are let through", async () => {
	const url = await freshDatabase();
	const { early, run } = withEarlyReads();
	const [one, two] = [await openNode(url), await openNode(url, run)];
	const look = async (): Promise<void> => {
		early.waits = await two.engine.reads.openWaits();
	};
	expect(await isCircle(one.engine, two.engine, look)).toBe(true);
	for (const { engine } of [one, two]) await engine[Symbol.asyncDispose]();
});

test("what an agent spends at one node and what is said of its subscription at another are both kept", async () => {
	const url = await freshDatabase();
	const [one, two] = [await openNode(url), await openNode(url)];
	await done(one.engine, { type: "subscription.add", name: "max", agentType: "scripted", maxConcurrent: 5 });
	const { id: agent } = await spawn(one.engine, one.engine.agentZero.id);
	const turn = await openTurn(one.engine, agent);
	await done(one.engine, { type: "turn.hand", agent, turn }, { as: system });
	const items = [{ kind: "usage", text: null, data: { inputTokens: 1, outputTokens: 1 } }];
	const spend = () => done(one.engine, { type: "turn.append", agent, turn, items }, { as: system });
	const said: { at: number | null }[] = [];
	for (let round = 0; round < rounds; round++) {
		const until = Date.now() + 3_600_000 + round;
		await Promise.all([spend(), spend(), done(two.engine, { type: "subscription.cool", name: "max", until }), spend()]);
		said.push({ at: (await one.engine.reads.subscriptions())[0]?.spent.inputTokens ?? null });
	}
	expect(said).toEqual(said.map((_, round) => ({ at: 3 * (round + 1) })));
	await expectFolded(two.engine.reads);
	for (const { engine } of [one, two]) await engine[Symbol.asyncDispose]();
});

/** Bugs that only a unique constraint finds: at once, or when the batch writes its pending rows. */
const twins = {
	"an agent with a name that is taken": async (tx: Tx, agent: AgentState) =>
		await tx.putAgent({ ...agent, id: AgentId.parse("t".repeat(22)) }),
	"a second open turn": async (tx: Tx, { turn }: AgentState) => {
		const open = turn === null ? undefined : await tx.turn(turn.id);
		if (open !== undefined) await tx.putTurn({ ...open, id: open.id - 1 });
	},
};

test.each(Object.entries(twins))("%s fails the one command that writes it, and no neighbour", async (_, write) => {
	const run: RunBatch = async (tx, batch) => {
		const append: Tx["append"] = async (events) => {
			const [event] = events;
			const agent = event?.text === "twin" && event.agent !== null ? await tx.agent(event.agent) : undefined;
			if (agent !== undefined) await write(tx, agent);
			return await tx.append(events);
		};
		return await batchRunner(wide)({ ...tx, append }, batch);
	};
	const { engine } = await openNode(await freshDatabase(), run);
	const { id: agent } = await spawn(engine, engine.agentZero.id);
	await openTurn(engine, agent);
	const results = await Promise.allSettled(
		["one", "twin", "three"].map((text) => done(engine, { type: "item.append", agent, kind: "user", text })),
	);
	expect(results.map((each) => each.status === "rejected" && each.reason.kind)).toEqual([false, "rejected", false]);
	await engine[Symbol.asyncDispose]();
});
