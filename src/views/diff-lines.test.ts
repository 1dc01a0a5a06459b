import { expect, test } from "vitest";
import { diffFiles } from "./diff-lines.ts";

const patch = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ head
 one
-two
+2
 three
\\ No newline at end of file
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
diff --git a/x.png b/x.png
new file mode 100644
Binary files /dev/null and b/x.png differ
`;

test("a patch becomes files with numbered lines", () => {
	expect(diffFiles(patch)).toEqual([
		{
			...{ path: "src/a.ts", from: null, added: 1, deleted: 1, isBinary: false },
			lines: [
				{ kind: "hunk", text: "@@ -1,3 +1,3 @@ head" },
				{ kind: "context", text: "one", old: 1, new: 1 },
				{ kind: "deleted", text: "two", old: 2, new: null },
				{ kind: "added", text: "2", old: null, new: 2 },
				{ kind: "context", text: "three", old: 3, new: 3 },
				{ kind: "note", text: "No newline at end of file", old: null, new: null },
			],
		},
		{ path: "new.txt", from: "old.txt", lines: [], added: 0, deleted: 0, isBinary: false },
		{ path: "x.png", from: null, lines: [], added: 0, deleted: 0, isBinary: true },
	]);
});

test("what is no patch has no files", () => {
	expect(diffFiles("")).toEqual([]);
	expect(diffFiles("hello\n+++ b/x\n")).toEqual([]);
});
