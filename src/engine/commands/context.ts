// Commands about a conversation: an item, and what changes the context that the model sees.
import { ContextClear, ContextMark, ContextRewind, ItemAppend } from "#contract/item.ts";
import { decideClear, decideMark, decideRewind } from "#domain/history.ts";
import { decideAppend } from "#domain/item.ts";
import { onAgent } from "./on-agent.ts";

export const contextCommands = {
	"item.append": onAgent({
		schema: ItemAppend,
		speakers: "people",
		texts: (item) => [itemText(item)],
		decide: decideAppend,
		subject: "the event",
	}),
	"context.clear": onAgent({ schema: ContextClear, speakers: "people", decide: decideClear, subject: "the event" }),
	"context.mark": onAgent({ schema: ContextMark, speakers: "people", decide: decideMark, subject: "the event" }),
	"context.rewind": onAgent({
		schema: ContextRewind,
		speakers: "people",
		load: ({ tx }, { agent }) => tx.controls(agent),
		decide: decideRewind,
		subject: "the event",
	}),
};

/** What is measured of an item. */
export const itemText = ({ text, data }: { text: string | null; data: unknown }): string =>
	data === null ? (text ?? "") : (text ?? "") + JSON.stringify(data);
