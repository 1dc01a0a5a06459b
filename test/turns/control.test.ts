// Turns under control, on an engine whose driver does what the test says.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { actingAgent, human } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { RequestContext } from "#server/request-context.ts";
import { startEngine } from "#src/main.ts";
import { everyMail, everyTurn } from "#test/support/every.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { done, refused, spawn } from "#test/support/say.ts";
import { settled } from "#test/support/settled.ts";

let engine: Engine;
let driver: FakeDriver;
beforeEach(async () => {
	driver = new FakeDriver();
	engine = await startEngine({ memory: true }, { silentTurnMs: 50 }, { driver });
});
afterEach(async () => await engine[Symbol.asyncDispose]());

const add = async (request: object = {}): Promise<AgentState> => await spawn(engine, engine.agentZero.id, request);
const now = async ({ id }: AgentState): Promise<AgentState | undefined> => await engine.reads.agent(id);
const queue = async (agent: AgentState, text: string, more: object = {}) =>
	(await done(engine, { type: "prompt.queue", agent: agent.id, text, ...more })).event ?? 0;
const texts = async ({ id }: AgentState) => (await engine.reads.prompts(id)).map((prompt) => prompt.text);
const events = async ({ id }: AgentState, kind: string) =>
	await engine.reads.events({ after: 0, limit: 10_000, agent: id, kinds: [kind] });
const started = async (count: number) => await expect.poll(() => driver.started.length).toBe(count);
const end = ({ id }: AgentState, state: "completed" | "failed" = "completed") =>
	driver.open(id)?.end({ state, reason: null, text: "done" });
const shown = async ({ id }: AgentState) =>
	await new RequestContext(engine, { types: [], blockingTypes: [] }).agent(id);
const ended = async (agent: AgentState, count: number) => {
	await expect
		.poll(async () => (await everyTurn(engine.reads, agent.id)).filter((turn) => turn.state !== "open").length)
		.toBe(count);
	return (await everyTurn(engine.reads, agent.id)).map((turn) => turn.state);
};

