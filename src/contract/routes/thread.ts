// Conversations: the queue, turns, items.
import { z } from "zod";
import { ProjectSlug } from "../ids.ts";
import { PromptRequest } from "../prompt.ts";
import { Kinds } from "../stream.ts";
import { Found, Item, Prompt, Turn } from "../wire.ts";
import { none, Reason, Reference, route } from "./route.ts";

export const threadRoutes = {
	queue: route({
		method: "get",
		path: "/api/agents/:agent/queue",
		summary: "the prompts that wait",
		query: z.strictObject(Reference),
		answer: z.array(Prompt),
	}),
	prompt: route({
		method: "post",
		path: "/api/agents/:agent/queue",
		summary: "queue a prompt",
		query: z.strictObject(Reference),
		body: PromptRequest.extend({ notBefore: z.iso.datetime({ offset: true }).optional() }),
		answer: Prompt,
		agents: true,
	}),
	promptEdit: route({
		method: "post",
		path: "/api/agents/:agent/queue/:prompt",
		summary: "replace the words of a prompt that waits; both texts are kept",
		query: z.strictObject(Reference),
		body: z.strictObject({ text: z.string().min(1), reason: Reason }),
		answer: Prompt,
	}),
	promptMove: route({
		method: "post",
		path: "/api/agents/:agent/queue/:prompt/move",
		summary: "move a prompt to a place in the queue, counted from 1",
		query: z.strictObject(Reference),
		body: z.strictObject({ to: z.int().positive() }),
		answer: Prompt,
	}),
	promptRemove: route({
		method: "delete",
		path: "/api/agents/:agent/queue/:prompt",
		summary: "take a prompt out of the queue",
		query: z.strictObject({ ...Reference, reason: Reason }),
		answer: Prompt,
	}),
	queueClear: route({
		method: "delete",
		path: "/api/agents/:agent/queue",
		summary: "take all prompts out of the queue",
		query: z.strictObject({ ...Reference, reason: Reason }),
		answer: z.array(Prompt),
	}),
	turns: route({
		method: "get",
		path: "/api/agents/:agent/turns",
		summary: "its turns, oldest first",
		query: z.strictObject(Reference),
		answer: z.array(Turn),
	}),
	turn: route({
		method: "get",
		path: "/api/agents/:agent/turns/:turn",
		summary: "one turn and its items; `last` stands for the latest",
		query: z.strictObject(Reference),
		answer: z.object({ turn: Turn, items: z.array(Item) }),
	}),
	turnRetry: route({
		method: "post",
		path: "/api/agents/:agent/turns/:turn/retry",
		summary: "run the prompt of a turn again that was interrupted or failed",
		query: z.strictObject(Reference),
		body: none,
		answer: Prompt,
	}),
	turnFinish: route({
		method: "post",
		path: "/api/agents/:agent/finish",
		summary: "a person says that their turn is over",
		query: z.strictObject(Reference),
		body: z.strictObject({ message: z.string().min(1), failed: z.boolean().default(false) }),
		answer: Turn,
	}),
	items: route({
		method: "get",
		path: "/api/agents/:agent/items",
		summary: "its thread, oldest first; with `last` only so many, the newest before an event",
		query: z.strictObject({
			...Reference,
			last: z.coerce.number().int().positive().max(10_000).optional(),
			before: z.coerce.number().int().positive().default(Number.MAX_SAFE_INTEGER),
		}),
		answer: z.array(Item),
	}),
	item: route({ method: "get", path: "/api/items/:item", summary: "one item with its whole text", answer: Item }),
	context: route({
		method: "get",
		path: "/api/agents/:agent/context",
		summary: "what its model sees, oldest first; an agent asks for its own",
		query: z.strictObject(Reference),
		answer: z.array(Item),
		agents: true,
	}),
	clear: route({
		method: "post",
		path: "/api/agents/:agent/clear",
		summary: "begin a new context",
		query: z.strictObject(Reference),
		body: none,
		answer: Item,
	}),
	mark: route({
		method: "post",
		path: "/api/agents/:agent/mark",
		summary: "name a place in the context",
		query: z.strictObject(Reference),
		body: z.strictObject({ name: z.string().optional() }),
		answer: Item,
	}),
	rewind: route({
		method: "post",
		path: "/api/agents/:agent/rewind",
		summary: "go back to a mark",
		query: z.strictObject(Reference),
		body: z.strictObject({ name: z.string().optional() }),
		answer: Item,
	}),
	journal: route({
		method: "get",
		path: "/api/journal",
		summary: "events of one agent or one project, of some kinds, since a moment; `next` is where the next page begins",
		query: z.strictObject({
			agent: z.string().optional(),
			project: ProjectSlug.optional(),
			kind: Kinds.optional(),
			since: z.iso.datetime({ offset: true }).optional(),
			after: z.coerce.number().int().nonnegative().default(0),
			limit: z.coerce.number().int().positive().max(10_000).default(1000),
		}),
		answer: z.object({ events: z.array(Item), next: z.int().nullable() }),
	}),
	search: route({
		method: "get",
		path: "/api/search",
		summary:
			"the items that have all of these words, newest first; an agent searches in its project. `word*` stands for all that begin with it",
		query: z.strictObject({
			text: z.string().min(1).max(1000),
			agent: z.string().optional(),
			project: ProjectSlug.optional(),
			limit: z.coerce.number().int().positive().max(1000).default(20),
		}),
		answer: z.object({ found: z.array(Found), complete: z.boolean() }),
		agents: true,
	}),
};
