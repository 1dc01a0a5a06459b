// What a request reads does not grow with what there is beside it.
import { expect, test, vi } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { human, system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { isRefusal } from "#contract/refusal.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import type { Reads, Tx } from "#engine/ports/store.ts";
import { queueHandlers } from "#server/handlers/queue.ts";
import { turnHandlers } from "#server/handlers/turns.ts";
import { RequestContext } from "#server/request-context.ts";
import { startEngine } from "#src/main.ts";
import { done, openTurn, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const asked = {
	...{ query: {}, body: {}, page: { after: 0, limit: 100 }, key: null, earlier: null, browser: null },
	...{ actor: human, role: "admin" as const },
};

test("queueing a prompt answers its position without reading the whole queue", async () => {
	await using engine = await startEngine({ home: freshFolder() });
	const { id: agent } = await spawn(engine, engine.agentZero.id);
	await done(engine, { type: "agent.pause", agent });
	const context = new RequestContext(engine, { types: [], blockingTypes: [] });
	const questions: string[] = [];
	const get = (reads: Reads, name: string | symbol): unknown => {
		questions.push(String(name));
		return Reflect.get(reads, name);
	};
	vi.spyOn(context, "reads", "get").mockReturnValue(new Proxy(engine.reads, { get }));
	const handlers = queueHandlers(context);
	const queue = async (text: string, more: object = {}) => {
		const prompt = await handlers.prompt({
			...asked,
			params: { agent },
			body: { text, now: false, front: false, priority: 0, ...more },
		});
		return isRefusal(prompt) ? prompt : prompt.position;
	};
	expect([
		await queue("a"),
		await queue("b"),
		await queue("urgent", { priority: 2 }),
		await queue("front", { front: true }),
		await queue("c"),
	]).toEqual([1, 2, 1, 1, 5]);
	expect(new Set(questions)).toEqual(new Set(["prompt", "queuePosition"]));
	// control: listing the queue reads it
	expect(await handlers.queue({ ...asked, params: { agent } })).toMatchObject({ data: { length: 5 }, next: null });
	expect(questions.at(-1)).toBe("listPrompts");
});

test("what happens to an agent with a long queue and much mail reads neither of them whole", async () => {
	let rows = 0;
	const counted = async (answer: Promise<unknown>): Promise<unknown> => {
		const value = await answer;
		if (Array.isArray(value)) rows += value.length;
		return value;
	};
	const counting = (tx: Tx): Tx =>
		new Proxy(tx, {
			get(target, name) {
				const member: unknown = Reflect.get(target, name);
				return typeof member === "function" && name !== "append"
					? (...args: unknown[]) => counted(Reflect.apply(member, target, args))
					: member;
			},
		});
	const run = batchRunner(limits);
	const store = openMemory((tx, batch) => run(counting(tx), batch));
	await using engine = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds });
	const { id: agent } = await spawn(engine, engine.agentZero.id);
	const { id: other } = await spawn(engine, engine.agentZero.id);
	for (let at = 0; at < 200; at++) await done(engine, { type: "mail.send", to: agent, body: `mail ${at}` });
	await done(engine, { type: "mail.read", agent });
	for (let at = 0; at < 200; at++) await done(engine, { type: "prompt.queue", agent, text: `prompt ${at}` });
	const read = async (command: object, as = human): Promise<number> => {
		const before = rows;
		await done(engine, command, { as });
		return rows - before;
	};
	const started = await read({ type: "turn.start", agent }, system);
	const turn = (await engine.reads.agent(agent))?.turn?.id;
	const found = {
		started,
		yielded: await read({ type: "turn.yield", agent, turn }, system),
		ended: await read({ type: "turn.end", agent, turn, state: "completed" }, system),
		queued: await read({ type: "prompt.queue", agent, text: "one more" }),
		sent: await read({ type: "mail.send", to: agent, body: "one more" }),
		woken: await read({ type: "mail.wake", agent }, system),
		waited: await read({ type: "wait.open", targets: [agent, other], for: "idle", mode: "all", blocking: false }),
	};
	for (const [name, count] of Object.entries(found)) expect([name, count < 20]).toEqual([name, true]);
	// the control: emptying the queue reads it
	expect(await read({ type: "prompt.cancel", agent })).toBeGreaterThan(190);
});

test("a turn is read in pages, up to its end and no further", async () => {
	await using engine = await startEngine({ memory: true });
	const { id: agent } = await spawn(engine, engine.agentZero.id);
	const turn = await openTurn(engine, agent);
	const items = Array.from({ length: 250 }, (_, at) => ({ kind: "assistant", text: `said ${at}` }));
	for (let round = 0; round < 3; round++)
		await done(engine, { type: "turn.append", agent, turn, items }, { as: system });
	await done(engine, { type: "turn.end", agent, turn, state: "completed", text: "done" }, { as: system });
	for (let at = 0; at < 20; at++)
		await done(engine, { type: "item.append", agent, kind: "system", text: `later ${at}` }, { as: system });
	const read = vi.spyOn(engine.reads, "events");
	const handlers = turnHandlers(new RequestContext(engine, { types: [], blockingTypes: [] }));
	const shown = await handlers.turn({ ...asked, params: { agent, turn: "last" } });
	expect(isRefusal(shown) ? shown : shown.items.filter(({ kind }) => kind === "assistant").length).toBe(750);
	expect(isRefusal(shown) ? shown : shown.items.at(-1)).toMatchObject({ kind: "final", text: "done" });
	expect(read.mock.calls.map(([{ limit }]) => limit)).toEqual([500, 500]);
	const pages = await Promise.all(read.mock.results.map(({ value }) => value));
	expect(pages.flat().filter(({ text }) => text?.startsWith("later"))).toEqual([]);
});
