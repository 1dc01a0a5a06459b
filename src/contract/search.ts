// A search over the items of conversations, and what it finds.
import { z } from "zod";
import { Actor, AgentId, EventId, type ProjectSlug } from "./ids.ts";
import type { Term } from "./search-words.ts";

export interface SearchQuery {
	/** all must occur */
	terms: readonly Term[];
	agent?: AgentId;
	/** null for the agents that have no project */
	project?: ProjectSlug | null;
	limit: number;
}

/** An item that was found. */
export const Hit = z.object({
	id: EventId,
	agent: AgentId,
	turn: EventId.nullable(),
	kind: z.string(),
	at: z.int(),
	actor: Actor,
	snippet: z.string(),
});
export type Hit = z.infer<typeof Hit>;
