import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isRunning } from "./is-running.ts";
import { replaceOlder, whyNotStopped } from "./upgrade.ts";

/** A process that has the home's lock open, as a daemon has, and runs this. */
async function older(script: string): Promise<{ home: string; status: Parameters<typeof replaceOlder>[0] }> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-upgrade-"));
	const lock = openSync(path.join(home, "lock"), "w");
	const child = spawn(process.execPath, ["-e", `${script}; process.on("message", () => {}); process.send("up")`], {
		stdio: ["ignore", "ignore", "inherit", "ipc", lock],
	});
	closeSync(lock);
	onTestFinished(() => void child.kill("SIGKILL"));
	await once(child, "message");
	return { home, status: { pid: child.pid ?? 0, version: "0.0.1", turns: 2 } };
}

test("a daemon that stops in spite of open turns, which are of human agents or other nodes, is replaced", async () => {
	const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
	onTestFinished(() => said.mockRestore());
	const { home, status } = await older('process.on("SIGURG", () => process.exit())');
	expect(await replaceOlder(status, home, 20_000)).toBe(true);
	// control: one that goes on is not, and the message says what is known of its turns
	const busy = await older("");
	expect(await replaceOlder(busy.status, busy.home, 0)).toBe(false);
	expect(said.mock.calls.map(([text]) => text)).toEqual([
		expect.stringMatching(/^Restarted the daemon: it was brood 0\.0\.1/),
		expect.stringMatching(/^The daemon is still brood 0\.0\.1: 2 turns are open\. /),
	]);
});

test("a daemon goes on if the newer one could not start in its place, and it is said why", async () => {
	const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
	onTestFinished(() => said.mockRestore());
	const { home, status } = await older('process.on("SIGURG", () => process.exit())');
	writeFileSync(path.join(home, "config.yaml"), "colour: red\n");
	expect(await replaceOlder(status, home, 20_000)).toBe(false);
	expect(said.mock.calls.map(([text]) => text)).toEqual([
		expect.stringMatching(
			/^The daemon is still brood 0\.0\.1, since brood \S+ cannot start here: .*config\.yaml:1:1: /,
		),
	]);
	expect(isRunning(status.pid)).toBe(true);
	// control: once it could, the daemon is replaced
	rmSync(path.join(home, "config.yaml"));
	expect(await replaceOlder(status, home, 20_000)).toBe(true);
});

test("what is said of a daemon that has not stopped is true without turns and without a database", () => {
	expect([0, 1, null].map(whyNotStopped)).toEqual([
		"it has not stopped yet",
		"1 turn is open",
		"the database does not answer, so it does not know which turns run",
	]);
});
