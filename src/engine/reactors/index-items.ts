// Indexes items for the search, shortly after they were written. Indexing costs several times what writing does, so it
// is done outside of commits and in small portions, which take a few percent of the writer's time under any load. A
// search does not depend on it: it indexes the rest before it searches.
import type { Event } from "#contract/event.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { Reactor } from "../loop/reactor.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { type Store, StoreFault } from "../ports/store.ts";

const pauseMs = 1000;
const portion = 200;

export function indexItemsReactor({
	store,
	clock,
	log,
	coordinates,
}: {
	store: Store;
	clock: Clock;
	log: Log;
	/** whether this node does what one does for all */
	coordinates(): boolean;
}): Reactor {
	/** when the next portion may be indexed; null if nothing waits */
	let due: number | null = null;
	return {
		name: "index items",
		items: () => due === null && coordinates(),
		wakes: (event: Event) => isItem(event) && due === null && coordinates(),
		async look() {
			const now = monotonicNow(clock);
			due ??= now + pauseMs;
			// a clock that was set back must not delay it
			if (now < due && due - now <= pauseMs) return { inMs: due - now };
			// a store that is full or unavailable is tried again with the next item
			const done = await store.index(portion).catch((error: unknown) => {
				log.warn("index", "Items could not be indexed for the search", {}, error);
				return 0;
			});
			due = done < portion ? null : monotonicNow(clock) + pauseMs;
			return due === null ? "done" : { inMs: pauseMs };
		},
	};
}

/** Indexes everything written so far; false if the timeout came first. */
export async function indexAll(store: Store, { timeoutMs }: { timeoutMs: number }): Promise<boolean> {
	let inTime = true;
	const timer = setTimeout(() => {
		inTime = false;
	}, timeoutMs);
	try {
		for (;;) {
			if ((await store.index(portion)) < portion) return true;
			if (!inTime) return false;
		}
	} catch (error) {
		// a full disk does not keep a search from using the index
		if (error instanceof StoreFault && error.kind === "full") return false;
		throw error;
	} finally {
		clearTimeout(timer);
	}
}
