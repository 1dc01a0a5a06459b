// A copy of the registry that keeps itself up to date: the journal from the beginning, then everything that happens.
// It folds events with the same function as the store, so it cannot disagree with it for longer than an event takes.
import { Event } from "#contract/event.ts";
import type { Item } from "#contract/wire.ts";
import { emptyRegistry, foldRegistry, type Registry } from "#views/registry.ts";

export class Mirror {
	#registry: Registry = emptyRegistry;
	#last = 0;

	get registry(): Registry {
		return this.#registry;
	}

	/** the last event that it has seen; a new line is begun behind it */
	get last(): number {
		return this.#last;
	}

	/** Follows a stream of events for as long as it lasts, and says after each that something may have changed. */
	async follow(events: AsyncIterable<Item>, changed: () => void): Promise<void> {
		for await (const item of events) {
			// a line that was picked up again may repeat itself
			if (item.id <= this.#last) continue;
			this.#registry = foldRegistry(this.#registry, Event.parse({ ...item, at: Date.parse(item.at) }));
			this.#last = item.id;
			changed();
		}
	}
}
