// Real processes: our own agents and badly behaved ones, driven by a whole daemon.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, actingAgent } from "#contract/ids.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { everyMail, everyTurn } from "#test/support/every.ts";
import { available, insiders, processesOf } from "#test/support/processes.ts";
import { testProgram } from "#test/support/programs.ts";
import { done, refused, say, spawn } from "#test/support/say.ts";
import { marked, shapes } from "#test/support/shapes.ts";
import { freshFolder } from "#test/support/stores.ts";

let home: string;
let daemon: Daemon;
const bad = (how: string) => ({
	command: process.execPath,
	args: [testProgram("bad-agent"), how],
	leavesNothing: false,
});
const programs = Object.fromEntries(
	["garbage", "closes", "silent", "flood", "exits", "slow-to-go", "leaves", "stubborn"].map((how) => [how, bad(how)]),
);

beforeEach(async () => {
	home = freshFolder();
	daemon = await startDaemon({ home, programs });
});
afterEach(async () => {
	await daemon[Symbol.asyncDispose]();
	expect(ofThisHome()).toEqual([]);
});

const ofThisHome = (): number[] => processesOf(home);
/** Without what is around the agents. */
const inside = (): number[] => insiders(home, daemon.containment);
const offered = available[0] === "groups" ? marked : shapes;

const add = (request: object = {}): Promise<AgentState> => spawn(daemon.engine, daemon.engine.agentZero.id, request);
const ask = (agent: AgentState, text: string, more: object = {}) =>
	done(daemon.engine, { type: "prompt.queue", agent: agent.id, text, ...more });
const turns = (agent: AgentState) => everyTurn(daemon.engine.reads, agent.id);
const items = async (agent: AgentState) => {
	const events = await daemon.engine.reads.events({ after: 0, limit: 100_000, agent: agent.id });
	return events.filter((event) => !event.kind.includes("."));
};
const ended = async (agent: AgentState, count: number) => {
	await expect
		.poll(async () => (await turns(agent)).filter((turn) => turn.state !== "open").length, { timeout: 20_000 })
		.toBe(count);
	return (await turns(agent)).map((turn) => turn.state);
};
/** Its process has the prompt of its nth turn. */
const underway = async (agent: AgentState, count = 1) =>
	await expect
		.poll(async () => (await turns(agent)).filter((turn) => turn.handedAt !== null).length, { timeout: 20_000 })
		.toBe(count);
const running = async (agent: AgentState) =>
	await expect
		.poll(async () => (await items(agent)).some((item) => item.kind === "tool_call"), { timeout: 20_000 })
		.toBe(true);

