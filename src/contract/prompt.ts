// The prompt: an entry of an agent's queue. Its id is the id of the event that queued it.
import { z } from "zod";
import { Actor, AgentId, EventId } from "./ids.ts";

export const PromptState = z.strictObject({
	id: EventId,
	agent: AgentId,
	text: z.string(),
	/** smaller comes first */
	position: z.int(),
	createdAt: z.int(),
	createdBy: Actor,
});
export type PromptState = z.infer<typeof PromptState>;

/** The words are the event's text. */
export const PromptFact = z.object({ kind: z.literal("prompt.queued"), text: z.string(), data: z.object({ position: z.int() }) });
export type PromptFact = z.infer<typeof PromptFact>;

const PromptQueue = z.strictObject({ type: z.literal("prompt.queue"), agent: AgentId, text: z.string().min(1), front: z.boolean().default(false) });
export type PromptQueue = z.infer<typeof PromptQueue>;

export const promptCommands = [PromptQueue] as const;
