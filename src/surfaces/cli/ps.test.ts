import { expect, test } from "vitest";
import { News } from "./ps.ts";

test("a watched list is read at first, after each event and now and then, and not in between", () => {
	const news = new News();
	const due = (ticks: number): number[] => Array.from({ length: ticks }, (_, at) => at).filter(() => news.isDue());
	expect(due(10)).toEqual([0]);
	news.arrived();
	news.arrived();
	expect(due(40)).toEqual([0, 16, 32]);
});
