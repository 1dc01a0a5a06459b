import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AgentId, human, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import { nothingSpent } from "#contract/usage.ts";
import { type Continuation, type Schedule, type ScheduledHead, type ScheduleFacts, schedule } from "./schedule.ts";

const name = (word: string) => SubscriptionName.parse(word);
const id = (word: string) => AgentId.parse(word.padEnd(22, "0"));
const paid = (word: string, maxConcurrent = 1, more: Partial<SubscriptionState> = {}): SubscriptionState => ({
	...{
		name: name(word),
		type: "claude",
		maxConcurrent,
		credential: null,
		fallback: null,
		quiet: null,
		coolingUntil: null,
		spent: nothingSpent,
	},
	...{ createdAt: 1, createdBy: human, removedAt: null },
	...more,
});

let prompts = 0;
const who = (handle: string, project: string | null = null, type = "scripted") => ({
	...{
		id: id(handle),
		project: project === null ? null : ProjectSlug.parse(project),
		type,
		subscription: null,
		limitWaivedUntil: null,
	},
});
const head = (
	handle: string,
	{
		project = null,
		type = "scripted",
		...more
	}: Partial<ScheduledHead> & { project?: string | null; type?: string } = {},
): ScheduledHead => ({
	...{ agent: who(handle, project, type), prompt: ++prompts, priority: 0, manual: false, source: "queue", since: 0 },
	...more,
});
const waiter = (handle: string, wait: number, subscription: string | null = null): Continuation => ({
	...{
		agent: who(handle, null, subscription === null ? "scripted" : "claude"),
		wait,
		subscription: subscription === null ? null : name(subscription),
	},
});
const given = (seen: Partial<ScheduleFacts>): Schedule =>
	schedule({
		heads: [],
		waiters: [],
		leases: [],
		subscriptions: [],
		projects: [],
		served: new Map(),
		turnsMax: 100,
		now: 0,
		...seen,
	});
const starts = (made: Schedule) => made.starts.map(({ agent }) => agent.id.replace(/0+$/, ""));
const why = (made: Schedule, handle: string) => made.notStarted.get(id(handle));

describe("who starts next", () => {
	test("everybody, while there is room", () => {
		expect(starts(given({ heads: [head("a"), head("b"), head("c")] }))).toEqual(["a", "b", "c"]);
	});

	test("whoever came first, of equals", () => {
		expect(starts(given({ heads: [head("a"), head("b"), head("c")], turnsMax: 2 }))).toEqual(["a", "b"]);
	});

	test("the higher priority", () => {
		expect(starts(given({ heads: [head("a"), head("b", { priority: 5 })], turnsMax: 1 }))).toEqual(["b"]);
	});

	test("what a person wants now, before any priority", () => {
		expect(starts(given({ heads: [head("a", { priority: 100 }), head("b", { manual: true })], turnsMax: 1 }))).toEqual([
			"b",
		]);
	});

	test("whoever has waited for others, before everything else", () => {
		const made = given({
			heads: [head("a", { manual: true }), head("b", { source: "wait" })],
			waiters: [waiter("w", 9), waiter("v", 3)],
			turnsMax: 2,
		});
		expect([made.continues.map(({ wait }) => wait), starts(made)]).toEqual([[3, 9], []]);
		expect(starts(given({ heads: [head("a", { manual: true }), head("b", { source: "wait" })], turnsMax: 1 }))).toEqual(
			["b"],
		);
	});

	test("each project in its turn, however much one of them has queued", () => {
		const many = Array.from({ length: 10 }, (_, at) => head(`a${at}`, { project: "a" }));
		const few = [head("b0", { project: "b" }), head("c0", { project: "c" })];
		expect(starts(given({ heads: [...many, ...few], turnsMax: 4 }))).toEqual(["a", "b", "c", "a1"]);
	});

	test("the project that was served least recently", () => {
		const served = new Map([
			[ProjectSlug.parse("a"), 20],
			[ProjectSlug.parse("b"), 10],
		]);
		expect(
			starts(
				given({ heads: [head("a", { project: "a" }), head("b", { project: "b" })], served, turnsMax: 1, now: 30 }),
			),
		).toEqual(["b"]);
	});

	test("after long enough, whoever has waited longest, whatever the others' priority", () => {
		const patient = head("p", { project: "a", since: 0 });
		const eager = head("e", { project: "a", priority: 10, since: 20 * 60_000 });
		expect(starts(given({ heads: [patient, eager], turnsMax: 1, now: 20 * 60_000 }))).toEqual(["p"]);
		expect(starts(given({ heads: [patient, { ...eager, since: 60_000 }], turnsMax: 1, now: 2 * 60_000 }))).toEqual([
			"e",
		]);
	});

	test("somebody who needs no slot, while others wait for one", () => {
		const made = given({
			heads: [head("a", { type: "claude" }), head("b", { type: "claude" }), head("c")],
			subscriptions: [paid("max")],
		});
		expect(starts(made)).toEqual(["a", "c"]);
	});
});

