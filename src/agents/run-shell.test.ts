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
