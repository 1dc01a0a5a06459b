// Items: the events of a conversation. Every kind without a dot is one, including kinds of newer versions: these are
// kept and shown as opaque.
import { z } from "zod";
import { command } from "./define.ts";
import { AgentId, EventId } from "./ids.ts";
import { kindsWithOwnCommand } from "./item-kinds.ts";
import { Text } from "./text.ts";

const withOwnCommand: readonly string[] = kindsWithOwnCommand;
const ItemKind = z
	.string()
	.regex(/^[a-z][a-z0-9_]{0,31}$/, "an item's kind is a short lower-case word")
	.refine((kind) => !withOwnCommand.includes(kind), "this kind of item has a command of its own");

export const ItemAppend = command("item.append", {
	agent: AgentId,
	kind: ItemKind,
	text: Text.nullable().default(null),
	data: z.json().default(null),
});
export type ItemAppend = z.infer<typeof ItemAppend>;

const MarkName = Text.regex(/^[^\p{Cc}]{1,100}$/u, "a mark's name has 1 to 100 characters");

export const ContextMark = command("context.mark", { agent: AgentId, name: MarkName.optional() });
export type ContextMark = z.infer<typeof ContextMark>;
/** Without a name: back to the latest mark. */
export const ContextRewind = command("context.rewind", { agent: AgentId, name: MarkName.optional() });
export type ContextRewind = z.infer<typeof ContextRewind>;

export const ContextClear = command("context.clear", { agent: AgentId });

export const itemCommands = [ItemAppend, ContextClear, ContextMark, ContextRewind] as const;

export interface ItemEvent {
	kind: string;
	text?: string | null;
	data?: z.infer<ReturnType<typeof z.json>>;
	turn?: number;
}

const RewindData = z.object({ to: EventId });

/** The mark that a rewind goes back to; null if its data is not a rewind's. */
export function rewindTarget(item: { data: unknown }): number | null {
	const parsed = RewindData.safeParse(item.data);
	return parsed.success ? parsed.data.to : null;
}
