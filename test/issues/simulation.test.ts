// Days of work in seconds: issues, agents, subscriptions, failures, limits, crashes and a person. `npm run simulate`
// prints them.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Event } from "#contract/event.ts";
import { everyIssue } from "#test/support/every.ts";
import { brokenRules } from "./rules.ts";
import { IssueSimulation, limits, presets } from "./simulation.ts";
import { slotHistory } from "./slot-rules.ts";
import { timeline } from "./timeline.ts";

const long = process.env["BROOD_TORTURE"] === "1";
const shown = process.env["BROOD_TIMELINE"] === "1";
const size = { issues: 200, agents: 20, seeds: long ? 10 : 1 };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test.each(Array.from({ length: size.seeds }, (_, seed) => seed + 1))(
	"with failures, limits and crashes, every issue ends done or with attention and a reason, and no rule is broken (seed %i)",
	{ timeout: long ? 600_000 : 120_000 },
	async (seed) => {
		const world = new IssueSimulation(seed);
		await world.start();
		await world.populate(size);
		const began = world.now;
		let open = size.issues;
		for (let step = 0; open > 0 && step < 3000; step++) {
			await world.step();
			open = await world.open();
		}
		const issues = await everyIssue(world.engine.reads);
		const events = await world.engine.reads.events({ after: 0, limit: 1_000_000 });
		await world.stop();
		const slots = slotHistory(events, limits);
		if (shown) process.stdout.write(`${timeline({ events, issues, slots, crashes: world.crashes }).join("\n")}\n`);

		expect(open).toBe(0);
		expect(issues.filter(({ doneAt }) => doneAt !== null).length).toBeGreaterThan(size.issues * 0.7);
		expect(issues.filter(({ attention }) => attention !== null && attention.reason.trim() === "")).toEqual([]);
		// runs that were open when everything stopped are finished by the next daemon
		expect(brokenRules(events, presets).filter((rule) => !/was never finished$/.test(rule))).toEqual([]);
		expect(slots.wrong).toEqual([]);

		// and it was not an easy life
		const often = (kind: string): number => events.filter((event) => event.kind === kind).length;
		expect(world.now - began).toBeGreaterThan(24 * 3_600_000);
		expect(world.crashes.length).toBeGreaterThan(2);
		expect(often("run.finished")).toBeGreaterThan(size.issues);
		expect(often("subscription.coolDownChanged")).toBeGreaterThan(10);
		expect(events.filter(isHeldByLimit).length).toBeGreaterThan(10);
		expect(Object.fromEntries(slots.most)).toEqual({ "the machine": 8, max: 5, spare: 2, team: 2 });
	},
);

const isHeldByLimit = ({ kind, data }: Event): boolean => kind === "agent.held" && Object(data).hold === "limit";

test("the rules notice a history that breaks them: the control", async () => {
	const world = new IssueSimulation(7);
	await world.start();
	await world.populate({ issues: 12, agents: 8 });
	for (let step = 0; step < 60; step++) await world.step();
	const events = await world.engine.reads.events({ after: 0, limit: 100_000 });
	await world.stop();
	const issuesBroken = (history: readonly Event[], known = presets): string => brokenRules(history, known).join();
	const slotsBroken = (change: (event: Event) => Event, machine = limits): string =>
		slotHistory(events.map(change), machine).wrong.join();
	expect([issuesBroken(events).replaceAll(/run \d+ was never finished,?/g, ""), slotsBroken((event) => event)]).toEqual(
		["", ""],
	);

	expect(issuesBroken(events.filter(({ kind }) => kind !== "issue.approved"))).toMatch(/without an approval/);
	expect(issuesBroken(events.flatMap((event) => (event.kind === "run.finished" ? [event, event] : event)))).toMatch(
		/finished twice/,
	);
	const strict = JSON.parse(JSON.stringify(presets).replaceAll('"wipMax":3', '"wipMax":1'));
	expect(issuesBroken(events, strict)).toMatch(/issues are worked on in BUILD, the limit is 1/);

	const smaller = (event: Event): Event =>
		event.kind === "subscription.added" ? { ...event, data: { ...Object(event.data), maxConcurrent: 1 } } : event;
	expect(slotsBroken(smaller)).toMatch(/turns are at work on max, which has 1 slots/);
	expect(slotsBroken((event) => event, { ...limits, turnsMax: 2 })).toMatch(/the machine has room for 2/);
	const longer = (event: Event): Event =>
		event.kind === "subscription.coolDownChanged"
			? { ...event, data: { ...Object(event.data), until: Number.MAX_SAFE_INTEGER } }
			: event;
	expect(slotsBroken(longer)).toMatch(/while it cooled down/);
	const quiet = { from: "00:00", to: "23:59", zone: "UTC" };
	expect(
		slotsBroken((event) =>
			event.kind === "subscription.added" ? { ...event, data: { ...Object(event.data), quiet } } : event,
		),
	).toMatch(/quiet hours/);
});
