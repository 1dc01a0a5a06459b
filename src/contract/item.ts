// Items: the events that belong to a conversation. Every kind without a dot is one, also those that a
// newer version wrote and this one does not know: they are kept and shown as opaque.
import { z } from "zod";
import { AgentId } from "./ids.ts";

export const itemKinds = [
	"user",
	"assistant",
	"thought",
	"tool_call",
	"tool_result",
	"plan",
	"final",
	"clear",
	"mark",
	"rewind",
	"interrupt",
	"timeout",
	"fork",
	"killed",
	"command",
	"system",
	"usage",
] as const;

const ItemKind = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, "an item's kind is a short lower-case word");

const ItemAppend = z.strictObject({
	type: z.literal("item.append"),
	agent: AgentId,
	kind: ItemKind,
	text: z.string().nullable().default(null),
	data: z.json().default(null),
});
export type ItemAppend = z.infer<typeof ItemAppend>;

export const itemCommands = [ItemAppend] as const;

export interface ItemFact {
	kind: string;
	text?: string | null;
	data?: z.infer<ReturnType<typeof z.json>>;
}

export const isItem = (event: { kind: string }): boolean => !event.kind.includes(".");
