// The processes that wait for their agents' next turns: for a while, and so many that the machine has room for other
// things. Of more than that, those whose last turn is longest ago are parked.
import type { AgentId } from "#contract/ids.ts";

export interface IdleBounds {
	/** how long an idle agent keeps its process */
	parkMs: number;
	/** how many of them, and how much memory they may have together */
	countMax: number;
	bytesMax: number;
}

export class Idle {
	readonly #bounds: IdleBounds;
	readonly #park: (agent: AgentId) => void;
	/** whoever became idle first is first */
	readonly #waiting = new Map<AgentId, { bytes: number; timer: NodeJS.Timeout }>();
	#bytes = 0;

	constructor(bounds: IdleBounds, park: (agent: AgentId) => void) {
		this.#bounds = bounds;
		this.#park = park;
	}

	put(agent: AgentId, bytes: number): void {
		this.take(agent);
		this.#bytes += bytes;
		this.#waiting.set(agent, { bytes, timer: setTimeout(() => this.#parkOne(agent), this.#bounds.parkMs).unref() });
		for (const oldest of this.#waiting.keys()) {
			if (this.#waiting.size <= this.#bounds.countMax && this.#bytes <= this.#bounds.bytesMax) break;
			this.#parkOne(oldest);
		}
	}

	/** It has something to do, or is gone. */
	take(agent: AgentId): void {
		const waiting = this.#waiting.get(agent);
		if (waiting === undefined) return;
		clearTimeout(waiting.timer);
		this.#bytes -= waiting.bytes;
		this.#waiting.delete(agent);
	}

	#parkOne(agent: AgentId): void {
		this.take(agent);
		this.#park(agent);
	}
}
