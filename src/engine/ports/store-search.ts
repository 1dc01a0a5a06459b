// The part of the store's port that is about finding items by their words.
import type { Hit, SearchQuery } from "#contract/search.ts";

export interface SearchReads {
	/** the items that have all of these words, the newest first, as far as the store has indexed them */
	search(request: SearchQuery): Promise<Hit[]>;
}

export interface SearchIndex {
	/**
	 * Makes up to so many further events findable, oldest first; answers how many it was. Not part of a commit, where
	 * it would cost several times what the commit does.
	 */
	index(eventsMax: number): Promise<number>;
}
