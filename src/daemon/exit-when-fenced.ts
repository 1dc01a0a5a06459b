// When another node has replaced this one: the processes end first, then the daemon, and the next one joins anew.

import { setTimeout as pause } from "node:timers/promises";
import { HomeLocked } from "#adapters/system/home-lock.ts";
import { expected } from "#contract/log.ts";
import type { Engine } from "#engine/engine.ts";
import type { Log } from "#engine/ports/log.ts";
import { StoreFault } from "#engine/ports/store.ts";

/** tells the service manager to start it again */
const fencedExit = 71;
const killMs = 5000;

/** Returns the exit code. */
export async function exitWhenFenced(engine: Engine, log: Log, why: StoreFault): Promise<number> {
	log.error("daemon", `The daemon ends and starts again: ${why.message}`);
	await Promise.race([engine.killProcesses(), pause(killMs)]).catch(expected("the next daemon ends them"));
	return fencedExit;
}

const pauseMs = { first: 200, longest: 5000 };
/** the daemon before it is gone by then, or another one has the home */
const lockedMs = 15_000;

/** Repeats a start until the daemon before it is gone and the database answers. */
export async function startAgain<T>(start: () => Promise<T>): Promise<T> {
	const began = performance.now();
	for (let waitMs = pauseMs.first; ; waitMs = Math.min(2 * waitMs, pauseMs.longest)) {
		try {
			return await start();
		} catch (error) {
			const locked = error instanceof HomeLocked && performance.now() - began < lockedMs;
			if (!locked && !(error instanceof StoreFault && error.kind === "unavailable")) throw error;
		}
		await pause(waitMs);
	}
}
