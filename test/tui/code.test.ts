// Code, edits and diffs as parts that every surface can colour.
import { expect, test } from "vitest";
import { terminalKey } from "#test/support/terminal-key.ts";
import { idOf, moment } from "#tools/terminal-frames.ts";
import { changeOf } from "#views/change.ts";
import { codeLines, languageOf } from "#views/code-tokens.ts";
import { colouredCode } from "../../src/surfaces/tui/code-colours.ts";
import { diffPanel, filesOf, layoutOf, reviewMark, withFile } from "../../src/surfaces/tui/diff.ts";
import { diffLine } from "../../src/surfaces/tui/diff-line.ts";
import { actionOf } from "../../src/surfaces/tui/keymap.ts";
import { firstState } from "../../src/surfaces/tui/model.ts";
import { panelRows } from "../../src/surfaces/tui/panels.ts";
import { keyOf } from "../../src/surfaces/tui/pi/screen.ts";
import { markdownRows, widthOf } from "../../src/surfaces/tui/pi/text.ts";
import { update } from "../../src/surfaces/tui/update.ts";

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
	const spans = (text: string, language: string): string[][] =>
		codeLines(text, language).map((line) => line.filter(({ kind }) => kind !== "plain").map((token) => token.text));
	expect(spans('x = """a\nis for\n"""\nfor', "py")).toEqual([['"""a'], ["is for"], ['"""'], ["for"]]);
	expect(spans("`a \\` b\nif` + 1", "ts")).toEqual([["`a \\` b"], ["if`", "1"]]);
	expect(spans("<!-- a\nif -->", "html")).toEqual([["<!-- a"], ["if -->"]]);
	expect(spans("url(http://x/y) /* a */", "css")).toEqual([["/* a */"]]);
	expect(spans("select a", "sql")).toEqual([["select"]]);
	// control: prose has no tokens
	expect(codeLines("@@ -1 +1 @@\n-old\n+new\n same", "diff").map(([token]) => token?.kind)).toEqual([
		...["comment", "deleted", "added", "plain"],
	]);
	expect(codeLines("return to sender", "text")).toEqual([[{ kind: "plain", text: "return to sender" }]]);
	expect(["a/b.ts", "Makefile", "x.PY"].map(languageOf)).toEqual(["ts", "", "py"]);
});

test("an edit shows its changed lines, with a little around them", () => {
	const input = { file_path: "/w/a.ts", old_string: "a\nb\nc\nd\n", new_string: "a\nb\nX\nY\nd\n" };
	expect(changeOf("edit", input)).toEqual({ added: 2, deleted: 1, lines: [" a", " b", "-c", "+X", "+Y", " d"] });
	expect(changeOf("edit", { content: "new\n" })).toEqual({ added: 1, deleted: 0, lines: ["+new"] });
	const many = Array.from({ length: 20 }, (_, at) => `line ${at}`);
	const apart = { old_string: ["a", ...many, "z"].join("\n"), new_string: ["A", ...many, "Z", "end"].join("\n") };
	expect(changeOf("edit", apart)).toEqual({
		...{ added: 3, deleted: 2 },
		lines: ["-a", "+A", " line 0", " line 1", " ⋯", " line 18", " line 19", "-z", "+Z", "+end"],
	});
	expect(changeOf("execute", input)).toBeNull();
	expect(changeOf("edit", { command: "x" })).toBeNull();
});

test("code in a message has the colours of the terminal's theme, and none without colour", () => {
	const text = "```ts\nconst a = 1;\n```";
	const rows = (words: string, colour: boolean) => markdownRows(words, { width: 40, colour, highlight: colouredCode });
	expect(rows(text, true).join("\n")).toContain("\u001B[35mconst\u001B[0m");
	expect(rows(text, false).join("\n")).not.toContain("\u001B");
	// very deep nesting ends in plain text, not in an error
	expect(rows("> ".repeat(5000), false).length).toBeGreaterThan(0);
});

