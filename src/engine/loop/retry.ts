// Retries: a full disk, a database that cannot be reached or refuses access, and a full queue are temporary.
import { refusalCodes } from "#contract/refusal.ts";
import type { CommandRequest, Dispatch, Outcome } from "../ports/dispatch.ts";
import { StoreFault } from "../ports/store.ts";

const pauseMs = { first: 50, longest: 5000 };
/** somebody corrects what the database refuses: a password, a right */
const temporary: readonly StoreFault["kind"][] = ["full", "unavailable", "denied"];

/**
 * Repeats an attempt with growing pauses while `again` says so or the store cannot be used. Null once aborted.
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
				if (error instanceof StoreFault && temporary.includes(error.kind)) return null;
				throw error;
			},
		);
		if (tried !== null) return tried.result;
		await sleep(delayMs, signal);
	}
	return null;
}

const neverAborted = new AbortController().signal;

/** Sends a command until it is carried out or refused for good. Null once aborted, never without a signal. */
export async function untilRecorded(
	dispatch: Dispatch,
	request: CommandRequest,
	{ signal = neverAborted, again = isRetryable }: { signal?: AbortSignal; again?: (outcome: Outcome) => boolean } = {},
): Promise<Outcome | null> {
	return await retryWhile(() => dispatch(request), again, signal);
}

/** Whether the same command may be accepted a moment later. */
export const isRetryable = (outcome: Outcome): boolean =>
	"refused" in outcome && refusalCodes[outcome.refused.code].retryable;

export async function sleep(delayMs: number, signal: AbortSignal = neverAborted): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const wake = (): void => resolve();
	const timer = setTimeout(wake, delayMs);
	signal.addEventListener("abort", wake, { once: true });
	await promise;
	signal.removeEventListener("abort", wake);
	clearTimeout(timer);
}
