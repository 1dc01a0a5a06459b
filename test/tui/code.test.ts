// Code, edits and diffs as parts that every surface can colour.
import { expect, test } from "vitest";
import { changeOf } from "#views/change.ts";
import { codeLines, languageOf } from "#views/code-tokens.ts";
import { diffRows, filesOf, reviewMark } from "../../src/surfaces/tui/diff.ts";
import { markdownRows } from "../../src/surfaces/tui/pi/text.ts";

test("code is cut into comments, strings, numbers and keywords, and nothing of it is lost", () => {
	const code = 'const x = 42; // "no string"\n/* over\ntwo lines */ return `a`;';
	expect(codeLines(code, "ts").map((line) => line.filter(({ kind }) => kind !== "plain"))).toEqual([
		[
			{ kind: "keyword", text: "const" },
			{ kind: "number", text: "42" },
			{ kind: "comment", text: '// "no string"' },
		],
		[{ kind: "comment", text: "/* over" }],
		[
			{ kind: "comment", text: "two lines */" },
			{ kind: "keyword", text: "return" },
			{ kind: "string", text: "`a`" },
		],
	]);
	const whole = codeLines(code, "ts").map((line) => line.map(({ text }) => text).join(""));
	expect(whole.join("\n")).toBe(code);
	expect(codeLines("# a\nx = 'b'", "py")[0]).toEqual([{ kind: "comment", text: "# a" }]);
	// control: prose has no tokens
	expect(codeLines("return to sender", "text")).toEqual([[{ kind: "plain", text: "return to sender" }]]);
	expect(["a/b.ts", "Makefile", "x.PY"].map(languageOf)).toEqual(["ts", "", "py"]);
});

test("an edit shows its changed lines, with a little around them", () => {
	const input = { file_path: "/w/a.ts", old_string: "a\nb\nc\nd\n", new_string: "a\nb\nX\nY\nd\n" };
	expect(changeOf("edit", input)).toEqual({ added: 2, deleted: 1, lines: [" a", " b", "-c", "+X", "+Y", " d"] });
	expect(changeOf("edit", { content: "new\n" })).toEqual({ added: 1, deleted: 0, lines: ["+new"] });
	expect(changeOf("execute", input)).toBeNull();
	expect(changeOf("edit", { command: "x" })).toBeNull();
});

test("code in a message has the colours of the terminal's theme, and none without colour", () => {
	const text = "```ts\nconst a = 1;\n```";
	expect(markdownRows(text, 40, true).join("\n")).toContain("\u001B[35mconst\u001B[0m");
	expect(markdownRows(text, 40, false).join("\n")).not.toContain("\u001B");
	// very deep nesting ends in plain text, not in an error
	expect(markdownRows("> ".repeat(5000), 40, false).length).toBeGreaterThan(0);
});

test("a file counts as reviewed until its lines change", () => {
	const patch = (line: string): string => `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+${line}`;
	const [one, same, other] = ["new", "new", "newer"].flatMap((line) => filesOf(patch(line))).map(reviewMark);
	expect(one).toBe(same);
	expect(one).not.toBe(other);
	const files = filesOf(`${patch("new")}\n${patch("newer")}`);
	expect(diffRows({ files, opened: new Set([1]) })).toEqual([
		{ file: 0, line: null },
		{ file: 1, line: null },
		{ file: 1, line: 0 },
		{ file: 1, line: 1 },
		{ file: 1, line: 2 },
	]);
});
