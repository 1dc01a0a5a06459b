// That a mirror has no connection to its daemon, and since when.
import type { Refusal } from "#contract/refusal.ts";
import { Refused } from "./client.ts";
import { DaemonNotAnswering } from "./stream-timeout.ts";

export interface Lost {
	/** when the daemon gave its last sign of life, on the client's clock */
	since: number;
	/** the daemon answers, with something that is no JSON, no event stream, or not the rows of this version */
	isUnreadable: boolean;
	/** the daemon answers, and refuses: it may accept the same later */
	refusal: Refusal | null;
	/** why the last attempt to find or start a daemon failed */
	problem: string | null;
}

/** A connection that ended: a daemon that stood still gave its last sign of life before that was noticed. */
export function lostBy(failure: unknown, before: Lost | null, now: number): Lost {
	const waitedMs = failure instanceof DaemonNotAnswering ? failure.timeoutMs : 0;
	return {
		since: before?.since ?? now - waitedMs,
		isUnreadable: failure instanceof SyntaxError,
		refusal: failure instanceof Refused ? failure.refusal : null,
		problem: before?.problem ?? null,
	};
}

/** Between two attempts: longer where starting a daemon fails, which takes a process each time. */
export const pauseBetween = async (failed: number, signal: AbortSignal): Promise<void> =>
	await new Promise((resume) => {
		const over = (): void => {
			clearTimeout(timer);
			signal.removeEventListener("abort", over);
			resume();
		};
		const timer = setTimeout(over, Math.min(250 * 2 ** failed, 4000));
		signal.addEventListener("abort", over);
	});
