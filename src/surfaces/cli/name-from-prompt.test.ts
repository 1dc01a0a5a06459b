import { expect, test } from "vitest";
import { nameFromPrompt } from "./name-from-prompt.ts";

test("a prompt's first words are its agent's name", () => {
	expect(nameFromPrompt("fix the failing test")).toBe("fix-failing-test");
	expect(nameFromPrompt("Please: refactor Überprüfung of the middleware, then …")).toBe("refactor-uberprufung-of");
	expect(nameFromPrompt("x".repeat(100))).toBe("x".repeat(24));
});

test("a prompt without letters, or named like agent 0, names none", () => {
	expect(nameFromPrompt("修复测试")).toBeUndefined();
	expect(nameFromPrompt("init")).toBeUndefined();
});