describe("the queue", () => {
	test("what is put in front comes first and keeps its order, then the higher priority, then first in, first out", async () => {
		const agent = await add();
		await done(engine, { type: "agent.pause", agent: agent.id });
		for (const [text, more] of [
			["a", {}],
			["b", { priority: 5 }],
			["c", { front: true }],
			["d", {}],
			["e", { front: true }],
			["f", { priority: -1 }],
		] as const)
			await queue(agent, text, more);
		expect(await texts(agent)).toEqual(["c", "e", "b", "a", "d", "f"]);
		await done(engine, { type: "agent.resume", agent: agent.id });
		for (let turn = 1; turn <= 6; turn++) {
			await started(turn);
			end(agent);
			await ended(agent, turn);
		}
		expect(driver.started.map(({ text }) => text)).toEqual(["c", "e", "b", "a", "d", "f"]);
	});

	test("a prompt that is not due yet lets the others pass, and starts when its time has come", async () => {
		const agent = await add();
		await queue(agent, "later", { notBefore: engine.now() + 300, front: true });
		await queue(agent, "at once");
		await started(1);
		end(agent);
		await started(2);
		expect(driver.started.map(({ text }) => text)).toEqual(["at once", "later"]);
		expect(engine.now()).toBeGreaterThanOrEqual(
			(await events(agent, "prompt.queued"))[0]?.at ?? Number.POSITIVE_INFINITY,
		);
	});

	test("an edit keeps both texts, who and when; the new words are run", async () => {
		const agent = await add();
		await done(engine, { type: "agent.pause", agent: agent.id });
		const prompt = await queue(agent, "old words");
		await done(engine, { type: "prompt.edit", agent: agent.id, prompt, text: "new words" });
		expect(await engine.reads.prompts(agent.id)).toMatchObject([
			{ id: prompt, text: "new words", editedBy: human, createdBy: human, editedAt: expect.any(Number) },
		]);
		expect(await events(agent, "prompt.edited")).toMatchObject([
			{ text: "new words", data: { prompt, before: "old words" }, actor: human },
		]);
		const late = { type: "prompt.edit", agent: agent.id, prompt, text: "too late" } as const;
		expect(await refused(engine, { ...late, before: "old words" })).toMatchObject({ code: "CONFLICT" });
		await done(engine, { type: "agent.resume", agent: agent.id });
		await started(1);
		expect(driver.started[0]?.text).toBe("new words");
		expect(await refused(engine, late)).toMatchObject({ code: "NOT_FOUND" });
	});

	test("a prompt is moved anywhere and stays there; others are removed, or all of them", async () => {
		const agent = await add();
		await done(engine, { type: "agent.pause", agent: agent.id });
		const ids = new Map<string, number>();
		for (const [text, more] of [
			["a", {}],
			["b", {}],
			["c", { front: true }],
			["d", { priority: 9 }],
		] as const)
			ids.set(text, await queue(agent, text, more));
		const move = async (text: string, to: number) =>
			await done(engine, { type: "prompt.move", agent: agent.id, prompt: ids.get(text), to });
		expect(await texts(agent)).toEqual(["c", "d", "a", "b"]);
		await move("b", 1);
		expect(await texts(agent)).toEqual(["b", "c", "d", "a"]);
		await move("c", 4);
		expect(await texts(agent)).toEqual(["b", "d", "a", "c"]);
		await move("a", 2);
		expect(await texts(agent)).toEqual(["b", "a", "d", "c"]);
		await move("b", 99);
		expect(await texts(agent)).toEqual(["a", "d", "c", "b"]);
		await done(engine, { type: "prompt.cancel", agent: agent.id, prompt: ids.get("d") });
		expect(await texts(agent)).toEqual(["a", "c", "b"]);
		expect(await refused(engine, { type: "prompt.cancel", agent: agent.id, prompt: ids.get("d") })).toMatchObject({
			code: "NOT_FOUND",
		});
		await done(engine, { type: "prompt.cancel", agent: agent.id });
		expect(await texts(agent)).toEqual([]);
		expect(await events(agent, "prompt.cancelled")).toHaveLength(2);
	});

	test("it is open in every state but ended, and full is full", async () => {
		const agent = await add();
		await using small = await startEngine({ memory: true }, { queueLengthMax: 2 });
		const held = await spawn(small, small.agentZero.id);
		for (const text of ["a", "b"]) await done(small, { type: "prompt.queue", agent: held.id, text });
		expect(await refused(small, { type: "prompt.queue", agent: held.id, text: "c" })).toMatchObject({
			code: "QUEUE_FULL",
			suggestions: [`brood queue list ${held.handle}`],
		});
		await done(engine, { type: "agent.kill", agent: agent.id });
		for (const command of [
			{ type: "prompt.queue", text: "x" },
			{ type: "prompt.cancel" },
			{ type: "prompt.move", prompt: 1, to: 1 },
			{ type: "prompt.edit", prompt: 1, text: "x" },
		])
			expect(await refused(engine, { ...command, agent: agent.id })).toMatchObject({ code: "AGENT_INVALID_STATE" });
	});
});

describe("a manual turn", () => {
	test("runs exactly one turn under a hold and returns to it", async () => {
		const agent = await add();
		await done(engine, { type: "agent.pause", agent: agent.id, reason: "lunch" });
		await queue(agent, "waits");
		await queue(agent, "by hand", { now: true });
		await started(1);
		expect(await now(agent)).toMatchObject({ activity: "running", holds: [{ kind: "user" }] });
		end(agent);
		await ended(agent, 1);
		expect(await now(agent)).toMatchObject({ activity: "idle", holds: [{ kind: "user", reason: "lunch" }] });
		expect([driver.started.map(({ text }) => text), await texts(agent)]).toEqual([["by hand"], ["waits"]]);
	});

	test("is refused while a turn runs", async () => {
		const agent = await add({ prompt: "x" });
		await started(1);
		expect(await refused(engine, { type: "prompt.queue", agent: agent.id, text: "by hand", now: true })).toMatchObject({
			code: "AGENT_BUSY",
		});
	});
});