describe("scripted", () => {
	test("does what each line says, in order, as items of one turn", async () => {
		const agent = await add({
			prompt: "say hello\nrun echo out; echo err >&2\nwrite notes/a.txt some words\ncommit something\nplain words",
		});
		expect(await ended(agent, 1)).toEqual(["completed"]);
		const all = await items(agent);
		expect(all.map((item) => [item.kind, item.text])).toEqual([
			["user", "say hello\nrun echo out; echo err >&2\nwrite notes/a.txt some words\ncommit something\nplain words"],
			["assistant", "hello"],
			["tool_call", "echo out; echo err >&2"],
			["tool_result", "out\nerr\n"],
			["tool_call", "write notes/a.txt"],
			["tool_result", "wrote notes/a.txt"],
			["tool_call", "commit"],
			["tool_result", `VALIDATION_ERROR: ${agent.handle} has no workspace.`],
			["assistant", "plain words"],
			["final", "plain words"],
		]);
		const [turn] = await turns(agent);
		expect(all.every((item) => item.turn === turn?.id)).toBe(true);
		expect(turn).toMatchObject({ state: "completed", finalItem: all.at(-1)?.id, reason: null });
		expect(readFileSync(path.join(home, "agent-folders/_", agent.handle, "notes/a.txt"), "utf8")).toBe("some words\n");
	});

	test("fails, crashes, and goes on with the next prompt in a new process", async () => {
		const agent = await add({ prompt: "fail because I was told to" });
		await ask(agent, "crash");
		await ask(agent, "say still here");
		expect(await ended(agent, 3)).toEqual(["failed", "failed", "completed"]);
		expect((await turns(agent)).map((turn) => turn.reason)).toEqual([
			"because I was told to",
			expect.stringMatching(/ended|closed|exited/),
			null,
		]);
	});

	test("keeps its process warm between turns, and writes nowhere but into its folder", async () => {
		const since = "run cut -d' ' -f22 /proc/$PPID/stat";
		const agent = await add({ prompt: since });
		await ask(agent, since);
		await ask(agent, "write ../../escape.txt x");
		await ended(agent, 3);
		const results = (await items(agent)).filter((item) => item.kind === "tool_result").map((item) => item.text);
		expect(results[0]).toBe(results[1]);
		expect(results[2]).toMatch(/is not in this folder/);
	});

	test("forks and sends with its token: the sender is who it is, and mail wakes its recipient once", async () => {
		const other = await add({ name: "other" });
		const agent = await add({
			name: "sender",
			prompt: "fork say I am the child\nsend other hi\\nthere\nsend nobody x",
		});
		await ended(agent, 1);
		await ended(other, 1);
		const [child] = await daemon.engine.reads.children(agent.id);
		expect(child).toMatchObject({ supervisor: agent.id, createdBy: actingAgent(agent.id), lineage: null });
		const [mail] = await everyMail(daemon.engine.reads, other.id);
		expect(mail).toMatchObject({
			from: actingAgent(agent.id),
			to: other.id,
			body: "hi\\nthere",
			state: "delivered",
			deliveredIn: (await turns(other))[0]?.id,
		});
		expect((await items(other))[0]?.text).toBe(
			`[mail ${mail?.id} from agent:${agent.id}]\n| hi\\nthere\n[end of mail ${mail?.id}]`,
		);
		expect((await items(agent)).at(-2)?.text).toMatch(/AGENT_NOT_FOUND/);
	});
});

test("shell runs the prompt as a command", async () => {
	const agent = await add({ agentType: "shell", prompt: "echo one\necho two" });
	await ask(agent, "exit 3");
	expect(await ended(agent, 2)).toEqual(["completed", "failed"]);
	expect((await items(agent)).filter((item) => item.kind === "tool_result").map((item) => item.text)).toEqual([
		"one\ntwo\n",
		"[exit 3]",
	]);
});

describe("the queue", () => {
	test("is first in, first out, one turn at a time; what is put in front keeps its order; a pause stops it", async () => {
		const agent = await add({ prompt: "say 0" });
		await done(daemon.engine, { type: "agent.pause", agent: agent.id });
		for (const text of ["say 1", "say 2"]) await ask(agent, text);
		for (const text of ["say a", "say b", "say c"]) await ask(agent, text, { front: true });
		await done(daemon.engine, { type: "agent.resume", agent: agent.id });
		await ended(agent, 6);
		const said = (await items(agent)).filter((item) => item.kind === "assistant").map((item) => item.text);
		expect(said.filter((text) => text !== "0")).toEqual(["a", "b", "c", "1", "2"]);
		const spans = (await turns(agent)).map((turn) => [turn.startedAt, turn.endedAt ?? 0]);
		for (const [at, [start]] of spans.entries())
			if (at > 0) expect(start).toBeGreaterThanOrEqual(spans[at - 1]?.[1] ?? 0);
	});

	test("refuses prompts for the dead and prompts that are too long", async () => {
		const agent = await add();
		expect(
			await refused(daemon.engine, { type: "prompt.queue", agent: agent.id, text: "x".repeat(10 * 1024 * 1024) }),
		).toMatchObject({ code: "TOO_LARGE" });
		await done(daemon.engine, { type: "agent.kill", agent: agent.id });
		expect(await refused(daemon.engine, { type: "prompt.queue", agent: agent.id, text: "x" })).toMatchObject({
			code: "AGENT_INVALID_STATE",
		});
	});
});