describe("why somebody does not start", () => {
	test("all slots are taken, and so many are ahead", () => {
		const made = given({
			heads: ["a", "b", "c"].map((each) => head(each, { type: "claude" })),
			subscriptions: [paid("claude-max")],
			leases: [lease("claude-max")],
		});
		expect(why(made, "a")).toEqual({ why: "waiting for a slot of claude-max", ahead: 0 });
		expect(why(made, "c")).toEqual({ why: "waiting for a slot of claude-max, 2 ahead", ahead: 2 });
	});

	test("the machine is full", () => {
		const made = given({ heads: [head("a"), head("b")], turnsMax: 1 });
		expect(why(made, "b")).toEqual({ why: "the machine runs 1 turn, which is its limit", ahead: 0 });
	});

	test("a turn that waited is ahead too", () => {
		const seen = { subscriptions: [paid("max")], leases: [lease("max")], waiters: [waiter("w", 1, "max")] };
		expect(why(given({ ...seen, heads: [head("a", { type: "claude" })] }), "a")).toEqual({
			why: "waiting for a slot of max, 1 ahead",
			ahead: 1,
		});
	});

	test("its subscription cools down, and when to look again", () => {
		const made = given({
			heads: [head("a", { type: "claude" })],
			subscriptions: [paid("max", 1, { coolingUntil: 60_000 })],
		});
		expect(why(made, "a")).toEqual({ why: "max is cooling down until 1970-01-01T00:01:00.000Z", ahead: 0 });
		expect(made.nextAt).toBe(60_000);
	});

	test("its subscription has quiet hours", () => {
		const quiet = { from: "23:00", to: "01:00", zone: "UTC" };
		const made = given({ heads: [head("a", { type: "claude" })], subscriptions: [paid("max", 1, { quiet })] });
		expect(why(made, "a")).toEqual({ why: "max has quiet hours until 1970-01-01T01:00:00.000Z", ahead: 0 });
	});
});

const lease = (subscription: string | null) => ({ subscription: subscription === null ? null : name(subscription) });

describe("with random work", () => {
	const subscriptions = [paid("one", 1), paid("two", 2, { type: "codex" })];
	const work = fc.record({
		agent: fc.nat(7),
		type: fc.constantFrom("claude", "codex", "scripted"),
		project: fc.constantFrom("a", "b", null),
		priority: fc.integer({ min: -20, max: 20 }),
	});

	test("no limit is broken, an agent's own order is kept, and everything starts in the end", () => {
		fc.assert(
			fc.property(fc.array(work, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (all, turnsMax) => {
				const run = simulate(all, turnsMax, schedule);
				expect(run.worst).toBeLessThanOrEqual(turnsMax);
				expect(run.worstOf("one")).toBeLessThanOrEqual(1);
				expect(run.worstOf("two")).toBeLessThanOrEqual(2);
				expect(run.left).toBe(0);
				for (const order of run.orders) expect(order).toEqual(order.toSorted((a, b) => a - b));
			}),
		);
	});

	test("and a scheduler that looks at nothing but the heads breaks a limit: the control", () => {
		const all = Array.from({ length: 6 }, (_, agent) => ({ agent, type: "claude", project: null, priority: 0 }));
		const careless = (seen: ScheduleFacts): Schedule => ({
			...{ continues: [], notStarted: new Map(), nextAt: null },
			starts: seen.heads.map((each) => ({ ...each, agent: { ...each.agent, subscription: name("one") } })),
		});
		expect(simulate(all, 2, careless).worst).toBeGreaterThan(2);
	});

	interface Work {
		agent: number;
		type: string;
		project: string | null;
		priority: number;
	}

	/** Queues everything at once, then lets the oldest turn end after each look, a minute apart. */
	function simulate(all: readonly Work[], turnsMax: number, ask: typeof schedule) {
		const queues = Map.groupBy(
			all.map((each, at) => ({
				...each,
				type: all.find((other) => other.agent === each.agent)?.type ?? each.type,
				at,
			})),
			({ agent }) => agent,
		);
		const running: { agent: number; subscription: SubscriptionName | null }[] = [];
		const orders = new Map<number, number[]>();
		const served = new Map<ProjectSlug | null, number>();
		const worst = new Map<string, number>();
		let now = 0;
		for (let looks = 0; looks < 3 * all.length + 3; looks++, now += 60_000) {
			const heads = [...queues.values()].flatMap(([next]) =>
				next === undefined || running.some(({ agent }) => agent === next.agent)
					? []
					: [
							head(`x${next.agent}`, {
								project: next.project,
								type: next.type,
								priority: next.priority,
								prompt: next.at + 1,
							}),
						],
			);
			const made = ask({ heads, waiters: [], leases: running, subscriptions, projects: [], served, turnsMax, now });
			for (const { agent, prompt } of made.starts) {
				const number = Number(/^x(\d)/.exec(agent.id)?.[1]);
				const subscription = agent.type === "claude" ? name("one") : agent.type === "codex" ? name("two") : null;
				queues.get(number)?.shift();
				running.push({ agent: number, subscription });
				served.set(agent.project, now);
				orders.set(number, [...(orders.get(number) ?? []), prompt]);
			}
			const used = Map.groupBy(running, ({ subscription }) => subscription ?? "none");
			for (const [key, group] of used) worst.set(key, Math.max(worst.get(key) ?? 0, group.length));
			worst.set("all", Math.max(worst.get("all") ?? 0, running.length));
			running.shift();
		}
		const left = [...queues.values()].reduce((sum, queue) => sum + queue.length, 0);
		return {
			worst: worst.get("all") ?? 0,
			worstOf: (key: string) => worst.get(key) ?? 0,
			left,
			orders: [...orders.values()],
		};
	}
});