test("pausing during a turn takes effect at its end", async () => {
	const agent = await add({ prompt: "one" });
	await started(1);
	await queue(agent, "two");
	await done(engine, { type: "agent.pause", agent: agent.id });
	expect(await now(agent)).toMatchObject({ activity: "running" });
	end(agent);
	await ended(agent, 1);
	expect([driver.started.length, await texts(agent)]).toEqual([1, ["two"]]);
});

describe("a retry", () => {
	test("is a new prompt that names the old one, once", async () => {
		const agent = await add({ prompt: "try it" });
		await started(1);
		end(agent, "failed");
		expect(await ended(agent, 1)).toEqual(["failed"]);
		const [turn] = await everyTurn(engine.reads, agent.id);
		const { event } = await done(engine, { type: "turn.retry", agent: agent.id });
		await started(2);
		expect(driver.started.map(({ text }) => text)).toEqual(["try it", "try it"]);
		expect(await events(agent, "prompt.queued")).toMatchObject([
			{},
			{ id: event, data: { retries: { prompt: turn?.prompt, turn: turn?.id } } },
		]);
		expect(await refused(engine, { type: "turn.retry", agent: agent.id, turn: turn?.id })).toMatchObject({
			code: "CONFLICT",
		});
		end(agent);
		await ended(agent, 2);
		expect(await refused(engine, { type: "turn.retry", agent: agent.id })).toMatchObject({
			code: "CONFLICT",
			message: expect.stringMatching(/was completed/),
		});
	});
});

describe("an interrupt", () => {
	test("of a turn that is being stopped for urgent mail still holds the agent", async () => {
		const agent = await add({ prompt: "x" });
		await started(1);
		await done(engine, { type: "agent.interrupt", agent: agent.id, resume: true });
		await ended(agent, 1);
		expect((await now(agent))?.holds).toEqual([]);
		await queue(agent, "y");
		await started(2);
		const both = [
			done(engine, { type: "agent.interrupt", agent: agent.id, resume: true }),
			done(engine, { type: "agent.interrupt", agent: agent.id, reason: "stop" }),
		];
		await Promise.all(both);
		expect((await now(agent))?.holds).toMatchObject([{ kind: "interrupt", reason: "stop" }]);
	});
});

