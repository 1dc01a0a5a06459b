// Whether this node may begin work. While it is suspended, nothing that begins any is written: another node may replace
// it.
import type { Command } from "#contract/command.ts";
import { definitionOf } from "../commands/table.ts";
import { type Store, StoreFault } from "../ports/store.ts";

export class NodeSuspension {
	#since: number | null = null;

	get since(): number | null {
		return this.#since;
	}

	begin(now: number): void {
		this.#since ??= now;
	}

	end(): void {
		this.#since = null;
	}

	/** Throws what a database that does not answer would lead to, if the command begins work. */
	check(command: Command): void {
		if (this.#since !== null && definitionOf(command).startsWork)
			throw new StoreFault("unavailable", "The database does not answer this node. Nothing was changed.");
	}
}

/** Settles when the store cannot be trusted any more, or when this node was replaced. */
export const failureOf = (store: Store, fenced: Promise<StoreFault> | null): Promise<StoreFault> =>
	fenced === null ? store.broken : Promise.race([store.broken, fenced]);
