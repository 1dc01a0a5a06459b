import { describe, expect, test } from "vitest";
import { type AgentId, actingAgent, human, ProjectSlug } from "#contract/ids.ts";
import type { WaitOpen, WaitState } from "#contract/wait.ts";
import { id, live } from "#test/support/given.ts";
import { decideCancelWait, decideLook, decideOpen, isMet, type TargetFacts } from "./wait.ts";

const hold = { kind: "user", reason: "", by: human, at: 1 } as const;
const target = (more: Partial<TargetFacts> = {}): TargetFacts => ({
	agent: live("a"),
	duePrompts: 0,
	newMail: 0,
	wakesOnMail: true,
	lastMail: 0,
	waits: false,
	...more,
});
const running = {
	...live("a"),
	activity: "running",
	turn: { id: 5, prompt: 1, startedAt: 1, silentSince: null, subscription: null },
} as const;

describe("idle", () => {
	test.each([
		["an agent with nothing to do", target(), true],
		["one that is running", target({ agent: running }), false],
		["one with a prompt that is due", target({ duePrompts: 1 }), false],
		["one with mail that will wake it", target({ newMail: 1, lastMail: 2 }), false],
		["one that was shown its mail and has not read it", target({ lastMail: 2 }), true],
		["one whose mail waits until a person reads it", target({ newMail: 1, lastMail: 2, wakesOnMail: false }), true],
		[
			"one that is held, whatever waits for it",
			target({ agent: { ...live("a"), holds: [hold] }, duePrompts: 3, newMail: 1 }),
			true,
		],
		["one that waits for others and will go on", target({ waits: true }), false],
		["one that has ended", target({ agent: { ...live("a"), life: "ended" }, duePrompts: 1 }), true],
	])("%s: %#", (_, seen, expected) => expect(isMet(seen, "idle", 10)).toBe(expected));
});

test("a turn counts if it ended after the wait began, whenever it had begun", () => {
	expect(isMet(target({ agent: { ...live("a"), turnEndedIn: 9 } }), "turn", 10)).toBe(false);
	expect(isMet(target({ agent: { ...live("a"), turnEndedIn: 11 } }), "turn", 10)).toBe(true);
	expect(isMet(target(), "turn", 10)).toBe(false);
});

test.each([
	["none came", target(), false],
	["one that it has seen came before the wait", target({ lastMail: 9 }), false],
	["one came since, and it has seen it", target({ lastMail: 11 }), true],
	["one that it has not seen came before the wait", target({ newMail: 1, lastMail: 9 }), true],
])("mail: %s", (_, seen, expected) => expect(isMet(seen, "mail", 10)).toBe(expected));

test("whoever has ended is waited for no longer", () => {
	const dead = target({ agent: { ...live("a"), life: "ended" } });
	expect([
		isMet(dead, "ended", 1),
		isMet(target(), "ended", 1),
		isMet(dead, "mail", 1),
		isMet(dead, "turn", 1),
	]).toEqual([true, false, true, true]);
});

const request = (targets: AgentId[], more: Partial<WaitOpen> = {}): WaitOpen => ({
	type: "wait.open",
	targets,
	for: "idle",
	mode: "all",
	blocking: true,
	...more,
});
const wait = (more: Partial<WaitState> = {}): WaitState => ({
	...{ id: 10, agent: id("w"), turn: 7, targets: [id("a")], for: "idle", mode: "all", deadline: null, blocking: true },
	...{ state: "open", openedAt: 1, openedBy: actingAgent(id("w")), endedAt: null, seen: [], ready: null },
	...more,
});

describe("who may wait for whom", () => {
	const seen = (open: WaitState[] = []) => ({ targets: [live("a")], waiter: live("w"), open, targetFacts: null });

	test("a cycle is refused with the way around it", () => {
		const open = [wait({ agent: id("a"), targets: [id("b")] }), wait({ agent: id("b"), targets: [id("w")] })];
		expect(decideOpen(request([id("a")]), seen(open), { actor: actingAgent(id("w")), at: 1 })).toMatchObject({
			code: "WAIT_CYCLE",
			details: { agents: [id("w"), id("a"), id("b"), id("w")] },
		});
		expect(decideOpen(request([id("w")]), seen(), { actor: actingAgent(id("w")), at: 1 })).toMatchObject({
			code: "WAIT_CYCLE",
		});
	});

	test("mail closes no cycle, nor do people, nor waits that lead elsewhere", () => {
		const open = [
			wait({ agent: id("a"), targets: [id("w")], for: "mail" }),
			wait({ agent: id("b"), targets: [id("c")] }),
		];
		expect(decideOpen(request([id("a")]), seen(open), { actor: actingAgent(id("w")), at: 1 })).toMatchObject([
			{ kind: "wait.opened", agent: id("w") },
		]);
		expect(decideOpen(request([id("a")]), { ...seen(open), waiter: null }, { actor: human, at: 1 })).toMatchObject([
			{ kind: "wait.opened", agent: null },
		]);
	});

	test("unknown agents and those of another project are refused", () => {
		expect(decideOpen(request([id("x")]), { ...seen(), targets: [undefined] }, { actor: human, at: 1 })).toMatchObject({
			code: "AGENT_NOT_FOUND",
		});
		const foreign = {
			...seen(),
			waiter: { ...live("w"), project: null },
			targets: [{ ...live("a"), project: ProjectSlug.parse("other") }],
		};
		expect(decideOpen(request([id("a")]), foreign, { actor: actingAgent(id("w")), at: 1 })).toMatchObject({
			code: "FORBIDDEN",
		});
	});
});

