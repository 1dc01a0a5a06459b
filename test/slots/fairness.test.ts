// Who starts next, through an engine: the order inside an agent, and between projects also after a restart.
import { expect, test } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentId } from "#contract/ids.ts";
import { limits as defaults } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { done, spawn } from "#test/support/say.ts";
import { settled } from "#test/support/settled.ts";

const limits = { ...defaults, turnsMax: 1 };

/** One place on the machine, and a clock that the test turns. */
function makeWorld() {
	const rows = openMemory(batchRunner(limits));
	const clock = { at: 1_000_000 };
	const start = async () => {
		const driver = new FakeDriver();
		const store = { ...rows, [Symbol.asyncDispose]: async () => {} };
		const engine = await Engine.start({ store, driver, limits, clock: { now: () => clock.at }, ids: randomIds });
		const end = async (agent: AgentId): Promise<void> => {
			driver.open(agent)?.end({ state: "completed", reason: null, text: "done" });
			await settled(engine);
		};
		return { engine, driver, end };
	};
	return { clock, start };
}

test("an agent's prompts run one after the other, in the order in which they came, whatever others have to do", async () => {
	const { engine, driver, end } = await makeWorld().start();
	const [a, b] = [await spawn(engine, engine.agentZero.id), await spawn(engine, engine.agentZero.id)];
	for (const text of ["1", "2", "3"])
		for (const { id } of [a, b]) await done(engine, { type: "prompt.queue", agent: id, text });
	await settled(engine);
	for (let open = driver.running[0]; open !== undefined; open = driver.running[0]) await end(open);
	const told = ({ id }: { id: AgentId }) => driver.started.filter(({ agent }) => agent === id).map(({ text }) => text);
	expect([told(a), told(b)]).toEqual([
		["1", "2", "3"],
		["1", "2", "3"],
	]);
	await engine[Symbol.asyncDispose]();
});

test("after a restart the project that was served last still comes last", async () => {
	const { clock, start } = makeWorld();
	const before = await start();
	for (const slug of ["web", "api"]) await done(before.engine, { type: "project.add", slug, path: `/srv/${slug}` });
	const add = async (project: string) =>
		await spawn(before.engine, before.engine.agentZero.id, { project, workspace: "none" });
	const [api, web] = [await add("api"), await add("web")];
	await settled(before.engine);
	for (const { id } of [web, api]) {
		clock.at += 1000;
		await done(before.engine, { type: "prompt.queue", agent: id, text: "first" });
		await settled(before.engine);
		await before.end(id);
	}
	for (const { id } of [api, web]) await done(before.engine, { type: "agent.pause", agent: id });
	for (const { id } of [api, web]) await done(before.engine, { type: "prompt.queue", agent: id, text: "second" });
	await before.engine[Symbol.asyncDispose]();

	const after = await start();
	// both at once, with something else on the only place, so that the scheduler has to choose
	const { id: other } = await spawn(after.engine, after.engine.agentZero.id);
	await done(after.engine, { type: "prompt.queue", agent: other, text: "in the way" });
	await settled(after.engine);
	for (const { id } of [api, web]) await done(after.engine, { type: "agent.resume", agent: id });
	await settled(after.engine);
	expect(after.driver.running).toEqual([other]);
	await after.end(other);
	expect(after.driver.running).toEqual([web.id]);
	await after.engine[Symbol.asyncDispose]();
});

test("a prompt starts in the commit that it is queued in while nobody waits, and never before somebody who does", async () => {
	const { engine, driver, end } = await makeWorld().start();
	const [a, b, c] = [
		await spawn(engine, engine.agentZero.id),
		await spawn(engine, engine.agentZero.id),
		await spawn(engine, engine.agentZero.id),
	];
	await settled(engine);
	using batches = engine.publisher.follow();
	await done(engine, { type: "prompt.queue", agent: a.id, text: "first" });
	expect((await batches.next())?.map(({ kind }) => kind)).toEqual(["prompt.queued", "turn.started"]);
	await done(engine, { type: "prompt.queue", agent: b.id, text: "second" });
	await settled(engine);
	const third = done(engine, { type: "prompt.queue", agent: c.id, text: "third" });
	driver.open(a.id)?.end({ state: "completed", reason: null, text: "done" });
	await third;
	await settled(engine);
	expect(driver.running).toEqual([b.id]);
	await end(b.id);
	expect(driver.started.map(({ text }) => text)).toEqual(["first", "second", "third"]);
	await engine[Symbol.asyncDispose]();
});