describe("a fork during a turn", () => {
	test("asked by a person waits until no tool call is open", async () => {
		const agent = await add({ prompt: "run sleep 0.7; echo done\nsay after\nsleep 3000" });
		await running(agent);
		const child = await spawn(daemon.engine, agent.id, { context: "inherit" });
		const context = await daemon.engine.queries.context(child.id);
		const kinds = "items" in context ? context.items.map((item) => item.kind) : [];
		expect(kinds.slice(0, 3)).toEqual(["user", "tool_call", "tool_result"]);
		expect((await turns(agent)).at(-1)?.state).toBe("open");
	});

	test("asked by the agent itself never waits, and the child gets a result for each open call", async () => {
		const agent = await add({ prompt: "run sleep 2" });
		await running(agent);
		const { agent: child } = await done(
			daemon.engine,
			{ type: "agent.spawn", parent: agent.id, context: "inherit" },
			{ as: actingAgent(agent.id) },
		);
		const context = await daemon.engine.queries.context(child?.id ?? agent.id);
		expect("items" in context && context.items.map((item) => [item.kind, item.agent === child?.id])).toEqual([
			["user", false],
			["tool_call", false],
			["fork", true],
			["tool_result", true],
		]);
		await ended(agent, 1);
		expect((await items(agent)).filter((item) => item.kind === "tool_result")).toMatchObject([
			{ data: { status: "completed" } },
		]);
	});
});

describe("interrupt", () => {
	test.each(Object.entries(offered))("leaves nothing of a %s but the agent's own process", async (_, prompt) => {
		const agent = await add({ prompt });
		await running(agent);
		await expect.poll(() => inside().length).toBeGreaterThan(1);
		await done(daemon.engine, { type: "agent.interrupt", agent: agent.id, reason: "enough" });
		expect(inside().length).toBeLessThanOrEqual(1);
		expect(await turns(agent)).toMatchObject([{ state: "interrupted", reason: "interrupted" }]);
		expect((await items(agent)).find((item) => item.kind === "interrupt")).toMatchObject({
			text: "enough",
			turn: (await turns(agent))[0]?.id,
		});
		expect(await daemon.engine.reads.agent(agent.id)).toMatchObject({
			activity: "idle",
			holds: [{ kind: "interrupt", reason: "enough" }],
		});
	});

	test("holds the queue until resume; with resume the next prompt follows at once; with nothing running it says so", async () => {
		const agent = await add({ prompt: "sleep 60000" });
		await ask(agent, "sleep 60000");
		await ask(agent, "say last");
		await underway(agent);
		await done(daemon.engine, { type: "agent.interrupt", agent: agent.id, resume: true });
		await underway(agent, 2);
		await done(daemon.engine, { type: "agent.interrupt", agent: agent.id });
		expect((await turns(agent)).map((turn) => turn.state)).toEqual(["interrupted", "interrupted"]);
		expect(await refused(daemon.engine, { type: "agent.interrupt", agent: agent.id })).toMatchObject({
			code: "NOT_RUNNING",
		});
		await done(daemon.engine, { type: "agent.resume", agent: agent.id });
		expect(await ended(agent, 3)).toEqual(["interrupted", "interrupted", "completed"]);
	});

	test("ends a process that does not listen, and the next turn gets a new one", async () => {
		const agent = await add({ agentType: "silent", prompt: "hello" });
		await expect
			.poll(() => existsSync(path.join(home, "agent-folders/_", agent.handle, "prompted")), { timeout: 20_000 })
			.toBe(true);
		const [before] = ofThisHome();
		await done(daemon.engine, { type: "agent.interrupt", agent: agent.id });
		expect(ofThisHome()).not.toContain(before);
		expect((await turns(agent)).map((turn) => turn.state)).toEqual(["interrupted"]);
	});

	test("sends INT, TERM and KILL in turn; a kill meanwhile does not wait for the next signal", async () => {
		const [one, two] = [
			await add({ agentType: "stubborn", prompt: "hello" }),
			await add({ agentType: "stubborn", prompt: "hello" }),
		];
		const heard = (agent: AgentState): string => {
			const file = path.join(home, "agent-folders/_", agent.handle, "signals");
			return existsSync(file) ? readFileSync(file, "utf8") : "";
		};
		for (const agent of [one, two]) await underway(agent);
		const interrupts = [one, two].map((agent) => say(daemon.engine, { type: "agent.interrupt", agent: agent.id }));
		await expect.poll(() => [heard(one), heard(two)], { timeout: 20_000 }).toEqual(["SIGINT\n", "SIGINT\n"]);
		const first = await Promise.race([
			done(daemon.engine, { type: "agent.kill", agent: two.id }).then(() => "kill"),
			interrupts[0]?.then(() => "interrupt"),
		]);
		expect([first, heard(two)]).toEqual(["kill", "SIGINT\nSIGTERM\n"]);
		await Promise.all(interrupts);
		expect(heard(one)).toBe("SIGINT\nSIGTERM\n");
		expect(ofThisHome()).toEqual([]);
		expect((await turns(one)).map((turn) => turn.state)).toEqual(["interrupted"]);
	});
});

