// When this node was replaced: the processes end first, then the daemon. After a fall the next one joins anew. If a
// daemon with the same id has joined, from a copy of this home, this one stays down: each would only end the other.

import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { noteReplaced } from "#adapters/system/home.ts";
import { HomeLocked } from "#adapters/system/home-lock.ts";
import { expected } from "#contract/log.ts";
import { isActive, type NodeState } from "#contract/node.ts";
import type { Engine } from "#engine/engine.ts";
import type { Log } from "#engine/ports/log.ts";
import { StoreFault } from "#engine/ports/store.ts";

/** tells the service manager to start it again */
const fencedExit = 71;
/** tells the service manager that a person has to do something first (`EX_CONFIG`) */
const copiedExit = 78;
const killMs = 5000;
const askMs = 5000;

export async function exitWhenFenced(
	engine: Engine,
	{ home, log }: { home: string; log: Log },
	why: StoreFault,
): Promise<{ code: number; again: boolean }> {
	const other = await Promise.race([otherStart(engine), pause(askMs, null)]).catch(() => null);
	const copied = other === null ? null : copiedText(home, other);
	log.error(
		"daemon",
		copied === null ? `The daemon ends and starts again: ${why.message}` : `The daemon ends and stays down: ${copied}`,
	);
	if (copied !== null) noteReplaced(home, copied);
	await Promise.race([engine.killProcesses(), pause(killMs)]).catch(expected("the next daemon ends them"));
	return other === null ? { code: fencedExit, again: true } : { code: copiedExit, again: false };
}

const copiedText = (home: string, { name, joinedAt }: NodeState): string =>
	`another daemon with the id of this home took its place as node ${name} at ${new Date(joinedAt).toISOString()}. One of the two homes is a copy. To run both, remove the file ${path.join(home, "id")}, or the one of the other home, while its daemon is down: it becomes a node of its own.`;

/** This daemon holds its home, so another start of its node cannot be its successor. */
async function otherStart({ reads, node }: Engine): Promise<NodeState | null> {
	const row = node === null ? undefined : await reads.node(node.node);
	return row !== undefined && isActive(row) && row.epoch !== node?.epoch ? row : null;
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
