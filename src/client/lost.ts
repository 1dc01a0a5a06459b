// That a mirror has no connection to its daemon, and since when.
import { DaemonSilent } from "./silence.ts";

export interface Lost {
	/** when the daemon gave its last sign of life, on the client's clock */
	since: number;
	/** the daemon answers, with something that is no JSON, or not the rows of this version */
	isUnreadable: boolean;
}

/** A connection that ended: a daemon that stood still gave its last sign of life before that was noticed. */
export function lostBy(failure: unknown, before: Lost | null, now: number): Lost {
	const silentMs = failure instanceof DaemonSilent ? failure.silentMs : 0;
	return { since: before?.since ?? now - silentMs, isUnreadable: failure instanceof SyntaxError };
}
