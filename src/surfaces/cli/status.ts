import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import type { Status } from "#contract/wire.ts";
import { givenAddress, running } from "./connect.ts";
import { print, printData, printError } from "./print.ts";

export function statusLine({ version, url, pid, home, store, containment, agents, turns, troubles }: Status): string {
	const wrong = troubles.map(({ what, text, fix }) => `\nFIX ${what}: ${text}${fix === null ? "" : `\n    ${fix}`}`);
	return `brood ${version} at ${url} (pid ${pid})\nhome ${home}, store ${store}, containment ${containment}\n${agents} agents alive, ${turns} turns running${wrong.join("")}`;
}

/** Answered when the daemon has exited. */
export async function down(options: { json?: boolean | undefined }): Promise<void> {
	// the process number of a daemon means another process inside an agent's walls
	if (givenAddress() !== null) {
		process.exitCode = printError(new Refused(refuse("FORBIDDEN", "This is not for agents.")), options.json === true);
		return;
	}
	const status = (await running())?.status ?? null;
	if (status !== null) {
		process.kill(status.pid, "SIGTERM");
		while (exists(status.pid)) await pause(20);
	}
	if (options.json === true) printData(status);
	else print(status === null ? "no daemon was running" : `stopped (pid ${status.pid})`);
}

function exists(pid: number): boolean {
	try {
		process.kill(pid, 0);
		// one that has ended and that nobody has taken notice of yet still has its number
		return !/^\d+ \(.*\) Z/s.test(statOf(pid));
	} catch {
		return false;
	}
}

function statOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/stat`, "latin1");
	} catch {
		return "";
	}
}

/** A project's name from its folder's. */
export function slugOf(folder: string): string {
	return path
		.basename(path.resolve(folder))
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.replaceAll(/^-+|-+$/g, "")
		.slice(0, 64);
}