describe("urgent mail", () => {
	test("stops a turn between two tool calls, without a hold, and goes on with the mail before the queue", async () => {
		const agent = await add({ prompt: "long work" });
		await started(1);
		await queue(agent, "next in the queue");
		await driver.open(agent.id)?.watch.items([{ kind: "tool_call", text: "make", data: { call: "1" } }]);
		await done(engine, { type: "mail.send", to: agent.id, body: "stop that", urgent: true });
		expect(await events(agent, "turn.stopping")).toEqual([]);
		await driver.open(agent.id)?.watch.items([{ kind: "tool_result", text: "made", data: { call: "1" } }]);
		await started(2);
		expect(driver.started[1]?.text).toMatch(/stop that/);
		expect(await everyTurn(engine.reads, agent.id)).toMatchObject([
			{ state: "interrupted", reason: "urgent mail" },
			{ state: "open", source: "mail" },
		]);
		expect((await now(agent))?.holds).toEqual([]);
		end(agent);
		await started(3);
		expect(driver.started[2]?.text).toBe("next in the queue");
		expect(await everyMail(engine.reads, agent.id)).toMatchObject([{ urgent: true, state: "delivered" }]);
	});

	test.each([
		["its supervisor", true],
		["an agent below it", true],
		["a stranger of the same project", false],
	])("from %s interrupts: %s", async (who, interrupts) => {
		const above = await add({ prompt: "above" });
		const agent = await spawn(engine, above.id, { prompt: "work" });
		const below = await spawn(engine, agent.id, { prompt: "below" });
		const stranger = await add({ prompt: "beside" });
		await started(4);
		const from = who === "its supervisor" ? above : who === "an agent below it" ? below : stranger;
		await done(engine, { type: "mail.send", to: agent.id, body: "now!", urgent: true }, { as: actingAgent(from.id) });
		expect(await everyMail(engine.reads, agent.id)).toMatchObject([{ urgent: interrupts }]);
		if (interrupts) await expect.poll(async () => await events(agent, "turn.stopping")).toHaveLength(1);
		else {
			await settled(engine);
			expect(await events(agent, "turn.stopping")).toEqual([]);
			// it is read when the agent has time
			end(agent);
			await expect.poll(() => driver.started.at(-1)?.text).toMatch(/now!/);
		}
	});

	test("goes before the queue of an idle agent; mail that is not urgent does not stop anything", async () => {
		const agent = await add();
		await done(engine, { type: "agent.pause", agent: agent.id });
		await queue(agent, "in the queue");
		await done(engine, { type: "mail.send", to: agent.id, body: "first this", urgent: true });
		expect((await engine.reads.prompts(agent.id)).map((prompt) => prompt.source)).toEqual(["mail", "queue"]);
		await done(engine, { type: "agent.resume", agent: agent.id });
		await started(1);
		await done(engine, { type: "mail.send", to: agent.id, body: "whenever" });
		expect(await events(agent, "turn.stopping")).toEqual([]);
	});
});

describe("an approval", () => {
	const question = {
		title: "rm -r build",
		tool: "execute",
		call: "1",
		options: [
			{ id: "ok", name: "OK", kind: "allow_once" as const },
			{ id: "no", name: "No", kind: "reject_once" as const },
		],
	};
	const asked = async (agent: AgentState) => {
		await started(driver.started.length || 1);
		const answer = driver.open(agent.id)?.watch.ask(question);
		await expect.poll(async () => (await engine.reads.pendingApprovals(agent.id)).length).toBe(1);
		return { answer, approval: (await engine.reads.pendingApprovals(agent.id))[0]?.id };
	};

	test("waits for one answer, whoever gives it, and the turn says that it waits", async () => {
		const agent = await add({ prompt: "x" });
		const { answer, approval } = await asked(agent);
		expect(await shown(agent)).toMatchObject({ turn: { phase: "approval" } });
		await done(engine, { type: "approval.answer", agent: agent.id, approval, allow: true });
		expect((await answer)?.option).toBe("ok");
		expect(await refused(engine, { type: "approval.answer", agent: agent.id, approval, allow: false })).toMatchObject({
			code: "CONFLICT",
		});
		expect(await engine.reads.approval(approval ?? 0)).toMatchObject({
			state: "allowed",
			answeredBy: human,
			option: "ok",
		});
	});

	test("of two answers at once one is given and one is refused", async () => {
		const agent = await add({ prompt: "x" });
		const { answer, approval } = await asked(agent);
		const both = await Promise.allSettled(
			[true, false].map((allow) => done(engine, { type: "approval.answer", agent: agent.id, approval, allow })),
		);
		expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
		expect(["ok", "no"]).toContain((await answer)?.option);
	});

	test.each(["agent.interrupt", "agent.kill"])("is cancelled by %s", async (type) => {
		const agent = await add({ prompt: "x" });
		const { answer, approval } = await asked(agent);
		await done(engine, { type, agent: agent.id });
		expect(await answer).toBeNull();
		expect(await engine.reads.approval(approval ?? 0)).toMatchObject({ state: "cancelled", answeredBy: null });
		expect(await refused(engine, { type: "approval.answer", agent: agent.id, approval, allow: true })).toMatchObject({
			code: "CONFLICT",
		});
	});

	test("is not needed under the policy full, nor for what was allowed for good; a fork inherits the policy", async () => {
		const agent = await add({ prompt: "x", policy: "full" });
		await started(1);
		expect(await driver.open(agent.id)?.watch.ask(question)).toMatchObject({ option: "ok" });
		expect(await spawn(engine, agent.id)).toMatchObject({ policy: "full" });
		const careful = await add({ prompt: "y" });
		await started(2);
		const { answer, approval } = await asked(careful);
		await done(engine, { type: "approval.answer", agent: careful.id, approval, allow: true, always: true });
		expect([await answer, await driver.open(careful.id)?.watch.ask(question)]).toMatchObject([
			{ option: "ok" },
			{ option: "ok" },
		]);
	});
});

