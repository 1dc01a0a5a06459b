// Time and randomness.
import type { AgentId, IdempotencyKey } from "#contract/ids.ts";

export interface Clock {
	/** wall-clock time; it jumps when the clock is set */
	now(): number;
	/** monotonic time on the same scale, for durations and for deadlines computed from one */
	monotonic?(): number;
}

/** A test clock that cannot jump has only one time. */
export const monotonicNow = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

export interface Ids {
	agentId(): AgentId;
	key(): IdempotencyKey;
	/** random hexadecimal digits */
	salt(): string;
	/** 256 random bits that nobody can guess */
	secret(): string;
	/** a short digest that only equal texts share */
	digest(text: string): string;
}
