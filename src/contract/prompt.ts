// The prompt: an entry of an agent's queue. Its id is the id of the event that queued it.
import { z } from "zod";
import { Actor, AgentId, EventId } from "./ids.ts";
import { Text } from "./text.ts";
import { turnSources } from "./turn.ts";

export const PromptState = z.strictObject({
	id: EventId,
	agent: AgentId,
	text: z.string(),
	/** smaller comes first */
	position: z.int(),
	source: z.enum(turnSources),
	createdAt: z.int(),
	createdBy: Actor,
});
export type PromptState = z.infer<typeof PromptState>;

/** The words are the event's text. */
export const PromptFact = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("prompt.queued"), text: z.string(), data: z.object({ position: z.int(), source: z.enum(turnSources) }) }),
	/** its turn never got to hand it over */
	z.object({ kind: z.literal("prompt.returned"), data: z.object({ prompt: EventId, position: z.int() }) }),
	z.object({ kind: z.literal("prompt.cancelled"), data: z.object({ prompts: z.array(EventId) }) }),
]);
export type PromptFact = z.infer<typeof PromptFact>;

const PromptQueue = z.strictObject({
	type: z.literal("prompt.queue"),
	agent: AgentId,
	text: Text.min(1),
	front: z.boolean().default(false),
	source: z.enum(turnSources).default("queue"),
});
export type PromptQueue = z.infer<typeof PromptQueue>;

export const promptCommands = [PromptQueue] as const;
