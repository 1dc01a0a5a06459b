import { describe, expect, test } from "vitest";
import { human, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import { defaultWorkSettings, type ProjectState } from "#contract/project.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import { nothingSpent } from "#contract/usage.ts";
import { id, live } from "#test/support/given.ts";
import { decideLimitedEnd } from "./cool-down.ts";
import { subscriptionChanges } from "./fold/project.ts";
import { quietUntil } from "./quiet.ts";
import { type Capacity, claim, claimAgain, limitedUntil, shortageText } from "./slots.ts";
import {
	coolingEnd,
	decideAddSubscription,
	decideConfigureSubscription,
	decideLimitHold,
	decideRemoveSubscription,
} from "./subscription.ts";
import { noOpenWork } from "./turn-end.ts";

const name = (word: string) => SubscriptionName.parse(word);
const plan = (word: string, more: Partial<SubscriptionState> = {}): SubscriptionState => ({
	...{
		name: name(word),
		type: "scripted",
		maxConcurrent: 1,
		credential: null,
		fallback: null,
		quiet: null,
		coolingUntil: null,
		spent: nothingSpent,
	},
	...{ createdAt: 1, createdBy: human, removedAt: null },
	...more,
});
const on = (...words: (string | null)[]) => words.map((word) => ({ subscription: word === null ? null : name(word) }));
const with_ = (
	subscriptions: SubscriptionState[],
	leases: Capacity["leases"] = [],
	more: Partial<Capacity> = {},
): Capacity => ({
	...{ subscriptions, projects: [], leases, turnsMax: 10, now: 100 },
	...more,
});
const agent = live("a");
const bound = (word: string) => ({ ...agent, subscription: name(word) });

test("a node that was stopped is said to be that, as refusals say it", () => {
	const text = (state: "left" | "down"): string => shortageText({ of: "node", node: "forge", state });
	expect([text("left"), text("down")]).toEqual(["node forge is stopped", "node forge is down"]);
});

describe("which slot an agent gets", () => {
	test("none, if nothing is paid for its type; but never more turns than the machine carries", () => {
		expect(claim(agent, with_([plan("x", { type: "claude" })]))).toEqual({ subscription: null });
		expect(claim(agent, with_([], on(null, null), { turnsMax: 2 }))).toEqual({ short: { of: "machine", limit: 2 } });
		expect(claim({ ...agent, type: "human" }, with_([], on(null), { turnsMax: 1 }))).toEqual({ subscription: null });
	});

	test("one of the subscription that has the most room, if it is bound to none", () => {
		const both = [plan("a", { maxConcurrent: 2 }), plan("b", { maxConcurrent: 2 })];
		expect(claim(agent, with_(both, on("a")))).toEqual({ subscription: "b" });
		expect(claim(agent, with_(both, on("a", "a", "b", "b")))).toEqual({
			short: { of: "slot", subscription: "a", limit: 2 },
		});
	});

	test("one of its own and no other, if it is bound to it; a full one is waited for", () => {
		const both = [plan("a"), plan("b")];
		expect(claim(bound("b"), with_(both))).toEqual({ subscription: "b" });
		expect(claim(bound("b"), with_(both, on("b")))).toEqual({ short: { of: "slot", subscription: "b", limit: 1 } });
	});

	test("any that fits, if the one that it was bound to was removed", () => {
		expect(claim(bound("b"), with_([plan("a"), plan("b", { removedAt: 5 })]))).toEqual({ subscription: "a" });
	});

	test("one of the fallback while its own cools down, and nothing while all of them do", () => {
		const spare = plan("spare");
		expect(claim(bound("a"), with_([plan("a", { fallback: name("spare"), coolingUntil: 200 }), spare]))).toEqual({
			subscription: "spare",
		});
		expect(claim(bound("a"), with_([plan("a", { fallback: name("spare"), coolingUntil: 100 }), spare]))).toEqual({
			subscription: "a",
		});
		const cold = [
			plan("a", { fallback: name("spare"), coolingUntil: 300 }),
			plan("spare", { fallback: name("a"), coolingUntil: 200 }),
		];
		expect(claim(bound("a"), with_(cold))).toEqual({
			short: { of: "time", why: "cooling", subscription: "spare", until: 200 },
		});
	});

	test("for a manual turn also of one that cools down or has quiet hours, but not of a full one", () => {
		const cold = plan("a", { coolingUntil: 200, quiet: { from: "00:00", to: "23:59", zone: "UTC" } });
		expect(claim(bound("a"), with_([cold]), true)).toEqual({ subscription: "a" });
		expect(claim(bound("a"), with_([cold], on("a")), true)).toEqual({
			short: { of: "slot", subscription: "a", limit: 1 },
		});
	});

	test("the same again after a wait, whatever cools down by then", () => {
		expect(claimAgain(agent, name("a"), with_([plan("a", { coolingUntil: 200 })]))).toEqual({ subscription: "a" });
		expect(claimAgain(agent, name("a"), with_([plan("a")], on("a")))).toEqual({
			short: { of: "slot", subscription: "a", limit: 1 },
		});
		expect(claimAgain(agent, null, with_([], on(null), { turnsMax: 1 }))).toEqual({
			short: { of: "machine", limit: 1 },
		});
	});
});

describe("quiet hours", () => {
	const at = (time: string) => Date.parse(`2026-03-10T${time}Z`);
	const night = { from: "22:00", to: "07:00", zone: "UTC" };

	test("reach over midnight", () => {
		expect(quietUntil(night, at("21:59:59"))).toBeNull();
		expect(quietUntil(night, at("22:00:00"))).toBe(Date.parse("2026-03-11T07:00:00Z"));
		expect(quietUntil(night, at("06:59:30"))).toBe(at("07:00:00"));
		expect(quietUntil(night, at("07:00:00"))).toBeNull();
	});

	test("use the local time of their time zone", () => {
		expect(quietUntil({ from: "09:00", to: "10:00", zone: "Asia/Tokyo" }, at("00:30:00"))).toBe(at("01:00:00"));
		expect(quietUntil({ from: "09:00", to: "10:00", zone: "UTC" }, at("00:30:00"))).toBeNull();
	});
});

describe("a usage limit", () => {
	const held = (until: number) => live("a", [{ kind: "agent.held", data: { hold: "limit", reason: "", until } }]);

	test("holds an agent that has nothing else to use, and lets it go when it is over", () => {
		expect(decideLimitHold(bound("a"), with_([plan("a", { coolingUntil: 200 })], [], { now: 100 }))).toMatchObject([
			{ kind: "agent.held", data: { hold: "limit", until: 200 } },
		]);
		expect(decideLimitHold(held(200), with_([plan("a", { coolingUntil: 200 })], [], { now: 100 }))).toEqual([]);
		expect(decideLimitHold(held(200), with_([plan("a", { coolingUntil: 200 })], [], { now: 200 }))).toMatchObject([
			{ kind: "agent.unheld", data: { holds: ["limit"] } },
		]);
		expect(decideLimitHold(agent, with_([plan("a", { coolingUntil: 200 }), plan("b")], [], { now: 100 }))).toEqual([]);
	});

	test("ends early when somebody says so, or when there is another subscription", () => {
		expect(decideLimitHold(held(200), with_([plan("a")], [], { now: 100 }))).toMatchObject([{ kind: "agent.unheld" }]);
		expect(decideLimitHold(held(200), with_([], [], { now: 100 }))).toEqual([]);
		expect(decideLimitHold(held(200), with_([], [], { now: 200 }))).toMatchObject([{ kind: "agent.unheld" }]);
	});

	test("does not stop whoever was resumed, until another one is met", () => {
		const resumed = { ...agent, limitWaivedUntil: 200 };
		expect(limitedUntil(resumed, with_([plan("a", { coolingUntil: 200 })], [], { now: 100 }))).toBeNull();
		expect(limitedUntil(resumed, with_([plan("a", { coolingUntil: 300 })], [], { now: 100 }))).toBe(300);
	});

	test("never ends at once, and never lasts for ever", () => {
		expect(coolingEnd(50, 100, 9000)).toBe(1100);
		expect(coolingEnd(null, 100, 9000)).toBe(9100);
		expect(coolingEnd(Number.MAX_SAFE_INTEGER, 0, 9000)).toBe(31 * 24 * 60 * 60 * 1000);
	});

	test("that is reached again by whoever was resumed holds it again", () => {
		const resumed = live("a", [
			{ kind: "agent.held", data: { hold: "limit", reason: "", until: 200 } },
			{ kind: "agent.unheld", data: { holds: ["limit"] } },
		]);
		expect([resumed.holds, resumed.limitWaivedUntil]).toEqual([[], 200]);
		expect(held(200).limitWaivedUntil).toBeNull();
	});

	const turn: TurnState = {
		...{
			id: 7,
			agent: id("a"),
			prompt: 5,
			textEvent: 5,
			source: "queue",
			manual: false,
			subscription: name("a"),
			node: null,
			epoch: null,
			state: "open",
			startedAt: 1,
			handedAt: 2,
		},
		...{
			endedAt: null,
			stoppingAt: null,
			stoppingFor: null,
			reason: null,
			finalItem: null,
			commit: null,
			usage: null,
			retriedAs: null,
		},
	};
	const running = {
		...bound("a"),
		activity: "running",
		turn: { id: 7, prompt: 1, startedAt: 1, silentSince: null, subscription: null },
	} as const;
	const end = (subscriptions: SubscriptionState[], of: TurnState = turn, project?: ProjectState) =>
		decideLimitedEnd(
			running,
			{
				type: "turn.end",
				agent: id("a"),
				turn: 7,
				state: "failed",
				reason: "limit",
				text: null,
				items: [],
				limit: { until: 9000 },
			},
			noOpenWork,
			{
				turn: of,
				promptText: { text: "do it", from: null },
				position: -3,
				subscriptions,
				project,
				coolDownMs: 1,
				now: 100,
			},
		);

	test("means what the agent's project says: wait for it, or stop until somebody looks", () => {
		const [chained, spare] = [plan("a", { coolingUntil: 200, fallback: name("b") }), plan("b")];
		const house = (onLimit: ProjectState["onLimit"]): ProjectState => ({
			...{
				...defaultWorkSettings,
				slug: ProjectSlug.parse("web"),
				path: "/srv/web",
				base: "main",
				url: null,
				node: null,
				approved: [],
				addedAt: 1,
				removedAt: null,
			},
			...{ onLimit, auto: true },
		});
		const inHouse = { ...bound("a"), project: ProjectSlug.parse("web") };
		expect(claim(inHouse, with_([chained, spare], [], { projects: [house("fallback")] }))).toEqual({
			subscription: "b",
		});
		expect(claim(inHouse, with_([chained, spare], [], { projects: [house("wait")] }))).toEqual({
			short: { of: "time", why: "cooling", subscription: "a", until: 200 },
		});
		const stopped = end([plan("a")], turn, house("stop"));
		expect(stopped).toMatchObject(
			expect.arrayContaining([
				expect.objectContaining({ kind: "project.configured" }),
				expect.objectContaining({ kind: "agent.held", data: expect.objectContaining({ hold: "user" }) }),
			]),
		);
	});

	test("has nothing to do with a project's quiet hours, in which nothing starts but by hand", () => {
		const quiet = { from: "22:00", to: "07:00", zone: "UTC" };
		const projects = [{ slug: ProjectSlug.parse("web"), onLimit: "fallback" as const, quiet }];
		const night = Date.parse("2030-01-01T23:30:00Z");
		const inHouse = { ...agent, project: ProjectSlug.parse("web") };
		const seen = with_([], [], { projects, now: night });
		expect(claim(inHouse, seen)).toEqual({
			short: { of: "time", why: "quiet", subscription: null, until: Date.parse("2030-01-02T07:00:00Z") },
		});
		expect(claim(inHouse, seen, true)).toEqual({ subscription: null });
		expect(claim({ ...agent, project: null }, seen)).toEqual({ subscription: null });
	});

	test("that a turn meets fails the turn, queues its prompt again, cools the subscription down and holds the agent", () => {
		expect(end([plan("a")])).toMatchObject([
			{ kind: "final" },
			{ kind: "turn.ended", data: { turn: 7, state: "failed" } },
			{ kind: "prompt.queued", text: "do it", data: { position: -3, retries: { prompt: 5, turn: 7 } } },
			{ kind: "subscription.coolDownChanged", data: { name: "a", until: 9000 } },
			{ kind: "agent.held", data: { hold: "limit", until: 9000 } },
		]);
	});

	test("holds nobody for whom there is a fallback, and the agent alone if nothing was paid for", () => {
		const kinds = (events: ReturnType<typeof end>) =>
			Array.isArray(events) ? events.map(({ kind }) => kind).slice(2) : events;
		expect(kinds(end([plan("a", { fallback: name("b") }), plan("b")]))).toEqual([
			"prompt.queued",
			"subscription.coolDownChanged",
		]);
		expect(kinds(end([], { ...turn, subscription: null }))).toEqual(["prompt.queued", "agent.held"]);
	});
});

describe("a subscription", () => {
	const request = {
		type: "subscription.add",
		name: name("a"),
		agentType: "claude",
		maxConcurrent: 2,
		credential: null,
		fallback: null,
		quiet: null,
	} as const;

	test("is added once, for agents of a type that can use it", () => {
		expect(decideAddSubscription([], request)).toMatchObject([
			{ kind: "subscription.added", data: { name: "a", type: "claude", maxConcurrent: 2 } },
		]);
		expect(decideAddSubscription([plan("a")], request)).toMatchObject({ code: "CONFLICT" });
		expect(decideAddSubscription([plan("a", { removedAt: 1 })], request)).toMatchObject([
			{ kind: "subscription.added" },
		]);
		expect(decideAddSubscription([], { ...request, agentType: "human" })).toMatchObject({ code: "VALIDATION_ERROR" });
	});

	test("has a fallback of its own type, and never itself", () => {
		expect(decideAddSubscription([], { ...request, fallback: name("b") })).toMatchObject({ code: "NOT_FOUND" });
		expect(decideAddSubscription([plan("b")], { ...request, fallback: name("b") })).toMatchObject({
			code: "VALIDATION_ERROR",
		});
		expect(decideAddSubscription([], { ...request, fallback: name("a") })).toMatchObject({ code: "VALIDATION_ERROR" });
	});

	test("keeps what is not named", () => {
		const before = plan("a", { maxConcurrent: 4, credential: { envFile: "/x" } });
		expect(
			decideConfigureSubscription([before], { type: "subscription.configure", name: name("a"), maxConcurrent: 5 }),
		).toMatchObject([{ kind: "subscription.configured", data: { maxConcurrent: 5, credential: { envFile: "/x" } } }]);
		const { maxConcurrent: _, ...same } = {
			name: name("a"),
			maxConcurrent: 4,
			credential: { envFile: "/x" },
			fallback: null,
			quiet: null,
		};
		const event = {
			kind: "subscription.configured",
			agent: null,
			data: { ...same, maxConcurrent: 5 },
			id: 1,
			at: 2,
			actor: human,
		} as const;
		expect(subscriptionChanges["subscription.configured"].change(before, event)).toEqual({
			...before,
			maxConcurrent: 5,
		});
	});

	test("is not removed while a turn has, or wants back, one of its slots", () => {
		expect(decideRemoveSubscription([plan("a")], name("a"), 1)).toMatchObject({ code: "CONFLICT" });
		expect(decideRemoveSubscription([plan("a")], name("a"), 0)).toEqual([
			{ kind: "subscription.removed", agent: null, data: { name: "a" } },
		]);
		expect(decideRemoveSubscription([], name("a"), 0)).toMatchObject({ code: "NOT_FOUND" });
	});
});