describe("looking", () => {
	const queue = { last: null, lastFront: null };
	const busy = target({ agent: running });

	test("nothing happens while it is not met and there is time", () => {
		expect(decideLook(wait({ deadline: 100 }), [busy], { queue, continueClaim: null, now: 99 })).toEqual([]);
		expect(decideLook(wait({ state: "met" }), [target()], { queue, continueClaim: null, now: 99 })).toEqual([]);
	});

	test("all means all, any means any", () => {
		expect(decideLook(wait(), [target(), busy], { queue, continueClaim: null, now: 1 })).toEqual([]);
		expect(decideLook(wait({ mode: "any" }), [target(), busy], { queue, continueClaim: null, now: 1 })).toMatchObject([
			{ kind: "wait.ended", data: { state: "met" } },
		]);
	});

	test("when time runs out, an agent gets an item in its turn", () => {
		expect(decideLook(wait({ deadline: 100 }), [busy], { queue, continueClaim: null, now: 100 })).toMatchObject([
			{
				kind: "wait.ended",
				agent: id("w"),
				data: { wait: 10, state: "timeout", seen: [{ agent: id("a"), met: false }] },
			},
			{ kind: "timeout", agent: id("w"), turn: 7, data: { wait: 10 } },
		]);
		expect(
			decideLook(wait({ deadline: 100, agent: null }), [busy], { queue, continueClaim: null, now: 100 }),
		).toMatchObject([{ kind: "wait.ended", agent: null }]);
	});

	test("the item says what has not happened, and what has", () => {
		const other = target({ agent: { ...live("b"), life: "ended" } });
		const late = { queue, continueClaim: null, now: 100 };
		expect(decideLook(wait({ deadline: 100 }), [busy, other], late)).toMatchObject([
			{ kind: "wait.ended" },
			{ kind: "timeout", text: "Time ran out: not idle: a. Done: b." },
		]);
		expect(decideLook(wait({ deadline: 100, for: "turn" }), [busy], late)).toMatchObject([
			{ kind: "wait.ended" },
			{ kind: "timeout", text: "Time ran out: no turn has ended: a." },
		]);
	});

	test("one that does not block is continued by a prompt at the front", () => {
		const events = decideLook(wait({ blocking: false }), [target()], { queue, continueClaim: null, now: 1 });
		expect(events).toMatchObject([
			{ kind: "wait.ended" },
			{ kind: "prompt.queued", agent: id("w"), data: { source: "wait" } },
		]);
	});

	test("nobody cancels another agent's wait, and once is enough", () => {
		expect(decideCancelWait(wait(), 10, { actor: actingAgent(id("a")) }, null)).toMatchObject({ code: "FORBIDDEN" });
		expect(decideCancelWait(wait(), 10, { actor: human }, null)).toMatchObject([{ data: { state: "cancelled" } }]);
		expect(decideCancelWait(wait({ state: "met" }), 10, { actor: human }, null)).toEqual([]);
		expect(decideCancelWait(undefined, 10, { actor: human }, null)).toMatchObject({ code: "NOT_FOUND" });
	});
});

describe("a turn that waited", () => {
	const queue = { last: null, lastFront: null };
	const none = { short: { of: "machine", limit: 1 } } as const;
	const met = { state: "met", seen: [{ agent: id("a"), met: true }] } as const;

	test("goes on with its place and its slot in the same decision", () => {
		expect(decideLook(wait(), [target()], { queue, continueClaim: { subscription: null }, now: 1 })).toEqual([
			{ kind: "turn.continued", agent: id("w"), data: { turn: 7, place: true } },
			{ kind: "wait.ended", agent: id("w"), data: { wait: 10, ...met } },
		]);
	});

	test("hears nothing before there is room, but how it ended is written down once", () => {
		const ready = { kind: "wait.ready", agent: id("w"), data: { wait: 10, ...met } };
		expect(decideLook(wait(), [target()], { queue, continueClaim: none, now: 1 })).toEqual([ready]);
		const later = wait({ ready: { ...met, seen: [...met.seen] } });
		expect(decideLook(later, [target()], { queue, continueClaim: none, now: 1 })).toEqual([]);
		// what it waited for has passed again, which changes nothing
		expect(
			decideLook(later, [target({ agent: running })], { queue, continueClaim: { subscription: null }, now: 1 }),
		).toMatchObject([{ kind: "turn.continued" }, { kind: "wait.ended", data: { state: "met" } }]);
	});

	test("that is cancelled waits for its place as well", () => {
		expect(decideCancelWait(wait(), 10, { actor: human }, none)).toMatchObject([
			{ kind: "wait.ready", data: { state: "cancelled" } },
		]);
	});

	test("needs nothing again that it still has", () => {
		expect(decideLook(wait(), [target()], { queue, continueClaim: null, now: 1 })).toMatchObject([
			{ kind: "wait.ended" },
		]);
	});
});

test("an agent that a usage limit holds is not at rest: it goes on by itself", () => {
	const limited = live("a", [{ kind: "agent.held", data: { hold: "limit", reason: "", until: 5 } }]);
	expect(isMet(target({ agent: limited, duePrompts: 1 }), "idle", 1)).toBe(false);
	expect(isMet(target({ agent: limited }), "idle", 1)).toBe(true);
});
