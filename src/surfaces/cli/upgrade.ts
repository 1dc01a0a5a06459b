// A daemon of an older version: this one replaces it as soon as no turn runs (`src/daemon/upgrade.ts`).
import { setTimeout as pause } from "node:timers/promises";
import type { Status } from "#contract/wire.ts";
import { holdersOf } from "#local/lock-holders.ts";
import { upgradeSignal } from "#local/signals.ts";
import { version } from "#src/version.ts";
import { isRunning } from "./is-running.ts";
import { printToStderr } from "./print.ts";

/** an idle daemon stops within this time; a turn that has just started keeps it longer */
const stopMs = 10_000;

/** Whether the daemon is gone, and another has to be started. */
export async function replaceOlder({ pid, version: theirs, turns }: Status, home: string): Promise<boolean> {
	const held = holdersOf(home);
	// out of reach in another container, or newer than this program
	if (!isOlder(theirs) || (held !== null && !held.includes(pid))) return false;
	process.kill(pid, upgradeSignal);
	const quiet = process.argv.includes("--json");
	for (const until = performance.now() + stopMs; turns === 0 && performance.now() < until; await pause(20))
		if (!isRunning(pid)) {
			if (!quiet) printToStderr(`Restarted the daemon: it was brood ${theirs}, now it is ${version}.`);
			return true;
		}
	const running = turns === 1 ? "1 turn is" : `${turns} turns are`;
	if (!quiet)
		printToStderr(
			`The daemon is still brood ${theirs}: ${running} running. Brood ${version} takes over when no turn runs; \`brood restart\` does not wait.`,
		);
	return false;
}

function isOlder(theirs: string): boolean {
	const [a, b] = [theirs, version].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number));
	for (let at = 0; at < 3; at++) {
		const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}
