// Idle processes, kept for a while and up to a number and an amount of memory. Beyond that, the least recent are parked.
import type { AgentId } from "#contract/ids.ts";

export interface IdleBounds {
	/** how long an idle agent keeps its process */
	parkMs: number;
	/** how many, and how much memory they may use together */
	countMax: number;
	bytesMax: number;
}

export class Idle {
	readonly #bounds: IdleBounds;
	readonly #park: (agent: AgentId) => void;
	/** least recent first */
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

	/** It has a turn, or has ended. */
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
