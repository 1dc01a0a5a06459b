import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a program that a test waits for ends by its deadline, also if what it started holds on to its output", () => {
	expect(() => execFileSync("sleep", ["600"], { timeout: 50 })).toThrow("ETIMEDOUT");
	expect(spawnSync("sh", ["-c", "sleep 5 & sleep 600"], { timeout: 50 }).error).toMatchObject({ code: "ETIMEDOUT" });
});

test("a test's programs have a deadline of their own accord", () => {
	expect(execFileSync.name).toBe("bounded");
	expect(spawnSync.name).toBe("bounded");
	expect(spawnSync("sh", ["-c", "exit 3"]).status).toBe(3);
	expect(execFileSync("cat", { input: "word", encoding: "utf8" })).toBe("word");
});
