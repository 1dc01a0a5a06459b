// The items of the threads that a mirror shows, oldest first: the last ones, and those that were asked for.
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Item } from "#contract/wire.ts";
import { itemView } from "#views/wire.ts";

export class KeptThreads {
	readonly #itemsMax: number;
	readonly #threads = new Map<AgentId, Item[]>();
	/** threads of which older items were loaded: whoever reads them keeps them, whatever is added */
	readonly #whole = new Set<AgentId>();

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
		this.forget(agent);
		this.#threads.set(agent, []);
	}

	forget(agent: AgentId): void {
		this.#threads.delete(agent);
		this.#whole.delete(agent);
	}

	clear(): void {
		this.#threads.clear();
		this.#whole.clear();
	}

	/** The end of a thread was loaded; what was said since is there already. */
	load(agent: AgentId, items: readonly Event[]): void {
		const thread = this.#threads.get(agent);
		const own = items.filter((item) => item.agent === agent).map(itemView);
		const last = own.at(-1)?.id ?? 0;
		thread?.splice(0, thread.length, ...own, ...thread.filter(({ id }) => id > last));
	}

	/** False if the thread is not shown or has the item. */
	append(agent: AgentId, item: Item): boolean {
		const thread = this.#threads.get(agent);
		if (thread === undefined || item.id <= (thread.at(-1)?.id ?? 0)) return false;
		thread.push(item);
		// rarely, so that the cost per item does not depend on the thread's length
		if (!this.#whole.has(agent) && thread.length > 2 * this.#itemsMax) this.shorten(agent);
		return true;
	}

	/** Puts older items before the one that was the first when they were asked for. */
	prepend(agent: AgentId, older: readonly Item[], first: number): void {
		const thread = this.#threads.get(agent);
		if (thread?.[0]?.id === first) thread.unshift(...older);
		this.#whole.add(agent);
	}

	/** Keeps only the last items again. */
	shorten(agent: AgentId): void {
		this.#whole.delete(agent);
		const thread = this.#threads.get(agent);
		thread?.splice(0, Math.max(0, thread.length - this.#itemsMax));
	}
}
