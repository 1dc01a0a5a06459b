// The loop as a whole, on the memory store: what comes in, what is refused, what is published, what comes back.

import { readFileSync } from "node:fs";
import { setImmediate as immediately } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { actingAgent, human, system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { commands as definitions } from "#engine/commands/table.ts";
import { Engine } from "#engine/engine.ts";
import { Dispatcher } from "#engine/loop/dispatch.ts";
import { Publisher } from "#engine/loop/publish.ts";
import { Tail } from "#engine/loop/tail.ts";
import { NodeSuspension } from "#engine/nodes/suspension.ts";
import { noLog } from "#engine/ports/log.ts";
import { StoreFault } from "#engine/ports/store.ts";
import { forkTimeoutMs } from "#engine/workspaces/forking.ts";
import { everyAgent } from "#test/support/every.ts";
import { FakeDriver } from "./support/fake-driver.ts";
import { done, openTurn, refused, type Speaker, say, spawn } from "./support/say.ts";

const asSpeaker = (speaker: Speaker): Speaker => speaker;
const start = (overrides: Partial<typeof limits> = {}) => {
	const all = { ...limits, ...overrides };
	return Engine.start({
		store: openMemory(batchRunner(all)),
		driver: null,
		limits: all,
		clock: systemClock,
		ids: randomIds,
	});
};

describe("what the contract does not know is refused before it reaches a decision", () => {
	test.each([
		["a text", "agent.spawn"],
		["a list", [{ type: "agent.init" }]],
		["an unknown type", { type: "agent.explode" }],
		["a field too many", { type: "project.add", slug: "web", path: "/srv", sudo: true }],
		["a field of another type", { type: "agent.pause", agent: 7 }],
		["a missing field", { type: "agent.spawn", context: "fresh" }],
		["a name that is an option", { type: "project.add", slug: "-x", path: "/srv" }],
		["a name that is a path", { type: "project.add", slug: "../x", path: "/srv" }],
		["a path that is not absolute", { type: "project.add", slug: "x", path: "srv" }],
		["a path with a NUL", { type: "project.add", slug: "x", path: "/srv\0" }],
		["a function in disguise", { type: "item.append", agent: "a".repeat(22), kind: "user", data: { run: () => 1 } }],
		[
			"a value that is too deep",
			{
				type: "item.append",
				agent: "a".repeat(22),
				kind: "user",
				data: JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`),
			},
		],
		[
			"a key that is not only a key",
			{ type: "item.append", agent: "a".repeat(22), kind: "user", data: JSON.parse('{"a":{"__proto__":1}}') },
		],
		["a pinned file elsewhere", { type: "agent.configure", agent: "a".repeat(22), pinned: ["../../etc/shadow"] }],
		["an item kind with a dot", { type: "item.append", agent: "a".repeat(22), kind: "agent.ended" }],
	])("%s", async (_, command) => {
		await using engine = await start();
		const outcome = await asSpeaker(engine).dispatch({ actor: system, key: null, command });
		expect(outcome).toMatchObject({ refused: { code: "VALIDATION_ERROR" } });
		expect(await everyAgent(engine.reads)).toHaveLength(1);
	});

	test.each([undefined, null])("%s", async (command) => {
		const store = openMemory(batchRunner(limits));
		const dispatcher = new Dispatcher({
			store,
			tail: new Tail({
				publisher: new Publisher(limits),
				reads: store.reads,
				notifications: null,
				clock: systemClock,
				log: noLog,
			}),
			suspension: new NodeSuspension(),
			limits,
			clock: systemClock,
			ids: randomIds,
		});
		expect(await asSpeaker(dispatcher).dispatch({ actor: system, key: null, command })).toMatchObject({
			refused: { code: "VALIDATION_ERROR" },
		});
		expect(await store.reads.lastEvent()).toBe(0);
	});
});

describe("limits", () => {
	test("an item of exactly the limit is taken, one byte more is TOO_LARGE", async () => {
		await using engine = await start({ textBytesMax: 1000 });
		const item = (text: string, data: unknown = null) => ({
			type: "item.append",
			agent: engine.agentZero.id,
			kind: "user",
			text,
			data,
		});
		await done(engine, item("x".repeat(1000)));
		await done(engine, item("é".repeat(500)));
		expect(await refused(engine, item("x".repeat(1001)))).toMatchObject({
			code: "TOO_LARGE",
			details: { bytes: 1001, limit: 1000 },
		});
		expect(await refused(engine, item(`x${"é".repeat(500)}`))).toMatchObject({
			code: "TOO_LARGE",
			details: { bytes: 1001 },
		});
		expect(await refused(engine, item("x".repeat(990), { a: "long" }))).toMatchObject({ code: "TOO_LARGE" });
	});
	test("more commands than may wait are QUEUE_FULL, and the waiting ones are not lost", async () => {
		await using engine = await start({ commandsWaitingMax: 10 });
		const outcomes = await Promise.all(
			Array.from({ length: 30 }, (_, at) =>
				say(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text: `${at}` }),
			),
		);
		expect(outcomes.filter((outcome) => "refused" in outcome && outcome.refused.code === "QUEUE_FULL")).toHaveLength(
			20,
		);
		expect((await engine.reads.events({ after: 0, limit: 100 })).filter((event) => event.kind === "user")).toHaveLength(
			10,
		);
	});
	test("a family has at most so many living descendants; agent 0 has no limit; the dead do not count", async () => {
		await using engine = await start({ descendantsMax: 3 });
		const top = await spawn(engine, engine.agentZero.id, { name: "top" });
		const child = await spawn(engine, top.id, { name: "child" });
		const grandchild = await spawn(engine, child.id, { name: "grandchild" });
		await spawn(engine, top.id);
		expect(await refused(engine, { type: "agent.spawn", parent: grandchild.id, context: "fresh" })).toMatchObject({
			code: "AGENT_LIMIT",
			message: "top already has 3 living descendants, which is the limit (limits.descendantsMax).",
			details: { agent: top.id, limit: 3 },
		});
		for (let at = 0; at < 5; at++) await spawn(engine, engine.agentZero.id);
		await done(engine, { type: "agent.kill", agent: grandchild.id });
		await spawn(engine, child.id);
	});
});

test("half of a surrogate pair is replaced before it is stored", async () => {
	await using engine = await start();
	const outcome = await say(engine, {
		type: "item.append",
		agent: engine.agentZero.id,
		kind: "user",
		text: "a\ud800b",
	});
	expect("done" in outcome && outcome.events[0]?.text).toBe("a\ufffdb");
	expect((await engine.reads.newestItem(engine.agentZero.id))?.text).toBe("a\ufffdb");
});

test("an engine that stops takes nothing more, answers what it took, and ends although callers keep coming", async () => {
	const engine = await start();
	let [answered, turnedAway] = [0, 0];
	const append = () => say(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text: "x" });
	const callers = Array.from({ length: 8 }, async () => {
		while (turnedAway < 8) {
			await append().then(
				() => answered++,
				() => turnedAway++,
			);
		}
	});
	await append();
	await engine[Symbol.asyncDispose]();
	await Promise.all(callers);
	await expect(append()).rejects.toThrow(/stopping/);
	expect(answered).toBeGreaterThan(0);
});

describe("the registry", () => {
	test("handles are never used twice in a project, also after death; elsewhere they are free", async () => {
		await using engine = await start();
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		const { id } = await spawn(engine, engine.agentZero.id, { name: "opus-1" });
		await done(engine, { type: "agent.kill", agent: id });
		expect(
			await refused(engine, { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", name: "opus-1" }),
		).toMatchObject({ code: "CONFLICT" });
		await spawn(engine, engine.agentZero.id, { name: "opus-1", project: "web" });
		expect(
			await refused(engine, {
				type: "agent.spawn",
				parent: engine.agentZero.id,
				context: "fresh",
				name: "init",
				project: "web",
			}),
		).toMatchObject({
			code: "CONFLICT",
		});
	});
	test("a child belongs to its parent's project and inherits type and model", async () => {
		await using engine = await start();
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		const parent = await spawn(engine, engine.agentZero.id, { project: "web", agentType: "claude", model: "opus" });
		const elsewhere = { type: "agent.spawn", parent: parent.id, context: "fresh", project: "other" };
		expect(await refused(engine, elsewhere)).toMatchObject({ code: "VALIDATION_ERROR" });
		expect(await spawn(engine, parent.id, {})).toMatchObject({
			project: "web",
			type: "claude",
			model: "opus",
			supervisor: parent.id,
		});
		expect(await spawn(engine, parent.id, { agentType: "codex", model: "gpt" })).toMatchObject({
			type: "codex",
			model: "gpt",
		});
		expect(
			await refused(engine, { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", project: "nowhere" }),
		).toMatchObject({ code: "NOT_FOUND" });
	});
	test("a project with living agents is not removed; afterwards its name can be added again", async () => {
		await using engine = await start();
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		expect(await refused(engine, { type: "project.add", slug: "web", path: "/other" })).toMatchObject({
			code: "CONFLICT",
		});
		const { id } = await spawn(engine, engine.agentZero.id, { project: "web" });
		expect(await refused(engine, { type: "project.remove", slug: "web" })).toMatchObject({
			code: "CONFLICT",
			details: { livingAgents: 1 },
		});
		await done(engine, { type: "agent.kill", agent: id });
		await done(engine, { type: "project.remove", slug: "web" });
		expect(await refused(engine, { type: "project.remove", slug: "web" })).toMatchObject({ code: "NOT_FOUND" });
		await done(engine, { type: "project.add", slug: "web", path: "/srv/new" });
	});
	test("an agent forks only itself; the child of a dead agent answers to the nearest living one", async () => {
		await using engine = await start();
		const top = await spawn(engine, engine.agentZero.id);
		const dead = await spawn(engine, top.id);
		await done(engine, { type: "agent.kill", agent: dead.id });
		expect(await spawn(engine, dead.id)).toMatchObject({ supervisor: top.id });
		const other = await spawn(engine, top.id);
		for (const { id } of [top, other]) await openTurn(engine, id);
		expect(
			await refused(engine, { type: "agent.spawn", parent: top.id, context: "fresh" }, { as: actingAgent(other.id) }),
		).toMatchObject({ code: "FORBIDDEN" });
		expect(
			await refused(engine, { type: "agent.spawn", parent: dead.id, context: "fresh" }, { as: actingAgent(dead.id) }),
		).toMatchObject({
			code: "TURN_NOT_OPEN",
		});
		expect(await spawn(engine, top.id, {}, { as: actingAgent(top.id) })).toMatchObject({
			createdBy: `agent:${top.id}`,
		});
	});
	test("agents may send only the commands for agents, and only the daemon its internal ones", async () => {
		await using engine = await start();
		const { id } = await spawn(engine, engine.agentZero.id);
		const commands = [
			{ type: "agent.init" },
			{ type: "agent.provision", agent: id },
			{ type: "agent.fail", agent: id, code: "INTERNAL_ERROR", step: "x", reason: "x" },
			{ type: "agent.pause", agent: id },
			{ type: "agent.resume", agent: id },
			{ type: "agent.recover", agent: id },
			{ type: "agent.reap", agent: id },
			{ type: "agent.configure", agent: id, model: "opus" },
			{ type: "item.append", agent: id, kind: "user" },
			{ type: "context.clear", agent: id },
			{ type: "context.mark", agent: id },
			{ type: "context.rewind", agent: id },
			{ type: "turn.start", agent: id },
			{ type: "turn.hand", agent: id, turn: 1 },
			{ type: "turn.append", agent: id, turn: 1, items: [{ kind: "user" }] },
			{ type: "turn.end", agent: id, turn: 1, state: "completed" },
			{ type: "turn.crash", agent: id, turn: 1 },
			{ type: "prompt.return", agent: id, turn: 1, reason: "x" },
			{ type: "turn.yield", agent: id, turn: 1 },
			{ type: "turn.settle", agent: id, turn: 1 },
			{ type: "git.record", runs: [{ folder: "/x", args: ["x"], exit: 0, durationMs: 1 }] },
			{ type: "workspace.drift", agent: id, reason: "x" },
			{ type: "workspace.confirm", agent: id },
			{ type: "workspace.crash", agent: id },
			{ type: "project.approve", slug: "x", fingerprint: "0".repeat(64) },
			{ type: "turn.markSilent", agent: id, turn: 1, since: 1 },
			{ type: "turn.markResponsive", agent: id, turn: 1 },
			{ type: "turn.retry", agent: id },
			{ type: "turn.finish", agent: id, message: "x" },
			{ type: "prompt.edit", agent: id, prompt: 1, text: "x" },
			{ type: "prompt.move", agent: id, prompt: 1, to: 1 },
			{ type: "prompt.cancel", agent: id },
			{ type: "approval.ask", agent: id, turn: 1, question: { title: "x", tool: "x", call: null, options: [] } },
			{ type: "approval.answer", agent: id, approval: 1, allow: true },
			{ type: "wait.look", wait: 1 },
			{ type: "agent.delete", agent: id },
			{ type: "mail.wake", agent: id },
			{ type: "project.add", slug: "x", path: "/x" },
			{ type: "project.remove", slug: "x" },
			{ type: "project.configure", slug: "x", auto: true },
			{ type: "issue.add", project: "x", title: "x" },
			{ type: "issue.edit", issueId: 1 },
			{ type: "issue.start", issueId: 1 },
			{ type: "issue.assign", issueId: 1, agent: id },
			{ type: "issue.unassign", issueId: 1 },
			{ type: "issue.move", issueId: 1, stage: "DONE" },
			{ type: "issue.depend", issueId: 1, on: 2 },
			{ type: "issue.undepend", issueId: 1, on: 2 },
			{ type: "issue.approve", issueId: 1 },
			{ type: "issue.reject", issueId: 1, reason: "x" },
			{ type: "issue.retry", issueId: 1 },
			{ type: "issue.delete", issueId: 1 },
			{ type: "issue.prepare", issueId: 1 },
			{ type: "issue.return", issueId: 1 },
			{ type: "issue.loseAgent", issueId: 1 },
			{ type: "issue.gate", issueId: 1, exit: 0, output: "" },
			{ type: "issue.merge", issueId: 1, commit: null },
			{ type: "run.finish", run: 1, ahead: 0, commit: null },
			{ type: "agent.checkLimit", agent: id },
			{
				type: "session.open",
				agent: id,
				turn: 1,
				note: null,
				opened: { sessionId: "x", type: "x", folder: "/", capabilities: [], programVersion: null, how: "new" },
			},
			{ type: "subscription.add", name: "x", agentType: "scripted" },
			{ type: "subscription.configure", name: "x" },
			{ type: "subscription.cool", name: "x", until: null },
			{ type: "subscription.remove", name: "x" },
			{ type: "person.add", name: "x", tokenHash: "0".repeat(64) },
			{ type: "person.configure", name: "x" },
			{ type: "person.remove", name: "x" },
			{ type: "agent.reportProcessesEnded", agent: id },
			{ type: "agent.upload", agent: id },
			{ type: "agent.trash", agent: id, node: "x", trash: null },
			{ type: "agent.move", agent: id, from: { node: "x", epoch: 1, turnEndedIn: null, snapshot: null } },
			{ type: "project.move", slug: "x", from: "x", path: "/srv" },
			{ type: "site.add", project: "x", node: "x", path: "/srv" },
			{ type: "site.remove", project: "x", node: "x" },
			{ type: "node.join", node: "x", name: "x", startId: "x", turnsMax: 1, types: [], version: "1", schema: 1 },
			{ type: "node.fall", node: "x", epoch: 1, beats: 0 },
			{ type: "node.equip", node: "x", types: [] },
			...["leave", "drain", "resume", "remove"].map((verb) => ({ type: `node.${verb}`, node: "x" })),
		];
		for (const command of commands)
			expect(await refused(engine, command, { as: actingAgent(id) }), command.type).toMatchObject({
				code: "FORBIDDEN",
			});
		for (const command of commands.slice(0, 3))
			expect(await refused(engine, command), command.type).toMatchObject({ code: "FORBIDDEN" });
		expect(Object.keys(definitions)).toHaveLength(commands.length + 18);
	});
});

describe("reactors", () => {
	test("an agent without a workspace is live from the start; one whose preparation failed is taken up again after recover", async () => {
		await using engine = await start();
		const { id, life } = await spawn(engine, engine.agentZero.id);
		expect(life).toBe("live");
		const events = await engine.reads.events({ after: 0, limit: 100, agent: id });
		expect(events.map((event) => event.kind)).toEqual(["agent.spawned", "agent.provisioned"]);
		await done(
			engine,
			{ type: "agent.fail", agent: id, code: "PATH_EXISTS", step: "worktree", reason: "there is a folder" },
			{ as: system },
		);
		expect(await refused(engine, { type: "agent.resume", agent: id })).toMatchObject({
			code: "AGENT_INVALID_STATE",
			suggestions: [expect.stringMatching(/^brood agent recover/)],
		});
		expect((await done(engine, { type: "agent.recover", agent: id })).agent).toMatchObject({ holds: [] });
	});
	test("reactors finish their work after the store was unreachable, full or interrupted by a crash", async () => {
		const memory = openMemory(batchRunner({ ...limits, commandsWaitingMax: 3 }));
		let away = 0;
		const commit: typeof memory.commit = async (batch) => {
			if (away > 0 && batch.some(({ command }) => command.type === "turn.start")) {
				away--;
				throw new StoreFault(away % 2 === 0 ? "full" : "unavailable", "come back later");
			}
			return await memory.commit(batch);
		};
		const store = { ...memory, commit, [Symbol.asyncDispose]: async () => {} };
		const parts = { store, limits: { ...limits, commandsWaitingMax: 3 }, clock: systemClock, ids: randomIds };
		// prompts that land while no reactor is there to see them
		const first = await Engine.start({ ...parts, driver: null });
		for (let at = 0; at < 12; at++) await spawn(first, first.agentZero.id, { prompt: "hello" });
		await first[Symbol.asyncDispose]();
		away = 4;
		const driver = new FakeDriver();
		await using _ = await Engine.start({ ...parts, driver });
		await expect.poll(() => driver.running.length, { timeout: 15_000 }).toBe(12);
		expect(away).toBe(0);
	});
});

test("a store that breaks makes the engine fail, and every waiting command hears of it", async () => {
	const broken = Promise.withResolvers<StoreFault>();
	const memory = openMemory(batchRunner(limits));
	let works = true;
	const fault = new StoreFault("broken", "the disk is gone");
	const store = {
		...memory,
		broken: broken.promise,
		commit: (batch: Parameters<typeof memory.commit>[0]) => (works ? memory.commit(batch) : Promise.reject(fault)),
	};
	await using engine = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds });
	works = false;
	broken.resolve(fault);
	await expect(done(engine, { type: "agent.pause", agent: engine.agentZero.id })).rejects.toBe(fault);
	expect(await engine.failed).toBe(fault);
});

test("an agent's fork of itself contains the tool call that asked for it, even if the call is recorded later", async () => {
	await using engine = await start();
	const { id: agent } = await spawn(engine, engine.agentZero.id);
	const turn = await openTurn(engine, agent);
	await done(engine, { type: "turn.hand", agent, turn }, { as: system });
	const request = { type: "agent.spawn", parent: agent, context: "inherit" } as const;
	const forking = engine.spawn({ actor: actingAgent(agent), key: null, command: request });
	const hear = async (item: object) =>
		await done(engine, { type: "turn.append", agent, turn, items: [item] }, { as: system });
	for (const text of ["hm", "hm", "I split up"]) await hear({ kind: "assistant", text });
	await hear({ kind: "tool_call", text: "fork", data: { call: "1" } });
	const outcome = await forking;
	const child = "done" in outcome ? outcome.done.agent?.id : undefined;
	const context = child && (await engine.queries.context(child));
	expect(
		context &&
			"items" in context &&
			context.items.map(({ kind, data }) => [kind, Reflect.get(Object(data), "synthetic")]),
	).toEqual([
		["user", undefined],
		...Array(3).fill(["assistant", undefined]),
		["tool_call", undefined],
		["fork", undefined],
		["tool_result", true],
	]);
});

describe("a person's fork of an agent with an open tool call", () => {
	const forkDuringCall = async (engine: Engine) => {
		const { id: agent } = await spawn(engine, engine.agentZero.id);
		const turn = await openTurn(engine, agent);
		await done(engine, { type: "turn.hand", agent, turn }, { as: system });
		const hear = async (item: object) =>
			await done(engine, { type: "turn.append", agent, turn, items: [item] }, { as: system });
		await hear({ kind: "tool_call", text: "build", data: { call: "1" } });
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const command = { type: "agent.spawn", parent: agent, context: "inherit" } as const;
		const forking = engine.spawn({ actor: human, key: null, command });
		const isOver = vi.fn();
		void forking.finally(isOver);
		while (vi.getTimerCount() === 0) await immediately();
		return { forking, isOver, hear };
	};

	test("is made when the call has ended, as long as the deadline has not passed", async () => {
		await using engine = await start();
		const { forking, isOver, hear } = await forkDuringCall(engine);
		await vi.advanceTimersByTimeAsync(forkTimeoutMs - 1);
		expect(isOver).not.toHaveBeenCalled();
		await hear({ kind: "tool_result", text: "built", data: { call: "1" } });
		expect(await forking).toHaveProperty("done.agent");
	});

	test("is refused when the deadline has passed, which is the one that the docs name", async () => {
		await using engine = await start();
		const { forking } = await forkDuringCall(engine);
		await vi.advanceTimersByTimeAsync(forkTimeoutMs);
		expect(await forking).toHaveProperty("refused.code", "FORK_BUSY");
		const names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
		const said = `a fork waits up to ${names[forkTimeoutMs / 1000]} seconds and is then refused`;
		expect(readFileSync("docs/user/fork.md", "utf8")).toContain(said);
	});
});
