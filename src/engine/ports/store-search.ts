// The store's search for items by their words: a part of the port in `store.ts`.
import type { Hit, SearchQuery } from "#contract/search.ts";

export interface SearchReads {
	/** the items that have all of these words, the newest first, as far as the store has indexed them */
	search(request: SearchQuery): Promise<Hit[]>;
}

export interface SearchIndex {
	/**
	 * Indexes up to this many further events, oldest first; answers how many. Not part of a commit, where it would cost
	 * several times what the commit does.
	 */
	index(eventsMax: number): Promise<number>;
}
