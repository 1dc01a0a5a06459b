import { expect, test } from "vitest";
import { GrowingMarkdown, safeHref, tokensOf } from "./markdown-blocks.ts";

test("a growing text has the tokens of the whole text at every step", () => {
	const text = "# Title\n\nSome *words* here.\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\nThe end `x`.";
	const growing = new GrowingMarkdown();
	for (let length = 1; length <= text.length; length += 3) growing.tokens(text.slice(0, length));
	const raws = (tokens: ReturnType<typeof tokensOf>): string => (tokens ?? []).map(({ raw }) => raw).join("");
	expect(raws(growing.tokens(text))).toBe(text);
	expect(growing.tokens(text)?.map(({ type }) => type)).toEqual(tokensOf(text)?.map(({ type }) => type));
});

test("a text that is replaced by another one begins anew", () => {
	const growing = new GrowingMarkdown();
	growing.tokens("a\n\nb\n\nc\n\nd");
	expect(growing.tokens("x\n\ny")?.map(({ raw }) => raw)).toEqual(["x", "\n\n", "y"]);
});

test("texts that no lexer survives are shown as they are", () => {
	for (const hostile of ["> ".repeat(5000), "- ".repeat(3000), "*".repeat(500_000)])
		expect(tokensOf(hostile)).toBeNull();
});

test("links lead to pages only", () => {
	expect(["https://a.b/c", "HTTP://a", "javascript:alert(1)", "data:text/html,x", "/local", ""].map(safeHref)).toEqual([
		...["https://a.b/c", "HTTP://a"],
		...[null, null, null, null],
	]);
});
