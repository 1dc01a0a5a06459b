// The last items of the threads that a mirror shows, oldest first.
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Item } from "#contract/wire.ts";
import { eventView } from "#views/wire.ts";

export class KeptThreads {
	readonly #itemsMax: number;
	readonly #threads = new Map<AgentId, Item[]>();

	constructor(itemsMax: number) {
		this.#itemsMax = itemsMax;
	}

	has(agent: AgentId): boolean {
		return this.#threads.has(agent);
	}

	/** Undefined if the thread is not shown. */
	of(agent: AgentId): readonly Item[] | undefined {
		return this.#threads.get(agent);
	}

	begin(agent: AgentId): void {
		this.#threads.set(agent, []);
	}

	forget(agent: AgentId): void {
		this.#threads.delete(agent);
	}

	clear(): void {
		this.#threads.clear();
	}

	/** The end of a thread was loaded; what was said since is there already. */
	load(agent: AgentId, items: readonly Event[]): void {
		const thread = this.#threads.get(agent);
		const own = items.filter((item) => item.agent === agent).map(eventView);
		const last = own.at(-1)?.id ?? 0;
		thread?.splice(0, thread.length, ...own, ...thread.filter(({ id }) => id > last));
	}

	/** False if the thread is not shown or has the item. */
	append(agent: AgentId, item: Item): boolean {
		const thread = this.#threads.get(agent);
		if (thread === undefined || item.id <= (thread.at(-1)?.id ?? 0)) return false;
		thread.push(item);
		// rarely, so that the cost per item does not depend on the thread's length
		if (thread.length > 2 * this.#itemsMax) thread.splice(0, thread.length - this.#itemsMax);
		return true;
	}
}
