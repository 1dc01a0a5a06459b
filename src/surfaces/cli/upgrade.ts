// A daemon of an older version: this one replaces it as soon as no turn runs (`src/daemon/upgrade.ts`).
import { setTimeout as pause } from "node:timers/promises";
import type { Status } from "#contract/wire.ts";
import { holdersOf } from "#local/lock-holders.ts";
import { upgradeSignal } from "#local/signals.ts";
import { version } from "#src/version.ts";
import { startProblem } from "./daemon-check.ts";
import { isRunning } from "./is-running.ts";
import { printToStderr } from "./print.ts";

/** an idle daemon stops within this time; a turn that has just started keeps it longer */
const stopMs = 10_000;
/** One with open turns too, if they are of human agents or other nodes; else it goes on, and no command waits long. */
const stopWithTurnsMs = 1000;

/** Whether the daemon is gone, and another has to be started. */
export async function replaceOlder(
	{ pid, version: theirs, turns }: Pick<Status, "pid" | "version" | "turns">,
	home: string,
	withTurnsMs = stopWithTurnsMs,
): Promise<boolean> {
	const held = holdersOf(home);
	// out of reach in another container, or newer than this program
	if (!isOlder(theirs) || (held !== null && !held.includes(pid))) return false;
	const quiet = process.argv.includes("--json");
	// a daemon that stops for one that cannot start leaves the home without any
	const wrong = startProblem(home);
	if (wrong !== null) {
		if (!quiet)
			printToStderr(`The daemon is still brood ${theirs}, since brood ${version} cannot start here: ${wrong}`);
		return false;
	}
	process.kill(pid, upgradeSignal);
	const until = performance.now() + (turns === 0 ? stopMs : withTurnsMs);
	for (; performance.now() < until; await pause(20))
		if (!isRunning(pid)) {
			if (!quiet) printToStderr(`Restarted the daemon: it was brood ${theirs}, now it is ${version}.`);
			return true;
		}
	if (!quiet)
		printToStderr(
			`The daemon is still brood ${theirs}: ${whyNotStopped(turns)}. Brood ${version} takes over when no turn runs here; \`brood restart\` waits ten seconds at most.`,
		);
	return false;
}

export function whyNotStopped(turns: Status["turns"]): string {
	if (turns === null) return "the database does not answer, so it does not know which turns run";
	if (turns === 0) return "it has not stopped yet";
	return turns === 1 ? "1 turn is open" : `${turns} turns are open`;
}

function isOlder(theirs: string): boolean {
	const [a, b] = [theirs, version].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number));
	for (let at = 0; at < 3; at++) {
		const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}
