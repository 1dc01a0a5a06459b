// A search where no database does it.

import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { Hit, SearchQuery } from "#contract/search.ts";
import { matches, snippetOf } from "#contract/search-words.ts";
import type { Rows } from "./rows.ts";

/** Every item is looked at, the newest first. */
export function hitsIn({ events, agents }: Rows, { terms, agent, project, limit }: SearchQuery): Hit[] {
	const ofProject = (id: AgentId | null): boolean =>
		project === undefined || (id !== null && agents.get(id)?.project === project);
	const there = events
		.filter((event) => isItem(event) && (agent === undefined || event.agent === agent) && ofProject(event.agent))
		.toReversed();
	const hits = there.filter(({ text }) => terms.length > 0 && text !== null && matches(text, terms)).slice(0, limit);
	return hits.flatMap(({ id, agent: whose, turn, kind, at, actor, text }) => {
		const snippet = snippetOf(text ?? "", terms);
		return whose === null ? [] : [{ id, agent: whose, turn, kind, at, actor, snippet }];
	});
}
