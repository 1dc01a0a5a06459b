// Bubblewrap's inner process waits for a word of its outer one, without end if that one dies first. The kernel ends the
// outer one with the daemon, so somebody else has to end the inner one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { startContained } from "#adapters/system/contained-process.ts";
import { alive, commandOf } from "#adapters/system/processes.ts";
import { homeIdName } from "#contract/own-variables.ts";
import { findProgram } from "#test/support/debian-packages.ts";
import { runProgram } from "#test/support/process.ts";
import { configure, hasSandboxes, killAll, processesOf } from "#test/support/processes.ts";
import { shapes } from "#test/support/shapes.ts";
import { freshFolder } from "#test/support/stores.ts";

const onTime = { timeout: 10_000 };
const agents = Object.keys(shapes).length;

describe.runIf(hasSandboxes)("bubblewrap that is about to tell its inner process to go on", () => {
	const real = findProgram(["bwrap"]) ?? "";
	// it writes about itself right before, into a pipe that is full
	const full = (pipe: string) =>
		`mkfifo ${pipe}; exec 9<>${pipe}; dd if=/dev/zero bs=65536 count=1 >&9 2>/dev/null; rm ${pipe}`;

	/** A PATH with a bubblewrap that stops at that place, but not for the daemon's look at what works here. */
	function slowPath(): string {
		const tools = freshFolder();
		const stops = `${full(`${tools}/$$`)}; exec ${real} --info-fd 9 "$@"`;
		const script = `#!/bin/sh\nif [ -n "$BROOD_AGENT" ]; then ${stops}; fi\nexec ${real} "$@"\n`;
		writeFileSync(path.join(tools, "bwrap"), script, { mode: 0o755 });
		return `${tools}:${process.env["PATH"]}`;
	}
	const both = (pids: readonly number[]): number[] => pids.filter((pid) => commandOf(pid).startsWith(real));
	const carrying = (mark: string): number[] =>
		both(alive().flatMap(({ pid, environment }) => (environment.includes(mark) ? pid : [])));

	test("leaves nothing behind when the daemon is killed", { timeout: 60_000 }, async () => {
		const home = freshFolder();
		configure(home, "bubblewrap");
		const ran = await runProgram("shapes", [home], {
			through: ["env", `PATH=${slowPath()}`],
			watch(line, child) {
				if (line !== "all are asked") return;
				const started = () => expect(both(processesOf(home))).toHaveLength(2 * agents);
				void vi.waitFor(started, { timeout: 30_000 }).finally(() => child.kill("SIGKILL"));
			},
		});
		expect(ran.signal, ran.errors).toBe("SIGKILL");
		await vi.waitFor(() => expect(processesOf(home)).toEqual([]), onTime);
	});

	const environment = (mark: string) => ({ PATH: slowPath(), BROOD_AGENT: "a", [homeIdName]: mark });

	test("leaves nothing behind when it is killed itself", async () => {
		const mark = path.basename(freshFolder());
		const program = { command: "/bin/sleep", args: ["60"], environment: environment(mark) };
		const { child } = startContained({ ...program, containment: "bubblewrap", mounts: null });
		await vi.waitFor(() => expect(carrying(mark)).toHaveLength(2), onTime);
		child.kill("SIGKILL");
		await vi.waitFor(() => expect(carrying(mark)).toEqual([]), onTime);
	});

	test("leaves nothing behind at any other moment of its start either", async () => {
		const mark = path.basename(freshFolder());
		const env = { PATH: process.env["PATH"] ?? "", [homeIdName]: mark };
		const program = { command: "/bin/sleep", args: ["60"], environment: env };
		for (let round = 0; round < 60; round++) {
			const { child } = startContained({ ...program, containment: "bubblewrap", mounts: null });
			await pause(round % 20);
			child.kill("SIGKILL");
		}
		const left = () => alive().flatMap(({ pid, environment: each }) => (each.includes(mark) ? pid : []));
		await vi.waitFor(() => expect(left()).toEqual([]), onTime);
	});

	test("the control: without a watcher its inner process stays", async () => {
		const mark = path.basename(freshFolder());
		const wrapper = ["--die-with-parent", "--new-session", "--unshare-pid", "--dev-bind", "/", "/", "sleep", "60"];
		const child = spawn("/bin/sh", ["-c", 'exec bwrap "$@"', "sh", ...wrapper], {
			env: environment(mark),
			stdio: "ignore",
			detached: true,
		});
		await vi.waitFor(() => expect(carrying(mark)).toHaveLength(2), onTime);
		child.kill("SIGKILL");
		await once(child, "exit");
		const left = carrying(mark);
		killAll(left);
		expect(left).toHaveLength(1);
	});
});
