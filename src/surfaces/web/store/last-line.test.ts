import { expect, test } from "vitest";
import { firstLineOf, lastLineOf, lineOf } from "./last-line.ts";

test("the last line that says something, without marks of markdown", () => {
	expect(lastLineOf("one\n\n## **two** `x`\n\n")).toBe("two x");
	expect(lastLineOf("~~a~~ [link](https://a.b/c?d=1&amp;e) [not](one) &copy; R&amp;D")).toBe("a link [not](one) © R&D");
	expect(firstLineOf("\nI **look** at `a.ts`\n\n- more")).toBe("I look at a.ts");
	expect(lastLineOf("one\n[end of mail 12]\n")).toBe("one");
	expect(["", " \n \n", null, undefined].map(lastLineOf)).toEqual([null, null, null, null]);
});

test("a prompt is shown by its first line that says something", () => {
	expect(lineOf("user", "```\nFix the login\n\n- and test it")).toBe("Fix the login");
	expect(lineOf("user", "[mail 7 from agent:ann]\n| the plan\n| more\n[end of mail 7]")).toBe("| the plan");
	expect(lineOf("assistant", "one\ntwo")).toBe("two");
	expect([lineOf("user", "\n"), lineOf("user", null)]).toEqual([null, null]);
});

test("a long line is shown from its beginning", () => {
	const long = `begins here ${"and goes on ".repeat(500)}`;
	expect(lastLineOf(`first\n${long}`)).toBe(long.slice(0, 240));
});
