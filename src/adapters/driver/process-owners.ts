// Which turn has an agent's process: one at a time, from `startProcess` until the turn was run or dismissed.
import type { AgentId } from "#contract/ids.ts";

export class ProcessOwners {
	readonly #taken = new Map<AgentId, { turn: number; left: PromiseWithResolvers<void> }>();

	/** Waits until no other turn has it. False if cancelled. */
	async take(agent: AgentId, turn: number, signal: AbortSignal): Promise<boolean> {
		const cancelled = Promise.withResolvers<void>();
		const stop = (): void => cancelled.resolve();
		signal.addEventListener("abort", stop, { once: true });
		try {
			for (let taken = this.#taken.get(agent); taken !== undefined && !signal.aborted; taken = this.#taken.get(agent))
				await Promise.race([taken.left.promise, cancelled.promise]);
		} finally {
			signal.removeEventListener("abort", stop);
		}
		if (signal.aborted) return false;
		this.#taken.set(agent, { turn, left: Promise.withResolvers() });
		return true;
	}

	has(agent: AgentId, turn: number): boolean {
		return this.#taken.get(agent)?.turn === turn;
	}

	/** Without effect if another turn has it. */
	leave(agent: AgentId, turn: number): void {
		const taken = this.#taken.get(agent);
		if (taken?.turn !== turn) return;
		this.#taken.delete(agent);
		taken.left.resolve();
	}
}
