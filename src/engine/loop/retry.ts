// Retries: a full disk, an unreachable database and a full queue are temporary.
import { refusalCodes } from "#contract/refusal.ts";
import type { Outcome } from "../ports/dispatch.ts";
import { StoreFault } from "../ports/store.ts";

const pauseMs = { first: 50, longest: 5000 };

/**
 * Repeats an attempt with growing pauses while `again` says so or the store cannot be reached. Null once aborted.
 */
export async function retryWhile<T>(
	attempt: () => Promise<T>,
	again: (result: T) => boolean,
	signal: AbortSignal,
): Promise<T | null> {
	for (let delayMs = pauseMs.first; !signal.aborted; delayMs = Math.min(2 * delayMs, pauseMs.longest)) {
		const tried = await attempt().then(
			(result) => (again(result) ? null : { result }),
			(error: unknown) => {
				if (error instanceof StoreFault && (error.kind === "full" || error.kind === "unavailable")) return null;
				throw error;
			},
		);
		if (tried !== null) return tried.result;
		await sleep(delayMs, signal);
	}
	return null;
}

/** Whether the same command may be accepted a moment later. */
export const isRetryable = (outcome: Outcome): boolean =>
	"refused" in outcome && refusalCodes[outcome.refused.code].retryable;

/** What else arrives in this turn of the event loop is there when it resolves. */
export const nextTick = (): Promise<void> => new Promise((resume) => setImmediate(resume));

async function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const wake = (): void => resolve();
	const timer = setTimeout(wake, delayMs);
	signal.addEventListener("abort", wake, { once: true });
	await promise;
	signal.removeEventListener("abort", wake);
	clearTimeout(timer);
}

/** time after the grace period in which the files of ended turns can be kept */
const haltMs = 5000;

/**
 * Waits for `work`. Calls `halt` when it is done, or `haltMs` after `grace`: git may wait for ever for a pipe that an
 * agent left in place of a file.
 */
export async function haltAfter(grace: Promise<unknown>, work: Promise<void>, halt: () => void): Promise<void> {
	let over = false;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const begin = (): void => {
		if (!over) timer = setTimeout(halt, haltMs);
	};
	grace.then(begin, begin);
	try {
		await work;
	} finally {
		over = true;
		clearTimeout(timer);
		halt();
	}
}

/** Waits for `work`, but not longer than this; whether it was done in time. */
export async function doneWithin(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
	const late = Promise.withResolvers<boolean>();
	const timer = setTimeout(() => late.resolve(false), timeoutMs);
	return await Promise.race([work.then(() => true), late.promise]).finally(() => clearTimeout(timer));
}
