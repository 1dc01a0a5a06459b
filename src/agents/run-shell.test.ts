import { existsSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { runShell } from "./run-shell.ts";

test("a command that was stopped before it began is not begun", async () => {
	const file = path.join(mkdtempSync(path.join(os.tmpdir(), "brood-test-")), "begun");
	await expect(runShell(`touch ${file}`, AbortSignal.abort())).rejects.toThrow("stopped");
	expect(existsSync(file)).toBe(false);
});

test("a command ends when it ends itself, with all that it wrote, though a process that it left holds its output open", async () => {
	const done = runShell("seq 1 20000; sleep 1000 & echo $!", new AbortController().signal);
	const [last, told, ...rest] = (await done)
		.trimEnd()
		.split("\n")
		.slice(20_000)
		.filter((line) => line !== "");
	expect([told, rest]).toEqual(["[processes that it left in the background end with the turn]", []]);
	// the control: it still runs
	expect(process.kill(Number(last), 0)).toBe(true);
	process.kill(Number(last), "SIGKILL");
	expect(await runShell("echo alone", new AbortController().signal)).toBe("alone\n");
});
