// The prompt: an entry of an agent's queue. Its id is the id of the event that queued it.
import { z } from "zod";
import { command, event, textEvent } from "./define.ts";
import { Actor, AgentId, EventId } from "./ids.ts";
import { authorIn, mailAuthor } from "./quote.ts";
import { Reason, Text } from "./text.ts";
import { turnSources } from "./turn.ts";

const Priority = z.int().min(-100).max(100);
/** Free-form metadata of the caller; Brood does not interpret it. */
const Metadata = z
	.record(z.string().max(100), Text.max(1000))
	.refine((all) => Object.keys(all).length <= 32, "at most 32 entries");

/** An agent, or `mail`: a text made of mails names the author of each. */
const Author = z.union([Actor, z.literal(mailAuthor)]);
export type Author = z.infer<typeof Author>;

/** Of an item, or of an event of the queue; null if it is the user's, or of whoever queued it. */
export const authorOf = (data: unknown): Author | null => Author.safeParse(authorIn(data)).data ?? null;

const Retried = z.object({ prompt: EventId, turn: EventId });

export const PromptState = z.strictObject({
	id: EventId,
	agent: AgentId,
	text: z.string(),
	/** the event that has the words: its own, or that of the last edit */
	words: EventId,
	/** smaller comes first; below zero are those that were put in front, which come before everything else */
	position: z.int(),
	/** among the others the higher one comes first */
	priority: Priority,
	/** it does not start before this moment */
	notBefore: z.int().nullable(),
	/** starts whatever holds the agent, once */
	manual: z.boolean(),
	source: z.enum(turnSources),
	/** what it runs again */
	retries: Retried.nullable(),
	metadata: Metadata.nullable(),
	/** the author, if another than who queued it: a retried prompt keeps its author */
	from: Author.nullable(),
	createdAt: z.int(),
	createdBy: Actor,
	editedBy: Actor.nullable(),
	editedAt: z.int().nullable(),
	/** the turn that runs it; then it is not in the queue */
	taken: EventId.nullable(),
});
export type PromptState = z.infer<typeof PromptState>;

/** An entry's place in the queue: its position and its priority. */
const QueuePosition = z.object({ prompt: EventId, position: z.int(), priority: Priority });
export type QueuePosition = z.infer<typeof QueuePosition>;

/** The words are the event's text. */
export const PromptEvent = z.discriminatedUnion("kind", [
	textEvent("prompt.queued", {
		position: z.int(),
		source: z.enum(turnSources),
		priority: Priority.exactOptional(),
		notBefore: z.int().exactOptional(),
		manual: z.literal(true).exactOptional(),
		retries: Retried.exactOptional(),
		metadata: Metadata.exactOptional(),
		from: Author.exactOptional(),
		/** the issue that asks for it */
		issue: EventId.exactOptional(),
	}),
	/**
	 * the new words are the event's text, the old ones are here; an agent's prompt stays the agent's, whoever edits it
	 */
	textEvent("prompt.edited", {
		prompt: EventId,
		before: z.string(),
		reason: z.string().exactOptional(),
		from: Author.exactOptional(),
	}),
	/** the places of all that stand elsewhere now */
	event("prompt.moved", { prompt: EventId, places: z.array(QueuePosition) }),
	/** its turn never got to hand it over */
	event("prompt.returned", { prompt: EventId, position: z.int() }),
	event("prompt.cancelled", { prompts: z.array(EventId), reason: z.string().exactOptional() }),
]);
export type PromptEvent = z.infer<typeof PromptEvent>;

export const PromptQueue = command("prompt.queue", {
	agent: AgentId,
	text: Text.min(1),
	front: z.boolean().default(false),
	/** a manual turn: it starts now, whatever holds the agent */
	now: z.boolean().default(false),
	priority: Priority.default(0),
	notBefore: z.int().positive().optional(),
	metadata: Metadata.optional(),
});
export type PromptQueue = z.infer<typeof PromptQueue>;

export const PromptEdit = command("prompt.edit", {
	agent: AgentId,
	prompt: EventId,
	text: Text.min(1),
	reason: Reason.default(""),
});
export type PromptEdit = z.infer<typeof PromptEdit>;
/** To a place in the queue, counted from 1. */
export const PromptMove = command("prompt.move", { agent: AgentId, prompt: EventId, to: z.int().positive() });
export type PromptMove = z.infer<typeof PromptMove>;
/** Without a prompt: all of them. */
export const PromptCancel = command("prompt.cancel", {
	agent: AgentId,
	prompt: EventId.optional(),
	reason: Reason.default(""),
});
export type PromptCancel = z.infer<typeof PromptCancel>;

export const promptCommands = [PromptQueue, PromptEdit, PromptMove, PromptCancel] as const;
/** What a person may say about a prompt beside its words. */
export const PromptRequest = PromptQueue.omit({ type: true, agent: true });
