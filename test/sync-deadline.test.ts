import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a program that a test waits for ends by its deadline, also if what it started holds on to its output", () => {
	expect(() => execFileSync("sleep", ["600"], { timeout: 50 })).toThrow("ETIMEDOUT");
	expect(spawnSync("sh", ["-c", "sleep 5 & sleep 600"], { timeout: 50 }).error).toMatchObject({ code: "ETIMEDOUT" });
});

test("a test's programs have a deadline of their own accord", () => {
	// set by the run's set-up file, before this file was loaded
	const limits = Reflect.get(globalThis, Symbol.for("brood.sync-limits"));
	const { timeout } = limits;
	expect(timeout).toBe(120_000);
	try {
		limits.timeout = 50;
		for (const wait of [() => execFileSync("sleep", ["20"]), () => execFileSync("sleep 20", { shell: true })])
			expect(wait).toThrow("ETIMEDOUT");
		for (const { error } of [spawnSync("sleep", ["20"]), spawnSync("sleep 20", { shell: true })])
			expect(error).toMatchObject({ code: "ETIMEDOUT" });
		// the control: a deadline of its own comes first
		expect(spawnSync("sleep", ["0.2"], { timeout: 20_000 })).toMatchObject({ status: 0, signal: null });
	} finally {
		limits.timeout = timeout;
	}
	expect(spawnSync("sh", ["-c", "exit 3"]).status).toBe(3);
	expect(execFileSync("cat", { input: "word", encoding: "utf8" })).toBe("word");
});
