// Conversations: the queue, turns, items.
import { z } from "zod";
import { AfterQuery } from "../after-query.ts";
import { AgentId, EventId, ProjectSlug } from "../ids.ts";
import { PromptRequest } from "../prompt.ts";
import { filterOrLookup, Kinds } from "../stream.ts";
import { Found, Item, Prompt, Turn, WireEvent } from "../wire.ts";
import { get, lookup, OptionalReason, ofAgent } from "./route.ts";

export const threadRoutes = {
	queue: ofAgent.get("/queue", "list queued prompts, the next one first", { answer: z.array(Prompt) }),
	prompt: ofAgent.post("/queue", "queue a prompt", {
		body: PromptRequest.extend({ notBefore: z.iso.datetime({ offset: true }).optional() }),
		answer: Prompt,
		agents: true,
	}),
	promptEdit: ofAgent.post("/queue/:prompt", "replace the text of a queued prompt; both texts are kept", {
		body: z.strictObject({
			text: z.string().min(1),
			/** the text that it replaces: refused if the prompt has another one by now */
			before: z.string().optional(),
			reason: OptionalReason,
		}),
		answer: Prompt,
	}),
	promptMove: ofAgent.post("/queue/:prompt/move", "move a prompt to another position in the queue, counted from 1", {
		body: z.strictObject({ to: z.int().positive() }),
		answer: Prompt,
	}),
	promptRemove: ofAgent.remove("/queue/:prompt", "remove a prompt from the queue", {
		query: lookup.extend({ reason: OptionalReason }),
		answer: Prompt,
	}),
	queueClear: ofAgent.remove("/queue", "remove all prompts from the queue", {
		query: lookup.extend({ reason: OptionalReason }),
		answer: z.array(Prompt),
	}),
	turns: ofAgent.get("/turns", "list an agent's turns, oldest first", { answer: z.array(Turn) }),
	turn: ofAgent.get("/turns/:turn", "show one turn and its items; `last` stands for the latest", {
		answer: z.object({ turn: Turn, items: z.array(Item) }),
	}),
	turnRetry: ofAgent.post("/turns/:turn/retry", "run the prompt of an interrupted or failed turn again", {
		answer: Prompt,
	}),
	interruptedTurns: get(
		"/api/turns/interrupted",
		"list turns that the last stop or crash of the daemon interrupted and that nobody has retried",
		{
			answer: z.object({
				interrupted: z.array(
					z.object({
						turn: EventId,
						agent: AgentId,
						handle: z.string(),
						project: ProjectSlug.nullable(),
						reason: z.string(),
					}),
				),
			}),
		},
	),
	turnFinish: ofAgent.post("/finish", "end the turn of a human agent", {
		body: z.strictObject({ message: z.string().min(1), failed: z.boolean().default(false) }),
		answer: Turn,
	}),
	items: ofAgent.get(
		"/items",
		"list an agent's own items, oldest first; `last` gives only the newest ones before an event",
		{
			query: lookup.extend({
				last: z.coerce.number().int().positive().max(10_000).optional(),
				before: z.coerce.number().int().positive().optional(),
			}),
			answer: z.array(Item),
		},
	),
	item: get("/api/items/:item", "show one item with its whole text", { answer: Item }),
	context: ofAgent.get("/context", "list what an agent's model sees, oldest first; an agent asks for its own", {
		answer: z.array(Item),
		agents: true,
	}),
	clear: ofAgent.post("/clear", "begin a new context", { answer: Item }),
	mark: ofAgent.post("/mark", "name a point in the context", {
		body: z.strictObject({ name: z.string().optional() }),
		answer: Item,
	}),
	rewind: ofAgent.post("/rewind", "go back to a mark", {
		body: z.strictObject({ name: z.string().optional() }),
		answer: Item,
	}),
	journal: get(
		"/api/journal",
		"list events of an agent or a project, by kind and time; `next` is where the next page begins",
		{
			query: z.strictObject({
				agent: z.string().optional(),
				project: filterOrLookup,
				kind: Kinds.optional(),
				since: z.iso.datetime({ offset: true }).optional(),
				after: AfterQuery.default(0),
				limit: z.coerce.number().int().positive().max(10_000).default(1000),
			}),
			answer: z.object({ events: z.array(WireEvent), next: z.int().nullable() }),
		},
	),
	search: get(
		"/api/search",
		"find items that have all of these words, newest first; an agent searches in its project. `word*` finds all words that begin with it",
		{
			query: z.strictObject({
				text: z.string().min(1).max(1000),
				agent: z.string().optional(),
				project: filterOrLookup,
				limit: z.coerce.number().int().positive().max(1000).default(20),
			}),
			answer: z.object({ found: z.array(Found), complete: z.boolean() }),
			agents: true,
		},
	),
};
