// That a mirror has no connection to its daemon, and since when.
import type { Refusal } from "#contract/refusal.ts";
import { Refused } from "./client.ts";
import { DaemonSilent } from "./silence.ts";

export interface Lost {
	/** when the daemon gave its last sign of life, on the client's clock */
	since: number;
	/** the daemon answers, with something that is no JSON, or not the rows of this version */
	isUnreadable: boolean;
	/** the daemon answers, and refuses: it may accept the same later */
	refusal: Refusal | null;
}

/** A connection that ended: a daemon that stood still gave its last sign of life before that was noticed. */
export function lostBy(failure: unknown, before: Lost | null, now: number): Lost {
	const silentMs = failure instanceof DaemonSilent ? failure.silentMs : 0;
	return {
		since: before?.since ?? now - silentMs,
		isUnreadable: failure instanceof SyntaxError,
		refusal: failure instanceof Refused ? failure.refusal : null,
	};
}

/** between two attempts */
export const quarterSecond = (): Promise<unknown> => new Promise((resume) => setTimeout(resume, 250));
