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

/** An agent, or `mail` for a text made of mails, which names the author of each. */
const Author = z.union([Actor, z.literal(mailAuthor)]);
export type Author = z.infer<typeof Author>;

/** The author in the data of an item or a queue event; null if it is the user, or the actor who queued it. */
export const authorOf = (data: unknown): Author | null => Author.safeParse(authorIn(data)).data ?? null;

const Retried = z.object({ prompt: EventId, turn: EventId });

export const PromptState = z.strictObject({
	id: EventId,
	agent: AgentId,
	text: z.string(),
	/** the event that has its text: its own, or that of the last edit */
	textEvent: EventId,
	/** smaller comes first; below zero are prompts put in front, which come before all others */
	position: z.int(),
	/** higher comes first, among prompts not put in front */
	priority: Priority,
	notBefore: z.int().nullable(),
	/** starts one turn in spite of holds */
	manual: z.boolean(),
	source: z.enum(turnSources),
	/** the prompt and the turn that it repeats */
	retries: Retried.nullable(),
	metadata: Metadata.nullable(),
	/** the author, if not the actor who queued it: a retried prompt keeps its author */
	from: Author.nullable(),
	createdAt: z.int(),
	createdBy: Actor,
	editedBy: Actor.nullable(),
	editedAt: z.int().nullable(),
	/** the turn that runs it; it is then no longer in the queue */
	taken: EventId.nullable(),
});
export type PromptState = z.infer<typeof PromptState>;

/** The new position and priority of an entry of the queue. */
const QueuePosition = z.object({ prompt: EventId, position: z.int(), priority: Priority });
export type QueuePosition = z.infer<typeof QueuePosition>;

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
		issueId: EventId.exactOptional(),
	}),
	/** `before` is the old text; `from` keeps the author, whoever edits */
	textEvent("prompt.edited", {
		prompt: EventId,
		before: z.string(),
		reason: z.string().exactOptional(),
		from: Author.exactOptional(),
	}),
	/** `positions`: the new position of every prompt that moved */
	event("prompt.moved", { prompt: EventId, positions: z.array(QueuePosition) }),
	/** its turn ended before it was handed over */
	event("prompt.returned", { prompt: EventId, position: z.int() }),
	event("prompt.cancelled", { prompts: z.array(EventId), reason: z.string().exactOptional() }),
]);
export type PromptEvent = z.infer<typeof PromptEvent>;

export const PromptQueue = command("prompt.queue", {
	agent: AgentId,
	text: Text.min(1),
	front: z.boolean().default(false),
	/** a manual turn: starts now, in spite of holds */
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
	/** the text that it replaces: refused if the prompt has another one by now */
	before: z.string().optional(),
	reason: Reason.default(""),
});
export type PromptEdit = z.infer<typeof PromptEdit>;
/** To a position in the queue, counted from 1. */
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
export const PromptRequest = PromptQueue.omit({ type: true, agent: true });
