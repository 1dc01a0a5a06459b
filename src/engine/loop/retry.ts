// Retries: a full disk, an unreachable database and a full queue are temporary.
import { refusalCodes } from "#contract/refusal.ts";
import type { Outcome } from "../ports/dispatch.ts";
import { StoreFault } from "../ports/store.ts";

const pauseMs = { first: 50, longest: 5000 };

/**
 * Repeats an attempt, more and more slowly, while it answers "again" or the store cannot be reached. Null once aborted.
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
		await waited(delayMs, signal);
	}
	return null;
}

/** Whether a command that met this outcome may be accepted a moment later. */
export const isRetryable = (outcome: Outcome): boolean =>
	"refused" in outcome && refusalCodes[outcome.refused.code].retryable;

async function waited(delayMs: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const wake = (): void => resolve();
	const timer = setTimeout(wake, delayMs);
	signal.addEventListener("abort", wake, { once: true });
	await promise;
	signal.removeEventListener("abort", wake);
	clearTimeout(timer);
}

/** in which what a turn left can be kept after its end */
const hurryMs = 5000;

/**
 * Waits for some work, and halts what nobody waits for then. What is not done soon after the last deadline is halted,
 * and waited for: git may wait without end, for a pipe that an agent left in place of a file.
 */
export async function hurried(work: Promise<void>, grace: Promise<unknown>, halt: () => void): Promise<void> {
	let over = false;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const begin = (): void => {
		if (!over) timer = setTimeout(halt, hurryMs);
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