test("a file counts as viewed until it changes", () => {
	const patch = (line: string): string => `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+${line}`;
	const markOf = (line: string, agent = "one"): (string | null)[] =>
		filesOf(patch(line)).map((file) => reviewMark({ route: "diff", agent }, file));
	expect(markOf("Aa")).toEqual(markOf("Aa"));
	// their letters add up to the same number, or are the same in other lines, or are another agent's
	const others = [markOf("BB"), markOf("Aa"), markOf("+\nAa"), markOf("\n+Aa"), markOf("Aa", "fork")];
	expect(new Set(others.flat()).size).toBe(5);
	// a binary file has no lines; git names its contents
	const binary = (id: string): string =>
		`diff --git a/x b/x\nindex 1111111..${id} 100644\nBinary files a/x and b/x differ`;
	const binaries = filesOf(`${binary("2222222")}\n${binary("3333333")}\n${binary("2222222")}`);
	const [first, ...rest] = binaries.map((file) => reviewMark({ route: "diff", agent: "one" }, file));
	expect(rest.map((mark) => mark === first)).toEqual([false, true]);
	const files = filesOf(`${patch("new")}\n${patch("newer")}`);
	const rows = layoutOf({ files, opened: new Set([1]) }, 40);
	expect(Array.from({ length: rows.count }, (_, at) => rows.rowAt(at)).map(({ file, line }) => [file, line])).toEqual([
		[0, null],
		[1, null],
		[1, 0],
		[1, 1],
		[1, 2],
	]);
	expect([0, 1].map(rows.rowOfFile)).toEqual([0, 1]);
});

test("a renamed file is shown with the name that it had, whether its lines are loaded or not", () => {
	const patch = "diff --git a/old.txt b/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to new.txt\n";
	const files = ["new.txt", "later.txt"].map((path) => ({ path, from: "old.txt", added: 0, deleted: 0 }));
	const total = { files: 2, added: 0, deleted: 0 };
	const diff = { against: "main", files, total, omitted: [], truncated: true, patch };
	const panel = diffPanel({ ...diff, next: { file: null, patch: "later.txt" } }, "changes", {
		...({ route: "diff", agent: "x" } as const),
	});
	const state = { ...firstState(idOf("B")), panel };
	const rows = panelRows(state, panel, moment([]), { width: 60, height: 8, colour: false });
	expect(rows.flatMap((row) => /\S+ → \S+/.exec(row)?.[0] ?? [])).toEqual(["old.txt → new.txt", "old.txt → later.txt"]);
});

test("a long line of a diff is drawn in several rows, and no letter of it is lost", () => {
	const line = `+${"wide 日本語 and ".repeat(9)}the end`;
	const files = [
		filesOf("diff --git a/x b/x\n@@ -1 +1,2 @@\n-short")[0],
		{ path: "y", added: 1, deleted: 0, lines: [line], viewed: line },
	];
	for (const width of [7, 20, 61]) {
		const layout = layoutOf({ files: files.flatMap((file) => file ?? []), opened: new Set([0, 1]) }, width);
		const drawn = Array.from({ length: layout.count }, (_, at) => layout.rowAt(at))
			.flatMap(({ file, part }) => (file === 1 && part !== null ? [part] : []))
			.map((part) => diffLine(line, part, "y", false));
		expect(drawn.length).toBeGreaterThan(2);
		expect(drawn.every((row) => widthOf(row) <= width + 2)).toBe(true);
		expect(drawn.map((row) => row.slice(2)).join("")).toBe(line);
		expect(drawn.map((row) => row.slice(0, 2)).filter((margin) => margin === "↳ ")).toHaveLength(drawn.length - 1);
		// the row after a wrapped file is where the layout says
		expect(layout.rowAt(layout.rowOfFile(1))).toEqual({ file: 1, line: null, part: null });
	}
});

test("a diff that is longer than an answer lists all files, and shows a file once its lines are there", () => {
	const patch = (name: string): string => `diff --git a/${name} b/${name}\n@@ -1 +1 @@\n-old\n+new\n`;
	const listed = ["a", "b", "c"].map((path) => ({ path, from: null, added: 1, deleted: 1 }));
	const diff = {
		...{ against: "main", files: listed, total: { files: 3, added: 3, deleted: 3 }, omitted: [], truncated: true },
		// of b only the beginning fitted
		...{ patch: patch("a") + patch("b"), next: { file: null, patch: "b" } },
	};
	const panel = diffPanel(diff, "changes", { route: "diff", agent: "x" });
	expect(panel.files.map(({ path, lines }) => [path, lines?.length ?? null])).toEqual([
		["a", 3],
		["b", null],
		["c", null],
	]);
	expect(panel.files.map((file) => reviewMark(panel.source, file) === null)).toEqual([false, true, true]);
	const [loaded] = filesOf(patch("c"));
	if (loaded === undefined) throw new Error("the patch has a file");
	const opened = withFile(panel, loaded);
	expect([...opened.opened]).toEqual([2]);
	expect(layoutOf(opened, 40).count).toBe(6);
	// `o` opens those that are loaded, and says why not the others
	const all = update({ ...firstState(idOf("B")), panel }, terminalKey("o"), moment([])).state;
	expect(all.panel).toMatchObject({ opened: new Set([0]) });
	expect(all.status?.text).toBe("2 files more: the lines of a long diff are loaded when you open a file.");
	const rows = panelRows(all, panel, moment([]), { width: 60, height: 8, colour: false });
	expect(rows.filter((row) => row.includes("not loaded"))).toHaveLength(2);
	expect(withFile(panel, { ...loaded, path: "elsewhere" })).toBe(panel);
});

