import { expect, test } from "vitest";
import { turnsAround } from "./turns-around.ts";

test("the turns around the selected one have dots; without one, the newest have", () => {
	const turns = Array.from({ length: 300 }, (_, at) => ({ id: at + 1 }));
	const ends = (selected: number | null, all = turns) => {
		const shown = turnsAround(all, selected);
		return [shown.at(0)?.id, shown.at(-1)?.id];
	};
	expect(ends(null)).toEqual([181, 300]);
	expect(ends(300)).toEqual([181, 300]);
	expect(ends(150)).toEqual([90, 209]);
	expect(ends(1)).toEqual([1, 120]);
	expect(ends(7777)).toEqual([181, 300]);
	expect(ends(2, turns.slice(0, 3))).toEqual([1, 3]);
	expect(turnsAround([], null)).toEqual([]);
});