describe("kill", () => {
	test.each(Object.entries(offered))("leaves nothing of a %s when it answers", async (_, prompt) => {
		const agent = await add({ prompt });
		await running(agent);
		await expect.poll(() => inside().length).toBeGreaterThan(1);
		const outcome = await say(daemon.engine, { type: "agent.kill", agent: agent.id });
		expect(ofThisHome()).toEqual([]);
		expect(outcome).toMatchObject({ done: { agent: { life: "ended", endReason: "killed", turn: null } } });
		expect(await turns(agent)).toMatchObject([{ state: "interrupted", reason: "killed" }]);
		expect((await items(agent)).map((item) => item.kind).slice(-3)).toEqual(["tool_result", "final", "killed"]);
	});

	test("with a cascade ends all below, cancels their queues, and nothing else", async () => {
		const top = await add({ prompt: "sleep 60000" });
		const child = await spawn(daemon.engine, top.id, { prompt: "sleep 60000" });
		const bystander = await add({ prompt: "sleep 60000" });
		for (const agent of [top, child, bystander]) await underway(agent);
		await ask(child, "say never");
		await done(daemon.engine, { type: "agent.kill", agent: top.id, cascade: true });
		expect(await daemon.engine.reads.prompts(child.id)).toEqual([]);
		expect((await turns(child)).map((turn) => turn.state)).toEqual(["interrupted"]);
		expect((await turns(bystander)).map((turn) => turn.state)).toEqual(["open"]);
		expect(await refused(daemon.engine, { type: "agent.kill", agent: child.id })).toMatchObject({
			code: "ALREADY_DEAD",
		});
	});

	test("by the agent itself ends its turn as an exit", async () => {
		const agent = await add({ prompt: "run sleep 60" });
		await running(agent);
		await done(daemon.engine, { type: "agent.kill", agent: agent.id }, { as: actingAgent(agent.id) });
		expect(await turns(agent)).toMatchObject([{ state: "completed", reason: "exit" }]);
		await expect.poll(() => ofThisHome().length).toBe(0);
	});
});

test("at the end of a turn nothing of a scripted agent is left but its warm process", async () => {
	const agent = await add({ prompt: "orphan\nsay done" });
	await ended(agent, 1);
	await expect.poll(() => inside().length).toBe(1);
});

