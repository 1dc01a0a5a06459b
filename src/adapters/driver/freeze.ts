// Freezes processes (SIGSTOP): those of one agent while its files are copied, for a bounded time, and all of them while
// this node is not sure that it may run them.
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { type Process, signal } from "../system/processes.ts";

const frozenMsMax = 2000;

export class Freezer {
	readonly #freezing = new Map<AgentId, Promise<unknown>>();
	/** those that are frozen for a copy */
	readonly #copied = new Set<number>();
	/** all of them, by pid, while the node holds */
	#held: Map<number, Process> | null = null;

	async frozen<T>(agent: AgentId, find: () => Process[], work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		// one at a time: the end of the first would resume processes that the second needs stopped
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

	hold(found: readonly Process[]): void {
		this.#held ??= new Map();
		for (const each of found)
			if (this.#held.get(each.pid)?.startedAt !== each.startedAt) {
				signal(each, "SIGSTOP");
				this.#held.set(each.pid, each);
			}
	}

	goOn(): void {
		const held = this.#held ?? new Map<number, Process>();
		this.#held = null;
		for (const each of held.values()) if (!this.#copied.has(each.pid)) signal(each, "SIGCONT");
	}

	async #freeze<T>(stopped: Process[], work: (lasted: () => boolean) => Promise<T>): Promise<T> {
		let lasted = true;
		const resume = (): void => {
			for (const each of stopped.splice(0)) {
				this.#copied.delete(each.pid);
				if (this.#held === null) signal(each, "SIGCONT");
				else this.#held.set(each.pid, each);
			}
		};
		for (const each of stopped) {
			this.#copied.add(each.pid);
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
