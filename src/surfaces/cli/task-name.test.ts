import { expect, test } from "vitest";
import { taskName } from "./task-name.ts";

test("a task's first words are its agent's name", () => {
	expect(taskName("fix the failing test")).toBe("fix-failing-test");
	expect(taskName("Please: refactor Überprüfung of the middleware, then …")).toBe("refactor-uberprufung-of");
	expect(taskName("x".repeat(100))).toBe("x".repeat(24));
});

test("a task without letters, or named like agent 0, names none", () => {
	expect(taskName("修复测试")).toBeUndefined();
	expect(taskName("init")).toBeUndefined();
});
