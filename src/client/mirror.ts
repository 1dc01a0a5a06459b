// A copy of the rows that keeps itself up to date: the journal from the beginning, then everything that happens.
// It folds events with the same changes as the store, so it cannot disagree with it for longer than an event takes.
import { Event } from "#contract/event.ts";
import type { Item } from "#contract/wire.ts";
import { foldInto, noRows, type RowMaps } from "#views/rows.ts";

export class Mirror {
	readonly rows: RowMaps = noRows();
	#last = 0;

	/** the last event that it has seen; a new line is begun behind it */
	get last(): number {
		return this.#last;
	}

	/** Follows a stream of events for as long as it lasts, and says after each that something may have changed. */
	async follow(events: AsyncIterable<Item>, changed: () => void): Promise<void> {
		for await (const item of events) {
			// a line that was picked up again may repeat itself
			if (item.id <= this.#last) continue;
			foldInto(this.rows, Event.parse({ ...item, at: Date.parse(item.at) }));
			this.#last = item.id;
			changed();
		}
	}
}
