// What a request reads does not grow with what there is beside it.
import { expect, test, vi } from "vitest";
import { human, system } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Reads } from "#engine/ports/store.ts";
import { queueHandlers } from "#server/handlers/queue.ts";
import { turnHandlers } from "#server/handlers/turns.ts";
import { RequestContext } from "#server/request-context.ts";
import { startEngine } from "#src/main.ts";
import { done, openTurn, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const asked = { query: {}, body: {}, actor: human, key: null, earlier: null };

test("queueing a prompt does not read the queue, and says its place in it", async () => {
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
	expect(new Set(questions)).toEqual(new Set(["prompt", "placeInQueue"]));
	// control: whoever wants to see the queue reads it
	expect(await handlers.queue({ ...asked, params: { agent } })).toHaveLength(5);
	expect(questions.at(-1)).toBe("prompts");
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
