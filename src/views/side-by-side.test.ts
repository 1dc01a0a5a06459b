import { expect, test } from "vitest";
import { diffFiles } from "./diff-lines.ts";
import { sideBySide } from "./side-by-side.ts";

const shown = (lines: string) =>
	sideBySide(diffFiles(`diff --git a/x b/x\n--- a/x\n+++ b/x\n${lines}`)[0] ?? { lines: [] }).map((row) =>
		row.kind === "hunk" ? "hunk" : [row.left?.line.text ?? null, row.right?.line.text ?? null],
	);

test("deleted lines stand beside those that came in their place", () => {
	const lines = shown("@@ -1,4 +1,3 @@\n same\n-one\n-two\n+ONE\n last\n+more\n");
	expect(lines).toEqual(["hunk", ["same", "same"], ["one", "ONE"], ["two", null], ["last", "last"], [null, "more"]]);
});

const [mark, note] = ["\\ No newline at end of file\n", "No newline at end of file"];

test.each([
	[
		"an added file",
		`+one\n${mark}`,
		[
			[null, "one"],
			[null, note],
		],
	],
	[
		"a deleted file",
		`-one\n${mark}`,
		[
			["one", null],
			[note, null],
		],
	],
	[
		"both sides",
		` one\n${mark}`,
		[
			["one", "one"],
			[note, note],
		],
	],
	[
		"the old side",
		`-one\n${mark}+one\n`,
		[
			["one", "one"],
			[note, null],
		],
	],
])("a last line without a newline is noted beside the line: of %s", (_, lines, expected) => {
	expect(shown(`@@ -1 +1 @@\n${lines}`)).toEqual(["hunk", ...expected]);
});
