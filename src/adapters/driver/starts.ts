// How often an agent's program was started lately: one that does not stay up is not started for ever.
import type { AgentId } from "#contract/ids.ts";
import { type Clock, monotonicNow } from "#engine/ports/clock.ts";

export const startsMax = 5;
const periodMs = 60_000;

export class Starts {
	readonly #clock: Clock;
	readonly #recent = new Map<AgentId, number[]>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Counts one more, if there may be one more. */
	take(agent: AgentId): boolean {
		const now = monotonicNow(this.#clock);
		const recent = (this.#recent.get(agent) ?? []).filter((at) => at > now - periodMs);
		if (recent.length >= startsMax) return false;
		this.#recent.set(agent, [...recent, now]);
		return true;
	}

	/** It stayed up. */
	forget(agent: AgentId): void {
		this.#recent.delete(agent);
	}
}
