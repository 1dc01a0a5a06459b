import { expect, test } from "vitest";
import { type CommentBoxes, closed, endedAt, noBoxes, opened, typed } from "./comment-boxes.ts";
import type { Picked } from "./review-lines.tsx";

const line = (from: number, path = "a.ts"): Picked => ({ path, side: "new", from, to: from, lines: [] });
const shown = ({ ranges, texts }: CommentBoxes) =>
	ranges.map((range) => [range.path, range.from, range.to, texts.get(range) ?? ""]);

test("a box with text stays open when another line is picked, and an empty one does not", () => {
	const three = line(3);
	const half = typed(opened(noBoxes, three, false), three, "half a sen");
	const both = opened(half, line(9), false);
	expect(shown(both)).toEqual([
		["a.ts", 3, 3, "half a sen"],
		["a.ts", 9, 9, ""],
	]);
	expect(shown(opened(both, line(12), false))).toEqual([
		["a.ts", 3, 3, "half a sen"],
		["a.ts", 12, 12, ""],
	]);
	// picked again, it goes on
	expect(shown(opened(both, line(3), false))).toEqual([["a.ts", 3, 3, "half a sen"]]);
	expect(shown(closed(both, three))).toEqual([["a.ts", 9, 9, ""]]);
});

test("a range that is extended keeps its text, and does not reach into another file", () => {
	const three = line(3);
	const half = typed(opened(noBoxes, three, false), three, "half a sen");
	const range = opened(half, line(7), true);
	expect(shown(range)).toEqual([["a.ts", 3, 7, "half a sen"]]);
	expect(shown(opened(range, line(1), true))).toEqual([["a.ts", 1, 7, "half a sen"]]);
	expect(shown(opened(half, line(7, "b.ts"), true))).toEqual([
		["a.ts", 3, 3, "half a sen"],
		["b.ts", 7, 7, ""],
	]);
});

test("a range ends at the line that is entered, or at the last one before it that the diff shows", () => {
	const shownLines = [3, 4, 5, 20].map((at) => ({ kind: "added" as const, text: "", old: null, new: at }));
	const three: Picked = { ...line(3), lines: shownLines };
	const half = typed(opened(noBoxes, three, false), three, "half a sen");
	const ends = [5, 12, 99, 2, Number.NaN].map((to) => shown(endedAt(half, three, to)));
	expect(ends).toEqual([5, 5, 20, 3, 3].map((to) => [["a.ts", 3, to, "half a sen"]]));
});
