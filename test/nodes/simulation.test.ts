// The protocol of nodes in thousands of worlds: partitions, freezes, sleep, kills, outages and clocks that jump. Each
// rule of the protocol is taken away once, and must be missed.
import { expect, test } from "vitest";
import { asDesigned, type Found, type Rules, type Weather } from "./rules.ts";
import { world } from "./simulation.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const worlds = torture ? 20_000 : 100;
const controls = torture ? 300 : 60;

test(`in ${worlds} worlds no stale write is accepted, no slot is overshot, and nobody who lives is taken for dead`, {
	timeout: 1_800_000,
}, () => {
	const { starts, falls, holds, ...wrong } = sumOf(worlds, asDesigned, "mixed");
	expect(wrong).toEqual({ stale: 0, overshoots: 0, falseDeaths: 0, loneHolds: 0 });
	// the worlds were no quiet ones
	expect([starts > 50 * worlds, falls > worlds, holds > worlds / 4]).toEqual([true, true, true]);
});

test.each<[Weather, number]>([
	["slow", controls],
	["cut and frozen", controls],
	["joined while cut", controls],
])("nor while the network is %s", { timeout: 300_000 }, (weather, count) => {
	const { starts, falls, holds, ...wrong } = sumOf(count, asDesigned, weather);
	expect(wrong).toEqual({ stale: 0, overshoots: 0, falseDeaths: 0, loneHolds: 0 });
	expect([starts > 10 * count, falls > count, holds > 0]).toEqual([true, true, true]);
});

test("a node that has nobody else never holds: its database may be away for a minute", () => {
	const { starts, ...wrong } = sumOf(20, asDesigned, "lone outage");
	expect(wrong).toEqual({ stale: 0, overshoots: 0, falseDeaths: 0, loneHolds: 0, falls: 0, holds: 0 });
	expect(starts).toBeGreaterThan(20 * 20);
});

/** What is taken away, in which weather it is missed, and by what. */
test.each<[string, Partial<Rules>, Weather, keyof Found]>([
	["the epoch in every batch", { fence: false }, "mixed", "stale"],
	["that silence counts only while own beats are answered", { answered: false }, "mixed", "falseDeaths"],
	["own clocks (the database's tells who is silent)", { databaseClock: true, answered: false }, "mixed", "falseDeaths"],
	["the hold before anybody is dead (12 s)", { suspendMs: 12_000 }, "mixed", "overshoots"],
	["the hold", { suspendMs: Number.POSITIVE_INFINITY }, "mixed", "overshoots"],
	["that trust counts from the sending", { trustFromSending: false }, "slow", "overshoots"],
	["that a start joins once", { joinsOnce: false }, "slow", "overshoots"],
	["the watchdog", { watchdog: null }, "mixed", "overshoots"],
	["that beats feed the watchdog", { watchdog: "fed by the event loop" }, "cut and frozen", "overshoots"],
	["that a node which may believe itself alone does not fall", { sparesLone: false }, "joined while cut", "overshoots"],
	["that a fall compares the beats", { comparesBeats: false }, "slow", "overshoots"],
])("the control: without %s it goes wrong", { timeout: 300_000 }, (_, without, weather, missed) => {
	let goesWrong = false;
	for (let seed = 1; seed <= 2000 && !goesWrong; seed++)
		goesWrong = world(seed, { ...asDesigned, ...without }, weather)[missed] > 0;
	expect(goesWrong).toBe(true);
});

function sumOf(count: number, rules: Rules, weather: Weather): Found {
	const sum: Found = { stale: 0, overshoots: 0, falseDeaths: 0, loneHolds: 0, starts: 0, falls: 0, holds: 0 };
	for (let seed = 1; seed <= count; seed++) {
		const found = world(seed, rules, weather);
		for (const key of Object.keys(sum) as (keyof Found)[]) sum[key] += found[key];
	}
	return sum;
}
