// Freezes processes (SIGSTOP): those of one agent while its files are copied, for a bounded time, and all of them while
// this node is not sure that it may run them.
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { type Process, signal } from "../system/processes.ts";

const frozenMsMax = 2000;

export class Freezer {
	readonly #freezing = new Map<AgentId, Promise<unknown>>();
	/** by pid */
	readonly #frozenForCopy = new Set<number>();
	/** all of them, by pid, while the node is suspended */
	#suspended: Map<number, Process> | null = null;

	async frozen<T>(agent: AgentId, find: () => Process[], work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		// one at a time: the end of the first would resume processes that the second needs frozen
		const before = this.#freezing.get(agent) ?? Promise.resolve();
		const mine = before.then(async () => await this.#freeze(find(), work));
		const over = mine.catch(expected("the caller gets the rejection"));
		this.#freezing.set(agent, over);
		try {
			return await mine;
		} finally {
			if (this.#freezing.get(agent) === over) this.#freezing.delete(agent);
		}
	}

	freezeAll(found: readonly Process[]): void {
		this.#suspended ??= new Map();
		for (const each of found)
			if (this.#suspended.get(each.pid)?.startedAt !== each.startedAt) {
				signal(each, "SIGSTOP");
				this.#suspended.set(each.pid, each);
			}
	}

	thawAll(): void {
		const suspended = this.#suspended ?? new Map<number, Process>();
		this.#suspended = null;
		for (const each of suspended.values()) if (!this.#frozenForCopy.has(each.pid)) signal(each, "SIGCONT");
	}

	async #freeze<T>(found: Process[], work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		let lasted = true;
		const resume = (): void => {
			for (const each of found.splice(0)) {
				this.#frozenForCopy.delete(each.pid);
				if (this.#suspended === null) signal(each, "SIGCONT");
				else this.#suspended.set(each.pid, each);
			}
		};
		for (const each of found) {
			this.#frozenForCopy.add(each.pid);
			signal(each, "SIGSTOP");
		}
		const timer = setTimeout(() => {
			lasted = false;
			resume();
		}, frozenMsMax);
		try {
			return await work(() => lasted);
		} finally {
			clearTimeout(timer);
			resume();
		}
	}
}
