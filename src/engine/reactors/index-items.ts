// Makes what was said findable, a little after it was said. Indexing costs several times what writing does, so it is
// done apart from commits and in small portions, which take up a few percent of the writer's time however much is
// written. A search does not depend on how far this has come: it asks for the rest before it looks.
import type { Event } from "#contract/event.ts";
import { isItem } from "#contract/item.ts";
import type { Reactor } from "../loop/reactor.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { type Store, StoreFault } from "../ports/store.ts";

const pauseMs = 1000;
const portion = 200;

export function indexItemsReactor({ store, clock, log }: { store: Store; clock: Clock; log: Log }): Reactor {
	/** when the next portion may be indexed; null if nothing is known to wait */
	let due: number | null = null;
	return {
		name: "index-items",
		wakes: (event: Event) => isItem(event) && due === null,
		async look() {
			const now = monotonicNow(clock);
			due ??= now + pauseMs;
			// a clock that was turned back must not keep it waiting
			if (now < due && due - now <= pauseMs) return { inMs: due - now };
			// a store without room or reach is asked again with the next item
			const done = await store.index(portion).catch((error: unknown) => {
				log.warn("index", "Items could not be indexed for the search", {}, error);
				return 0;
			});
			due = done < portion ? null : monotonicNow(clock) + pauseMs;
			return due === null ? "done" : { inMs: pauseMs };
		},
	};
}

/** Indexes everything written so far, within the timeout. Answers whether that was everything. */
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
		// what is in the index can be found also where nothing can be added to it
		if (error instanceof StoreFault && error.kind === "full") return false;
		throw error;
	} finally {
		clearTimeout(timer);
	}
}
