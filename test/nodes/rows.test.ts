// The rows of nodes on every store: who joined, in which epoch, and what becomes of the work of a node that fell.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { system } from "#contract/ids.ts";
import { NodeId } from "#contract/node.ts";
import { startEngine } from "#src/main.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { done, openTurn, refused, say, spawn } from "#test/support/say.ts";
import { flavors, freshTestStore, type TestStore } from "#test/support/stores.ts";

const me = NodeId.parse("node-a");
const other = NodeId.parse("node-b");
const asNode = (node: NodeId, name: string, startId: string = randomUUID()) => ({
	...{ node, name, startId, types: ["scripted"], version: "1", schema: 1 },
});
const open = async ({ location }: TestStore, node = asNode(me, "a")) => await startEngine(location, {}, { node });
const joinOf = (node: ReturnType<typeof asNode>) => ({ type: "node.join", ...node, turnsMax: 2 });
const bySystem = { as: system, key: null };

describe.each(flavors)("%s", (flavor) => {
	test("a daemon joins as a node; the same start gets one epoch however often it asks, another the next", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await open(testStore);
		const asked = asNode(other, "a");
		for (const node of [asked, asked, asNode(other, "a")]) await done(engine, joinOf(node), bySystem);
		expect(await engine.reads.nodes()).toMatchObject([
			{ id: me, name: "a", epoch: 1, state: "up", fellAt: null },
			// the name is taken
			{ id: other, name: "a-node-b", epoch: 2, state: "up", turnsMax: 2, types: ["scripted"] },
		]);
		expect((await engine.reads.events({ after: 0, limit: 100, kinds: ["node"] })).map(({ kind }) => kind)).toEqual([
			"node.joined",
			"node.joined",
			"node.joined",
		]);
		expect(engine.agentZero.node).toBe(me);
	});

	test("a node that fell leaves nothing behind that nobody owns", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await open(testStore);
		await done(engine, joinOf(asNode(other, "b")), bySystem);
		const at = async (node: NodeId, type = "scripted") => {
			const { id } = await spawn(engine, engine.agentZero.id, { agentType: type, node });
			return id;
		};
		const [mine, handed, waiting, person] = [await at(me), await at(other), await at(other), await at(other, "human")];
		await done(engine, { type: "node.equip", node: other, types: ["scripted", "special"] }, bySystem);
		const special = await at(other, "special");
		const turns = [];
		for (const agent of [mine, handed, waiting, person]) turns.push(await openTurn(engine, agent));
		for (const [index, agent] of [mine, handed, waiting, person].entries())
			if (agent !== waiting) await done(engine, { type: "turn.hand", agent, turn: turns[index] }, bySystem);
		expect((await engine.reads.turnLeases()).map(({ node }) => node)).toEqual([me, other, other]);

		// nobody has fallen who beat since, or in another epoch
		for (const wrong of [
			{ epoch: 1, beats: 7 },
			{ epoch: 2, beats: 0 },
		])
			await done(engine, { type: "node.fall", node: other, ...wrong }, bySystem);
		expect((await engine.reads.node(other))?.state).toBe("up");

		await done(engine, { type: "node.fall", node: other, epoch: 1, beats: 0 }, bySystem);
		await done(engine, { type: "node.fall", node: other, epoch: 1, beats: 0 }, bySystem);
		const fallen = await engine.reads.node(other);
		expect(fallen).toMatchObject({ state: "down", epoch: 2, fellAt: expect.any(Number) });
		expect((await engine.reads.openTurns()).map(({ id, node }) => [id, node])).toEqual([
			[turns[0], me],
			[turns[3], me],
		]);
		expect(await engine.reads.turn(turns[1] ?? 0)).toMatchObject({
			state: "interrupted",
			reason: "crash",
			node: other,
			epoch: 1,
		});
		expect((await engine.reads.turnLeases()).map(({ node }) => node)).toEqual([me]);
		// what was not handed over is queued again; without files an agent goes on at the other node
		expect((await engine.reads.prompts(handed)).length + 10 * (await engine.reads.prompts(waiting)).length).toBe(10);
		expect((await engine.reads.agent(waiting))?.holds).toMatchObject([
			{ kind: "crash", reason: "Node b stopped answering while this turn was open." },
		]);
		// but not where its type is not installed
		const nodes = await Promise.all([mine, handed, waiting, person, special].map((id) => engine.reads.agent(id)));
		expect(nodes.map((agent) => agent?.node)).toEqual([me, me, me, me, other]);
		// it is not forgotten when the node comes back
		await done(engine, joinOf(asNode(other, "b")), bySystem);
		expect(await engine.reads.node(other)).toMatchObject({ state: "up", epoch: 3, fellAt: fallen?.fellAt });
	});

	test("places are counted by node, and none start where a node drains", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await open(testStore);
		await done(engine, { ...joinOf(asNode(other, "b")), turnsMax: 1 }, bySystem);
		const [first, second] = [
			await spawn(engine, engine.agentZero.id, { node: other }),
			await spawn(engine, engine.agentZero.id, { node: other }),
		];
		const turn = await openTurn(engine, first.id);
		await done(engine, { type: "prompt.queue", agent: second.id, text: "go" });
		const start = { type: "turn.start", agent: second.id };
		expect((await refused(engine, start, bySystem)).message).toContain("node b runs 1 turn, which is its limit");
		await openTurn(engine, (await spawn(engine, engine.agentZero.id)).id);
		await done(engine, { type: "turn.end", agent: first.id, turn, state: "completed" }, bySystem);
		await done(engine, { type: "node.drain", node: other });
		expect((await refused(engine, start, bySystem)).message).toContain("node b is draining");
		expect(
			await refused(engine, { type: "agent.spawn", parent: engine.agentZero.id, node: other, context: "fresh" }),
		).toMatchObject({
			code: "NODE_DOWN",
		});
		await done(engine, { type: "node.resume", node: other });
		await done(engine, start, bySystem);
	});

	test("a node is removed only when it is stopped and nobody lives there", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await open(testStore);
		await done(engine, joinOf(asNode(other, "b")), bySystem);
		const { id } = await spawn(engine, engine.agentZero.id, { node: other });
		const remove = { type: "node.remove", node: other };
		expect(await refused(engine, remove)).toMatchObject({ code: "CONFLICT", details: { state: "up" } });
		await done(engine, { type: "node.leave", node: other }, bySystem);
		expect(await refused(engine, remove)).toMatchObject({ code: "CONFLICT", details: { livingAgents: 1 } });
		await done(engine, { type: "agent.kill", agent: id });
		await done(engine, remove);
		expect(await say(engine, remove)).toMatchObject({ refused: { code: "NOT_FOUND" } });
	});
});