describe("a badly behaved agent", () => {
	test("that prints garbage is understood all the same", async () => {
		const agent = await add({ agentType: "garbage", prompt: "hello" });
		expect(await ended(agent, 1)).toEqual(["completed"]);
		expect((await items(agent)).map((item) => item.text)).toEqual(["hello", "hello", "hello"]);
	});
	test("that closes its pipe ends its turn as failed, and the next prompt gets a new process", async () => {
		const agent = await add({ agentType: "closes", prompt: "hello" });
		await ask(agent, "hello again");
		expect(await ended(agent, 2)).toEqual(["failed", "failed"]);
		expect(readFileSync(path.join(home, "agent-folders/_", agent.handle, "prompted"), "utf8")).toBe("xx");
	});
	test("that never answers is ended by a kill, and hurts nobody before", async () => {
		const agent = await add({ agentType: "silent", prompt: "hello" });
		const other = await add({ prompt: "say hi" });
		expect(await ended(other, 1)).toEqual(["completed"]);
		await expect.poll(async () => (await turns(agent)).map((turn) => turn.state)).toEqual(["open"]);
		await done(daemon.engine, { type: "agent.kill", agent: agent.id });
	});
	test("that floods is slowed down: memory stays bounded and others go on", async () => {
		const agent = await add({ agentType: "flood", prompt: "hello" });
		await expect.poll(async () => (await items(agent)).length, { timeout: 20_000 }).toBeGreaterThan(20);
		const before = process.memoryUsage.rss();
		const other = await add({ prompt: "say hi" });
		expect(await ended(other, 1)).toEqual(["completed"]);
		expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 * 1024);
		await done(daemon.engine, { type: "agent.kill", agent: agent.id });
	});
	test("that exits at once is started five times at most, then held; others are not slowed", async () => {
		const agent = await add({ agentType: "exits", prompt: "hello" });
		const other = await add({ prompt: "say hi" });
		expect(await ended(other, 1)).toEqual(["completed"]);
		expect(await ended(agent, 1)).toEqual(["interrupted"]);
		// nobody got the prompt, so it still waits
		expect((await daemon.engine.reads.prompts(agent.id)).map((prompt) => prompt.text)).toEqual(["hello"]);
		await expect
			.poll(async () => (await daemon.engine.reads.agent(agent.id))?.holds.map((hold) => hold.kind))
			.toEqual(["error"]);
		const starts = readFileSync(path.join(home, "agent-folders/_", agent.handle, "starts"), "utf8");
		expect(starts).toHaveLength(5);
		expect((await daemon.engine.reads.agent(agent.id))?.lastError).toMatchObject({ step: "process" });
	});
});

describe("mail", () => {
	test("is read once, oldest first, and can be deleted", async () => {
		const agent = await add();
		await done(daemon.engine, { type: "agent.pause", agent: agent.id });
		const ids = [];
		for (const body of ["one", "two"])
			ids.push((await done(daemon.engine, { type: "mail.send", to: agent.id, body })).event ?? 0);
		const outcomes = await Promise.all([1, 2].map(() => say(daemon.engine, { type: "mail.read", agent: agent.id })));
		const read = outcomes.flatMap((outcome) =>
			"done" in outcome ? outcome.events.filter((event) => event.kind === "mail.read") : [],
		);
		expect(read.map((event) => event.data)).toEqual(ids.map((mail) => ({ mail })));
		await done(daemon.engine, { type: "mail.delete", agent: agent.id, mail: ids[0] });
		expect((await everyMail(daemon.engine.reads, agent.id)).map((mail) => [mail.body, mail.state])).toEqual([
			["two", "read"],
		]);
	});
	test("to the dead, to nobody and of too many bytes is refused", async () => {
		const agent = await add();
		expect(
			await refused(daemon.engine, { type: "mail.send", to: agent.id, body: "x".repeat(65 * 1024) }),
		).toMatchObject({ code: "TOO_LARGE" });
		expect(await refused(daemon.engine, { type: "mail.send", to: "Z".repeat(22), body: "x" })).toMatchObject({
			code: "AGENT_NOT_FOUND",
		});
		await done(daemon.engine, { type: "agent.kill", agent: agent.id });
		expect(await refused(daemon.engine, { type: "mail.send", to: agent.id, body: "x" })).toMatchObject({
			code: "RECIPIENT_DEAD",
		});
	});
	test("of another agent is nobody else's to read", async () => {
		const [one, two] = [await add({ prompt: "sleep 60000" }), await add()];
		await underway(one);
		expect(
			await refused(daemon.engine, { type: "mail.read", agent: two.id }, { as: actingAgent(one.id) }),
		).toMatchObject({ code: "FORBIDDEN" });
	});
});

