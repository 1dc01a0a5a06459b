// What the model of a running turn sees cannot be changed any more.
import { expect, test } from "vitest";
import { startEngine } from "#src/main.ts";
import { everyTurn } from "#test/support/every.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { done, refused, spawn } from "#test/support/say.ts";

test("a context is cleared and rewound between turns, never during one", async () => {
	const driver = new FakeDriver();
	await using engine = await startEngine({ memory: true }, {}, { driver });
	const agent = await spawn(engine, engine.agentZero.id, {});
	await done(engine, { type: "context.mark", agent: agent.id, name: "start" });
	await done(engine, { type: "prompt.queue", agent: agent.id, text: "work" });
	await expect.poll(() => driver.started.length).toBe(1);
	for (const command of [{ type: "context.clear" }, { type: "context.rewind", name: "start" }])
		expect(await refused(engine, { ...command, agent: agent.id })).toMatchObject({
			code: "AGENT_BUSY",
			suggestions: [`brood wait ${agent.handle}`],
		});
	await done(engine, { type: "context.mark", agent: agent.id, name: "in between" });
	driver.open(agent.id)?.end({ state: "completed", reason: null, text: "done" });
	await expect.poll(async () => (await everyTurn(engine.reads, agent.id))[0]?.state).toBe("completed");
	await done(engine, { type: "context.rewind", agent: agent.id, name: "start" });
	await done(engine, { type: "context.clear", agent: agent.id });
	expect(await engine.queries.context(agent.id)).toEqual({ items: [] });
});
