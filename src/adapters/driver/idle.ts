// Idle processes, kept for a while and up to a number and an amount of memory. Beyond that, the least recent are ended.
import type { AgentId } from "#contract/ids.ts";

export interface IdleBounds {
	/** how long an idle agent keeps its process */
	idleProcessMs: number;
	/** how many, and how much memory they may use together */
	countMax: number;
	bytesMax: number;
}

export class Idle {
	readonly #bounds: IdleBounds;
	readonly #endProcess: (agent: AgentId) => void;
	/** least recent first */
	readonly #waiting = new Map<AgentId, { bytes: number; timer: NodeJS.Timeout }>();
	#bytes = 0;

	constructor(bounds: IdleBounds, end: (agent: AgentId) => void) {
		this.#bounds = bounds;
		this.#endProcess = end;
	}

	put(agent: AgentId, bytes: number): void {
		this.take(agent);
		this.#bytes += bytes;
		this.#waiting.set(agent, {
			bytes,
			timer: setTimeout(() => this.#endOne(agent), this.#bounds.idleProcessMs).unref(),
		});
		for (const oldest of this.#waiting.keys()) {
			if (this.#waiting.size <= this.#bounds.countMax && this.#bytes <= this.#bounds.bytesMax) break;
			this.#endOne(oldest);
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

	#endOne(agent: AgentId): void {
		this.take(agent);
		this.#endProcess(agent);
	}
}