describe("stopping", () => {
	test("lets a turn that is about to end do so", async () => {
		const agent = await add({ prompt: "sleep 500\nsay in time" });
		await underway(agent);
		const until = async (): Promise<void> => void (await ended(agent, 1));
		await daemon.engine.drain(until());
		expect(await turns(agent)).toMatchObject([{ state: "completed" }]);
	});
	test("interrupts the others with the reason shutdown and without a hold, and keeps the queue", async () => {
		const agent = await add({ prompt: "sleep 60000" });
		await ask(agent, "say later");
		await underway(agent);
		await daemon[Symbol.asyncDispose]();
		expect(ofThisHome()).toEqual([]);
		daemon = await startDaemon({ home, programs });
		expect((await turns(agent))[0]).toMatchObject({ state: "interrupted", reason: "shutdown" });
		expect(await ended(agent, 2)).toEqual(["interrupted", "completed"]);
	});
});

describe("idle processes", () => {
	test("ends an idle process; a prompt that comes meanwhile waits for a new one and is not harmed", async () => {
		await daemon[Symbol.asyncDispose]();
		daemon = await startDaemon({ home, programs, idleProcessMs: 100 });
		const agent = await add({ agentType: "slow-to-go", prompt: "first" });
		await ended(agent, 1);
		await expect.poll(() => existsSync(path.join(home, "agent-folders/_", agent.handle, "going"))).toBe(true);
		await ask(agent, "second");
		expect(await ended(agent, 2)).toEqual(["completed", "completed"]);
		expect(readFileSync(path.join(home, "agent-folders/_", agent.handle, "starts"), "utf8")).toBe("xx");
	});
	test("a process that ends between two turns takes along what it started", async () => {
		const agent = await add({ agentType: "leaves", prompt: "first" });
		await ended(agent, 1);
		await expect.poll(() => ofThisHome().length).toBe(0);
	});
});

test("a token speaks only while its process lives, and only for its own agent", async () => {
	const agent = await add({ prompt: "run cat /proc/$PPID/environ | tr '\\0' '\\n' | grep BROOD_TOKEN" });
	await ended(agent, 1);
	const token =
		/BROOD_TOKEN=(\S+)/.exec((await items(agent)).find((item) => item.kind === "tool_result")?.text ?? "")?.[1] ?? "";
	const send = async (bearer: string, id: AgentId = agent.id) =>
		await fetch(`${daemon.url}/api/agents/${id}/mail`, {
			method: "POST",
			headers: { authorization: `Bearer ${bearer}` },
			body: JSON.stringify({ body: "x" }),
		});
	const code = async (response: Response) =>
		(JSON.parse(await response.text()) as { error?: { code: string } }).error?.code;
	expect(await code(await send(token))).toBe("TURN_NOT_OPEN");
	for (const wrong of ["", "x", `${token}x`, token.slice(1)])
		expect(await code(await send(wrong))).toBe("UNAUTHORIZED");
	await done(daemon.engine, { type: "agent.kill", agent: agent.id });
	expect(await code(await send(token))).toBe("UNAUTHORIZED");
});