test("a file whose lines are not loaded says that it was viewed before, and Space does not take the mark away", () => {
	const patch = (name: string): string => `diff --git a/${name} b/${name}\n@@ -1 +1 @@\n-old\n+new\n`;
	const listed = ["a b", "b"].map((path) => ({ path, from: null, added: 1, deleted: 1 }));
	const total = { files: 2, added: 2, deleted: 2 };
	const next = { file: null, patch: "a b" };
	const diff = { against: "main", files: listed, total, omitted: [], truncated: true, patch: "", next };
	const panel = diffPanel(diff, "changes", { route: "diff", agent: "x" });
	const [file] = filesOf(patch("a b"));
	if (file === undefined) throw new Error("the patch has a file");
	const kept = reviewMark(panel.source, file) ?? "";
	// neither another agent's file nor one whose name only ends alike
	const viewed = new Set([kept, "y b hash", "x a/ b hash", "x c b hash"]);
	const state = { ...firstState(idOf("B")), panel, viewed };
	const shown = (of: typeof state) =>
		panelRows(of, of.panel, moment([]), { width: 60, height: 9, colour: false })
			.slice(0, 3)
			.map((row) => row.replaceAll(/ *( {2}|─{2,})/g, " … "));
	expect(shown(state)).toEqual([
		"┌ changes: 2 files, 0 viewed, 1 viewed before … ┐",
		"│>✓ ▸ a b … +1 −1 … viewed before, not loaded … │",
		"│ ○ ▸ b … +1 −1 … not loaded … │",
	]);
	const { state: after, effects } = update(state, terminalKey("space"), moment([]));
	expect([after.viewed, effects]).toEqual([viewed, [{ do: "load-file", source: panel.source, path: "a b" }]]);
	expect(after.status?.text).toBe("Its lines are loaded first: it stays marked if they are as you viewed them.");
	const loaded = { ...state, panel: withFile(panel, file) };
	expect(shown(loaded).slice(0, 2)).toEqual(["┌ changes: 2 files, 1 viewed … ┐", "│>✓ ▾ a b … +1 −1 … │"]);
	const [changed] = filesOf(patch("a b").replace("+new", "+newer"));
	if (changed === undefined) throw new Error("the patch has a file");
	expect(shown({ ...state, panel: withFile(panel, changed) })[1]).toBe("│>○ ▾ a b … +1 −1 … │");
});

test("a tab has four columns in the code of a message, as in a diff", () => {
	const inMessage = markdownRows("```\ny\n\tx\n```", { width: 40, colour: false, highlight: colouredCode });
	const inDiff = ["+y", "+\tx"].map((line) => diffLine(line, { from: 0, to: 20 }, "x.txt", false));
	const widths = [inMessage.slice(1, 3), inDiff].map(
		([first = "", second = ""]) => second.indexOf("x") - first.indexOf("y"),
	);
	expect(widths).toEqual([4, 4]);
});

test("Home and End are known as tmux, screen and other terminals send them", () => {
	const sent = ["\u001B[1~", "\u001B[4~", "\u001B[H", "\u001B[F", "\u001Bf"];
	expect(sent.map(keyOf)).toEqual(["home", "end", "home", "end", "alt+f"]);
});

test("a capital letter is the key with Shift, as a plain terminal and one with kitty's keys send it", () => {
	const sent = ["G", "\u001B[103;2u", "g", "Ä", "1"];
	expect(sent.map(keyOf).map((key) => actionOf("queue", key))).toEqual(["bottom", "bottom", "top", null, null]);
	expect(["K", "J"].map((key) => actionOf("queue", keyOf(key)))).toEqual(["move-up", "move-down"]);
});