test("agent 0 goes on at another node when its own is stopped, and does not keep it listed", async () => {
	await using testStore = await freshTestStore("postgres");
	const join = joinOf(asNode(other, "b"));
	const leave = { type: "node.leave", node: other };
	{
		await using first = await open(testStore);
		await done(first, join, bySystem);
		expect(first.agentZero.node).toBe(me);
	}
	await using engine = await open(testStore);
	const { id } = engine.agentZero;
	const zero = async () => (await engine.reads.agent(id))?.node;
	// control: a start takes it from no node that is up
	expect(await zero()).toBe(other);
	// with a turn that nobody ended it stays, until the node is removed
	const turn = await openTurn(engine, id);
	await done(engine, leave, bySystem);
	expect(await zero()).toBe(other);
	expect(await refused(engine, { type: "node.remove", node: other })).toMatchObject({ details: { livingAgents: 1 } });
	await done(engine, { type: "turn.end", agent: id, turn, state: "completed" }, bySystem);
	await done(engine, { type: "node.remove", node: other });
	expect(await zero()).toBe(me);
});

test("a node that comes takes agent 0 from one that was stopped; one that comes back has it again", async () => {
	await using testStore = await freshTestStore("postgres");
	for (const node of [asNode(me, "a"), asNode(me, "a"), asNode(other, "b")]) {
		await using engine = await open(testStore, node);
		expect(engine.agentZero.node).toBe(node.node);
	}
});

test("a node starts only what is its own, and what it inherits", async () => {
	const driver = new FakeDriver();
	await using engine = await startEngine({ memory: true }, {}, { node: asNode(me, "a"), driver });
	await done(engine, joinOf(asNode(other, "b")), bySystem);
	const [theirs, mine] = [
		await spawn(engine, engine.agentZero.id, { node: other }),
		await spawn(engine, engine.agentZero.id, { node: me }),
	];
	for (const { id } of [theirs, mine]) await done(engine, { type: "prompt.queue", agent: id, text: "go" });
	await expect.poll(() => driver.started.map(({ agent }) => agent)).toEqual([mine.id]);
	expect((await engine.reads.openTurns()).map(({ agent }) => agent)).toEqual([mine.id]);
	await done(engine, { type: "node.fall", node: other, epoch: 1, beats: 0 }, bySystem);
	await expect.poll(() => driver.started.map(({ agent }) => agent)).toEqual([mine.id, theirs.id]);
});

test("a daemon recovers only what is of its own node", async () => {
	await using testStore = await freshTestStore("sqlite");
	const turns: number[] = [];
	{
		await using engine = await open(testStore);
		await done(engine, joinOf(asNode(other, "b")), bySystem);
		for (const node of [me, other]) {
			const { id } = await spawn(engine, engine.agentZero.id, { node });
			const turn = await openTurn(engine, id);
			turns.push(turn);
			await done(engine, { type: "turn.hand", agent: id, turn }, bySystem);
		}
	}
	await using engine = await open(testStore);
	expect(await engine.reads.node(me)).toMatchObject({ epoch: 2 });
	const states = await Promise.all(turns.map((turn) => engine.reads.turn(turn)));
	expect(states.map((turn) => [turn?.node, turn?.state])).toEqual([
		[me, "interrupted"],
		[other, "open"],
	]);
});
