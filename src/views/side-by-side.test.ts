import { expect, test } from "vitest";
import { diffFiles } from "./diff-lines.ts";
import { sideBySide } from "./side-by-side.ts";

test("deleted lines stand beside those that came in their place", () => {
	const [file] = diffFiles(
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,4 +1,3 @@\n same\n-one\n-two\n+ONE\n last\n+more\n",
	);
	const shown = sideBySide(file ?? { lines: [] }).map((row) =>
		row.kind === "hunk" ? "hunk" : [row.left?.line.text ?? null, row.right?.line.text ?? null],
	);
	expect(shown).toEqual(["hunk", ["same", "same"], ["one", "ONE"], ["two", null], ["last", "last"], [null, "more"]]);
});
