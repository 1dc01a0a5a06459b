import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";
import type { Status } from "#contract/wire.ts";
import { holdersOf } from "#src/holders.ts";
import { givenAddress, homeOf, running } from "./connect.ts";
import { print, printData, printError, printToStderr } from "./print.ts";

export function statusLine({ version, url, pid, home, store, containment, agents, turns, problems }: Status): string {
	const wrong = problems.map(
		({ what, text, fix }) => `\nFIX ${inline(what)}: ${inline(text)}${fix === null ? "" : `\n    ${inline(fix)}`}`,
	);
	return `brood ${version} at ${url} (pid ${pid})\nhome ${home}, store ${store}, containment ${containment}\n${agents} agents alive, ${turns} turns running${wrong.join("")}`;
}

/** the daemon gives its turns ten seconds and itself ten more */
const downMs = 30_000;
const turnsMs = 10_000;

/** Answered when the daemon has exited. */
export async function down(options: { json?: boolean | undefined; quiet?: boolean }): Promise<void> {
	try {
		// inside an agent's PID namespace the daemon's pid means another process
		if (givenAddress() !== null) throw new Refused(refuse("FORBIDDEN", "This is not for agents."));
		const found = await theDaemon();
		if (options.json !== true) await nameRunningTurns();
		const how = found === null ? null : await end(found.pid);
		if (options.quiet === true) return;
		if (options.json === true) printData(found);
		else print(found === null ? "no daemon was running" : `${how} (pid ${found.pid})`);
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	}
}

/** Stops the daemon, if there is one, and starts it again: with the program that was installed meanwhile. */
export async function restart(options: { json?: boolean | undefined }): Promise<void> {
	await down({ json: options.json === true ? true : undefined, quiet: true });
	if (process.exitCode) return;
	const { act } = await import("./act.ts");
	await act(options, async ({ client, status }) => status ?? (await client.call("status")), statusLine);
}

/** A turn that does not end within ten seconds is cut, and can be retried. */
async function nameRunningTurns(): Promise<void> {
	const found = await running().catch(() => null);
	if (found === null) return;
	const busy = (await found.client.call("agents")).filter(({ turn }) => turn !== null).map(({ handle }) => handle);
	if (busy.length > 0)
		printToStderr(
			`Waiting up to ${turnsMs / 1000} s for the turns of ${busy.join(", ")}; what is not over by then is cut, and \`brood turn retry\` runs it again.`,
		);
}

/** By what it says; if it says nothing, or its files are gone, by its hold on the home. */
async function theDaemon(): Promise<Status | { pid: number; home: string } | null> {
	const home = homeOf();
	const status = await saidStatus();
	const [pid] = holdersOf(home) ?? [];
	if (status === null) return pid === undefined ? null : { pid, home };
	if (pid !== undefined && pid !== status.pid) return { pid, home };
	if (pid === undefined && holdersOf(home) !== null)
		throw new Refused(
			refuse(
				"FORBIDDEN",
				`The daemon (pid ${status.pid}) is out of reach from here: it runs in another container or for another user. Stop it there.`,
			),
		);
	return status;
}

async function saidStatus(): Promise<Status | null> {
	try {
		return (await running())?.status ?? null;
	} catch (error) {
		if (error instanceof Refused && error.refusal.code === "TIMEOUT") return null;
		throw error;
	}
}

async function end(pid: number): Promise<string> {
	process.kill(pid, "SIGTERM");
	// one that was stopped would never hear it
	process.kill(pid, "SIGCONT");
	for (const until = performance.now() + downMs; performance.now() < until; await pause(20))
		if (!exists(pid)) return "stopped";
	// nothing that was acknowledged is lost by it
	process.kill(pid, "SIGKILL");
	while (exists(pid)) await pause(20);
	return `did not stop within ${downMs / 1000} s and was killed`;
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
