import { expect, test } from "vitest";
import { nodeTimes, ticked, untilDueMs, watchFrom } from "./node.ts";

test("a node wakes up when something is due, and nothing is due before", () => {
	const joined = watchFrom(1000);
	expect(untilDueMs(joined, 1000)).toBe(0);
	const { watch, acts } = ticked(joined, 1000);
	expect([acts, untilDueMs(watch, 1000)]).toEqual([["beat"], nodeTimes.beatMs]);
	expect(ticked(watch, 1000 + nodeTimes.beatMs - 1).acts).toEqual([]);
	expect(ticked(watch, 1000 + nodeTimes.beatMs).acts).toEqual(["beat"]);
	// the last beat before it has to be suspended was just sent
	const silent = { ...watch, sentAt: 1000 + nodeTimes.suspendMs - 10 };
	expect(untilDueMs(silent, 1000 + nodeTimes.suspendMs - 10)).toBe(10);
	expect(ticked(silent, 1001 + nodeTimes.suspendMs).acts).toEqual(["suspend"]);
	for (const calm of [{ alone: true }, { suspended: true }])
		expect(untilDueMs({ ...silent, ...calm }, 1000 + nodeTimes.suspendMs)).toBe(nodeTimes.beatMs - 10);
});
