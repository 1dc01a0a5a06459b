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
	const files = diffFiles(patch);
	expect(`${files.map(({ source }) => source).join("\n")}\n`).toBe(patch);
	expect(files.map(({ source: _, ...file }) => file)).toEqual([
		{
			...{ path: "src/a.ts", from: null, added: 1, deleted: 1, isBinary: false, mode: null },
			lines: [
				{ kind: "hunk", text: "@@ -1,3 +1,3 @@ head" },
				{ kind: "context", text: "one", old: 1, new: 1 },
				{ kind: "deleted", text: "two", old: 2, new: null },
				{ kind: "added", text: "2", old: null, new: 2 },
				{ kind: "context", text: "three", old: 3, new: 3 },
				{ kind: "note", text: "No newline at end of file", old: null, new: null },
			],
		},
		{ path: "new.txt", from: "old.txt", lines: [], added: 0, deleted: 0, isBinary: false, mode: null },
		{ path: "x.png", from: null, lines: [], added: 0, deleted: 0, isBinary: true, mode: null },
	]);
});

test("what a file is beside its text is said: its mode, a link, a file that became one", () => {
	const modes = [
		"old mode 100644\nnew mode 100755",
		"new file mode 100755\nindex 0..1",
		"new file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd",
		"index 1..2 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b",
		"new file mode 160000\nindex 0..1",
		"deleted file mode 100644\nindex 1..0\n@@ -1 +0,0 @@\n-a\ndiff --git a/x b/x\nnew file mode 120000\nindex 0..1\n@@ -0,0 +1 @@\n+b",
	].map((head) => diffFiles(`diff --git a/x b/x\n${head}\n`).map(({ mode, lines }) => [mode, lines.length]));
	expect(modes).toEqual([
		[["mode 644 → 755", 0]],
		[["mode 755", 0]],
		[["symlink", 2]],
		[["symlink", 3]],
		[["submodule", 0]],
		[["file → symlink", 4]],
	]);
});

test("what is not a patch has no files", () => {
	expect(diffFiles("")).toEqual([]);
	expect(diffFiles("hello\n+++ b/x\n")).toEqual([]);
});

test("only a line feed ends a line: what a file says after another line end hides nothing of it", () => {
	for (const end of ["\r", "\u2028", "\u2029", "\u0085", "\v", "\f"]) {
		const line = `one${end}diff --git a/README b/README${end}--- a/README${end}+++ b/README`;
		const files = diffFiles(`diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+${line}\n+hidden\n`);
		expect(files).toMatchObject([{ path: "x", added: 2, lines: [{}, { text: line }, { text: "hidden" }] }]);
	}
	// the control: a line feed does
	expect(diffFiles("diff --git a/x b/x\n@@ -0,0 +1 @@\n+one\ndiff --git a/y b/y\n@@ -0,0 +1 @@\n+two\n")).toHaveLength(
		2,
	);
});

test("a name that git quotes is read as the name that the file has", () => {
	const quoted = String.raw`"b/\033[8m \"q\" \\ \n\t \342\200\256txt"`;
	const name = '\u001b[8m "q" \\ \n\t \u202etxt';
	const paths = [
		`diff --git ${quoted.replace("b/", "a/")} ${quoted}\nnew file mode 100644\nindex 0..0\n`,
		`diff --git ${quoted.replace("b/", "a/")} ${quoted}\n--- /dev/null\n+++ ${quoted}\n@@ -0,0 +1 @@\n+x\n`,
		`diff --git a/x ${quoted}\nsimilarity index 100%\nrename from x\nrename to ${quoted.replace("b/", "")}\n`,
		String.raw`diff --git "a/\377" "b/\377"`,
	].map((each) => diffFiles(each).map(({ path }) => path));
	expect(paths).toEqual([[name], [name], [name], [String.raw`b/\377`.slice(2)]]);
});