describe("a wait", () => {
	const open = async (targets: AgentState[], more: object = {}, as = human) =>
		(await done(engine, { type: "wait.open", targets: targets.map(({ id }) => id), ...more }, { as })).event ?? 0;
	const over = async (id: number) => {
		await expect.poll(async () => (await engine.reads.wait(id))?.state).not.toBe("open");
		return (await engine.reads.wait(id))?.state;
	};

	test("is over when the turn is, and at once for whoever is idle or has ended", async () => {
		const [idle, busy] = [await add(), await add({ prompt: "x" })];
		await started(1);
		expect(await over(await open([idle]))).toBe("met");
		const both = await open([idle, busy]);
		const any = await open([idle, busy], { mode: "any" });
		expect([await over(any), (await engine.reads.wait(both))?.state]).toEqual(["met", "open"]);
		const turn = await open([busy], { for: "turn" });
		end(busy);
		expect([await over(both), await over(turn)]).toEqual(["met", "met"]);
		const ending = await open([idle], { for: "ended" });
		await done(engine, { type: "agent.kill", agent: idle.id });
		expect(await over(ending)).toBe("met");
		expect(await over(await open([idle], { for: "turn" }))).toBe("met");
	});

	test("of an agent shows as its phase, times out with an item, and ends with an interrupt of the whole turn", async () => {
		const [waiter, busy] = [await add({ prompt: "w" }), await add({ prompt: "x" })];
		await started(2);
		const short = await open([busy], { timeoutMs: 50 }, actingAgent(waiter.id));
		expect(await shown(waiter)).toMatchObject({ turn: { phase: "wait" } });
		expect(await over(short)).toBe("timeout");
		expect(await events(waiter, "timeout")).toMatchObject([
			{ turn: (await now(waiter))?.turn?.id, data: { wait: short } },
		]);
		const long = await open([busy], {}, actingAgent(waiter.id));
		expect(
			await refused(engine, { type: "wait.open", targets: [waiter.id] }, { as: actingAgent(busy.id) }),
		).toMatchObject({ code: "WAIT_CYCLE" });
		await done(engine, { type: "agent.interrupt", agent: waiter.id });
		expect([await over(long), (await everyTurn(engine.reads, waiter.id)).map((turn) => turn.state)]).toEqual([
			"cancelled",
			["interrupted"],
		]);
	});

	test("that does not block survives the turn and goes on with a prompt", async () => {
		const [waiter, busy] = [await add({ prompt: "w" }), await add({ prompt: "x" })];
		await started(2);
		const wait = await open([busy], { blocking: false }, actingAgent(waiter.id));
		end(waiter);
		await ended(waiter, 1);
		expect((await engine.reads.wait(wait))?.state).toBe("open");
		const other = await open([waiter]);
		end(busy);
		await started(3);
		expect(driver.started[2]).toMatchObject({
			agent: waiter.id,
			text: expect.stringMatching(/What you waited for has happened/),
		});
		expect((await engine.reads.wait(other))?.state).toBe("open");
		end(waiter);
		expect(await over(other)).toBe("met");
	});
});

