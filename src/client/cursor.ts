// How far a mirror has folded the journal. Rows that are loaded later than the others wait here until both are of one
// event.
import type { Folded } from "#views/rows.ts";

export class Cursor {
	#at = 0;
	readonly #records = new Set<Folded[]>();
	#next = Promise.withResolvers<void>();

	get at(): number {
		return this.#at;
	}

	/** Every event up to this one is folded in. */
	advance(at: number, event?: Folded): void {
		this.#at = at;
		if (event !== undefined) for (const record of this.#records) record.push(event);
		this.#next.resolve();
		this.#next = Promise.withResolvers();
	}

	async reached(id: number): Promise<void> {
		while (this.#at < id) await this.#next.promise;
	}

	/** The events from now on, until it is disposed of. */
	record(): { events: readonly Folded[] } & Disposable {
		const events: Folded[] = [];
		this.#records.add(events);
		return { events, [Symbol.dispose]: () => void this.#records.delete(events) };
	}
}
