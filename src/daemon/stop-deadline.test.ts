import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { drainSignal, upgradeSignal } from "#local/signals.ts";
import { StopDeadline } from "./stop-deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const stopped = (...signals: NodeJS.Signals[]) => {
	const deadline = new StopDeadline();
	let isPassed = false;
	void deadline.passed.then(() => {
		isPassed = true;
	});
	for (const signal of signals) deadline.take(signal);
	return { deadline, after: async (ms: number) => await vi.advanceTimersByTimeAsync(ms).then(() => isPassed) };
};

test.each([["SIGTERM"], ["SIGINT"], ["SIGTERM", "SIGTERM"]] as const)(
	"%s %s gives the turns ten seconds",
	async (...signals) => {
		const { after } = stopped(...signals);
		expect([await after(9_999), await after(1)]).toEqual([false, true]);
	},
);

test.each([
	["SIGTERM", "SIGINT"],
	["SIGINT", "SIGTERM"],
	["SIGINT", "SIGINT"],
	[drainSignal, "SIGINT"],
] as const)("%s and %s interrupt them at once", async (...signals) => {
	expect(await stopped(...signals).after(0)).toBe(true);
});

test("a later drain replaces the deadline; the next SIGTERM sets one again", async () => {
	const { deadline, after } = stopped("SIGTERM");
	expect(await after(5_000)).toBe(false);
	deadline.take(drainSignal);
	expect(await after(60_000)).toBe(false);
	deadline.take("SIGTERM");
	expect([await after(9_999), await after(1)]).toEqual([false, true]);
});

test.each([
	[[upgradeSignal], true],
	[["SIGTERM"], false],
	[[upgradeSignal, "SIGTERM"], false],
	[[upgradeSignal, "SIGINT"], false],
	[[upgradeSignal, drainSignal], false],
] as const)("after %j a successor starts: %s", (signals, starts) => {
	expect(stopped(...signals).deadline.isUpgrade).toBe(starts);
});
