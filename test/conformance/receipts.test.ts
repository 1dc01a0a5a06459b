// What a store promises about receipts: a retry under its key is answered again, and nothing happens again.

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Actor, type AgentId, actingAgent, human, IdempotencyKey, system } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { everyAgent } from "#test/support/every.ts";
import { gatedStore } from "#test/support/gated-store.ts";
import { done, openTurn, refused, say, spawn } from "#test/support/say.ts";
import { flavors, freshTestStore } from "#test/support/stores.ts";

const allEvents = async (engine: Engine) => await engine.reads.events({ after: 0, limit: 100_000 });

describe.each(flavors)("%s", (flavor) => {
	test("a retry answers again and does nothing again; another payload under the key is a conflict", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const key = randomUUID();
		const command = { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", name: "once" };
		const first = await say(engine, command, { key });
		const again = await say(engine, command, { key });
		expect(first).toMatchObject({ done: { agent: { handle: "once" } }, replayed: false });
		expect(again).toMatchObject({
			done: { agent: { handle: "once" } },
			events: "done" in first ? first.events : null,
			replayed: true,
		});
		expect(await refused(engine, { ...command, name: "twice" }, { key })).toMatchObject({ code: "CONFLICT" });
		expect(await everyAgent(engine.reads)).toHaveLength(2);
	});

	test("a retry in the same batch is a retry too", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const key = randomUUID();
		const command = { type: "item.append", agent: engine.agentZero.id, kind: "user", text: "once" };
		const outcomes = await Promise.all(Array.from({ length: 5 }, () => say(engine, command, { key })));
		expect(new Set(outcomes.map((outcome) => JSON.stringify("done" in outcome && outcome.done))).size).toBe(1);
		expect((await allEvents(engine)).filter((event) => event.kind === "user")).toHaveLength(1);
	});

	test("a refusal is remembered under its key as well", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const key = randomUUID();
		const command = { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", project: "web" };
		expect(await refused(engine, command, { key })).toMatchObject({ code: "NOT_FOUND" });
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		expect(await say(engine, command, { key })).toMatchObject({ refused: { code: "NOT_FOUND" }, replayed: true });
	});

	test("a key belongs to its actor: the same key of another actor is independent", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const [one, two] = [await spawn(engine, engine.agentZero.id), await spawn(engine, engine.agentZero.id)];
		const key = randomUUID();
		for (const { id } of [one, two]) await openTurn(engine, id);
		const append = (agent: AgentId, as: Actor) =>
			done(engine, { type: "mail.send", to: agent, body: "x" }, { key, as });
		const [first, second] = [await append(two.id, actingAgent(one.id)), await append(one.id, actingAgent(two.id))];
		expect(first.event).not.toBe(second.event);
		expect(await append(two.id, actingAgent(one.id))).toEqual(first);
		expect((await append(one.id, human)).event).toBeGreaterThan(second.event ?? 0);
	});

	test("receipts that no command brings along are kept: what was begun, and the words that were answered beside what was done", async () => {
		await using gated = await gatedStore(flavor);
		const { engine, store } = gated;
		const named = { actor: human, key: IdempotencyKey.parse(randomUUID()), fingerprint: "f", at: 1 };
		await store.keepReceipts([{ ...named, outcome: { begun: { step: "commit", head: null } } }], { durable: true });
		expect(await store.reads.receipt(human, named.key)).toMatchObject({
			fingerprint: "f",
			outcome: { begun: { step: "commit", head: null } },
		});
		const command = { type: "item.append" as const, agent: engine.agentZero.id, kind: "user", text: "x" };
		const receipt = { ...named, outcome: { subject: { event: 7 } }, answer: { words: "é\0 🎉" } };
		gated.open();
		expect(await engine.dispatch({ actor: human, key: null, command, receipt })).toMatchObject({ replayed: false });
		expect(await store.reads.receipt(human, named.key)).toMatchObject({
			outcome: { subject: { event: 7 } },
			answer: { words: "é\0 🎉" },
		});
		await store.keepReceipts([{ ...named, outcome: { subject: {} }, answer: ["other"] }], { durable: false });
		expect(await store.reads.receipt(human, named.key)).toMatchObject({
			outcome: { subject: { event: 7 } },
			answer: ["other"],
		});
		expect(await store.reads.receipt(system, named.key)).toBeUndefined();
	});

	test("receipts are forgotten when their time is over, not before", async () => {
		await using gated = await gatedStore(flavor);
		const { engine, store } = gated;
		const key = randomUUID();
		const command = { type: "item.append", agent: engine.agentZero.id, kind: "user", text: "x" };
		await done(engine, command, { key });
		const { at } = (await allEvents(engine)).at(-1) ?? { at: 0 };
		expect(await store.dropReceipts(at, 100)).toBe(0);
		expect(await say(engine, command, { key })).toMatchObject({ replayed: true });
		expect(await store.dropReceipts(at + 1, 100)).toBe(1);
		expect(await say(engine, command, { key })).toMatchObject({ replayed: false });
	});
});
