import { expect, test } from "vitest";
import { hitIn } from "./sought-words.ts";

test("a hit is where the longest word begins, whatever its case, its place in the search and its mark of a prefix", () => {
	const text = "go on: forgo the Gondola, gondola";
	expect(hitIn(text, "go gond*")).toEqual({ from: 17, to: 21 });
	expect(hitIn(text, '"the gondola"')).toEqual({ from: 17, to: 24 });
	expect(hitIn(text, "go")).toEqual({ from: 0, to: 2 });
	expect(["rgo", "absent", "", "*"].map((words) => hitIn(text, words))).toEqual([null, null, null, null]);
});