test("a turn without output is shown as silent until it has output again, and is not ended", async () => {
	const agent = await add({ prompt: "x" });
	await started(1);
	await expect.poll(async () => (await now(agent))?.turn?.silentSince ?? null).not.toBeNull();
	expect((await now(agent))?.activity).toBe("running");
	await driver.open(agent.id)?.watch.items([{ kind: "assistant", text: "here I am", data: null }]);
	await expect.poll(async () => (await events(agent, "turn.responsive")).length).toBe(1);
	expect(await events(agent, "turn.silent")).toHaveLength(1);
});

describe("delete", () => {
	test("is refused while a turn runs or prompts wait, and says who did it and why", async () => {
		const agent = await add({ prompt: "x" });
		await started(1);
		expect(await refused(engine, { type: "agent.delete", agent: agent.id })).toMatchObject({
			code: "AGENT_INVALID_STATE",
			details: { from: "running", to: "deleted" },
			suggestions: [`brood agent interrupt ${agent.handle}`],
		});
		await done(engine, { type: "agent.pause", agent: agent.id });
		await queue(agent, "waits");
		end(agent);
		await ended(agent, 1);
		expect(await refused(engine, { type: "agent.delete", agent: agent.id })).toMatchObject({
			code: "CONFLICT",
			suggestions: [`brood queue list ${agent.handle}`],
		});
		await done(engine, { type: "agent.delete", agent: agent.id, force: true, reason: "no longer needed" });
		expect(await now(agent)).toMatchObject({
			life: "ended",
			endReason: "deleted",
			endNote: "no longer needed",
			endedBy: human,
			workspaceRemovedAt: expect.any(Number),
		});
		expect(await texts(agent)).toEqual([]);
	});
});

test("every event names the command that it came from, also where the daemon acted by itself", async () => {
	const agent = await add();
	await queue(agent, "work");
	await started(1);
	end(agent);
	await ended(agent, 1);
	const journal = await engine.reads.events({ after: 0, limit: 10_000 });
	expect(journal.filter(({ actor }) => actor === "system").length).toBeGreaterThan(5);
	expect(journal.filter(({ command }) => command === null)).toEqual([]);
	const together = (kind: string) => journal.find((event) => event.kind === kind)?.command;
	expect(together("final")).toBe(together("turn.ended"));
	expect(together("turn.started")).not.toBe(together("turn.ended"));
});

test("whoever says why finds it in the journal; whoever does not leaves nothing there", async () => {
	const agent = await add();
	const { id } = agent;
	await done(engine, { type: "agent.pause", agent: id, reason: "lunch" });
	const prompt = await queue(agent, "first words");
	await done(engine, { type: "prompt.edit", agent: id, prompt, text: "better words", reason: "a typo" });
	await done(engine, { type: "prompt.cancel", agent: id, prompt, reason: "no longer needed" });
	await done(engine, { type: "agent.resume", agent: id, reason: "lunch is over" });
	await queue(agent, "ask");
	await started(1);
	const answer = driver.open(id)?.watch.ask({
		title: "May I?",
		tool: "other",
		call: null,
		options: [{ id: "no", name: "No", kind: "reject_once" }],
	});
	await expect.poll(async () => (await engine.reads.pendingApprovals(id)).length).toBe(1);
	const [asked] = await engine.reads.pendingApprovals(id);
	await done(engine, { type: "approval.answer", agent: id, approval: asked?.id, allow: false, reason: "too risky" });
	expect((await answer)?.option).toBe("no");
	await done(engine, { type: "agent.pause", agent: id });
	await done(engine, { type: "agent.resume", agent: id });
	const said = async (kind: string) =>
		(await events(agent, kind)).map(({ data }): unknown => Reflect.get(Object(data), "reason"));
	expect(await said("prompt.edited")).toEqual(["a typo"]);
	expect(await said("prompt.cancelled")).toEqual(["no longer needed"]);
	expect(await said("approval.answered")).toEqual(["too risky"]);
	expect(await said("agent.unheld")).toEqual(["lunch is over", undefined]);
	end(agent);
	await ended(agent, 1);
});
