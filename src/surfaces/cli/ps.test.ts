import { expect, test } from "vitest";
import { RefreshTimer } from "./ps.ts";

test("a watched list is read at first, after each event and now and then, and not in between", () => {
	const refresh = new RefreshTimer();
	const due = (ticks: number): number[] => Array.from({ length: ticks }, (_, at) => at).filter(() => refresh.isDue());
	expect(due(10)).toEqual([0]);
	refresh.arrived();
	refresh.arrived();
	expect(due(40)).toEqual([0, 16, 32]);
});
