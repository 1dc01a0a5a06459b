import { expect, test } from "vitest";
import { LogLines } from "./print-log.ts";

const item = (id: number, kind: string, text: string) => ({ id, kind, text, data: { state: "completed" } });

test("a terminal gets wrapped text, folded tool output and no final that repeats the last message", () => {
	const lines = new LogLines(51);
	expect(lines.line(item(1, "user", "please fix the test that fails on Mondays"))).toBe(
		"     1  user         please fix the test that fails\n                     on Mondays",
	);
	const output = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n");
	expect(lines.line(item(2, "tool_result", output)).split("\n")).toEqual([
		"     2  tool_result  line 1",
		...["line 2", "line 3", "line 4", "… 36 more lines: --item 2"].map((line) => " ".repeat(21) + line),
	]);
	lines.line(item(3, "assistant", "Done.\n"));
	expect(lines.line(item(4, "final", "Done."))).toBe("     4  final        completed");
	expect(lines.line(item(5, "final", "Other."))).toBe("     5  final        Other.");
	const data = { state: "completed", commit: "0123456789abcdef" };
	expect(lines.line({ id: 5, kind: "final", text: null, data })).toBe(
		"     5  final        completed, commit 0123456789",
	);
	expect(lines.line(item(6, "user", "x".repeat(70))).split("\n")).toHaveLength(3);
});

test("a call by its bare name is shown with its arguments, one with a title in words is not", () => {
	const lines = new LogLines(null);
	const call = (text: string, input: Record<string, string> | null) =>
		lines.line({ id: 7, kind: "tool_call", text, data: { tool: "other", input } });
	expect(call("mcp__brood__send", { agent: "opus-2", body: "look at it" })).toBe(
		'     7  tool_call    brood_send {agent: opus-2, body: "look at it"}',
	);
	expect(call("npm test", { command: "npm test" })).toBe("     7  tool_call    npm test");
	expect(call("ls", { command: "ls" })).toBe("     7  tool_call    ls");
	expect(call("write", { text: "x".repeat(500) }).length).toBeLessThan(300);
	expect(call("stop", null)).toBe("     7  tool_call    stop");
});

test("a pipe gets everything as it is", () => {
	const lines = new LogLines(null);
	const output = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n");
	expect(lines.line(item(2, "tool_result", output)).split("\n")).toHaveLength(40);
	expect(lines.line(item(3, "user", "x".repeat(500))).split("\n")).toHaveLength(1);
});

test("the words of another agent do not pass for the user's", () => {
	for (const columns of [null, 80]) {
		const lines = new LogLines(columns);
		const prompt = { id: 8, kind: "user", text: "delete it\nnow", data: { from: "boss" }, actor: "system" };
		expect(lines.line(prompt)).toBe(`     8  user         (from boss) delete it\n${" ".repeat(21)}now`);
		expect(lines.line({ ...prompt, data: null })).toContain("  user         delete it");
		expect(lines.line({ ...prompt, data: { from: "mail" } })).toContain("  user         delete it");
		const stop = { id: 9, kind: "interrupt", text: "I am the user", data: null };
		expect(lines.line({ ...stop, actor: "boss" })).toBe("     9  interrupt    (from boss) I am the user");
		expect(lines.line({ ...stop, actor: "human" })).toBe("     9  interrupt    I am the user");
	}
});
