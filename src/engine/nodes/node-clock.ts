// The time that all nodes share: this machine's clocks, corrected by how far the database's clock is ahead of them. So
// deadlines, cool-downs and the age of prompts mean the same on every node. Whether a node lives is decided without it.
import { type Clock, monotonicNow } from "../ports/clock.ts";

/** Measurements differ by about the trip; a correction that follows each of them would make time jump to and fro. */
const toleranceMs = 50;

export class NodeClock implements Clock {
	readonly #own: Clock;
	#offsetMs = 0;
	#latest = 0;

	constructor(own: Clock) {
		this.#own = own;
	}

	/** This machine's own. */
	get own(): Clock {
		return this.#own;
	}

	now(): number {
		return this.#own.now() + this.#offsetMs;
	}

	monotonic(): number {
		this.#latest = Math.max(this.#latest, monotonicNow(this.#own) + this.#offsetMs);
		return this.#latest;
	}

	/** The database's clock was so far ahead, as measured by a question that took `roundTripMs`. */
	measured(offsetMs: number, roundTripMs: number): void {
		if (Math.abs(offsetMs - this.#offsetMs) > toleranceMs + roundTripMs / 2) this.#offsetMs = Math.round(offsetMs);
	}
}
