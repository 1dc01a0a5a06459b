// Commands about a conversation: an item, and what changes the context that the model sees.
import { ContextClear, ContextMark, ContextRewind, ItemAppend } from "#contract/item.ts";
import { decideAppend, decideClear, decideMark, decideRewind } from "#domain/history.ts";
import { onAgent } from "./on-agent.ts";

export const contextDefinitions = {
	"item.append": onAgent({
		schema: ItemAppend,
		allowedActors: "people",
		startsWork: false,
		texts: (item) => [itemText(item)],
		decide: decideAppend,
		subject: "the event",
	}),
	"context.clear": onAgent({
		schema: ContextClear,
		allowedActors: "people",
		startsWork: false,
		decide: decideClear,
		subject: "the event",
	}),
	"context.mark": onAgent({
		schema: ContextMark,
		allowedActors: "people",
		startsWork: false,
		decide: decideMark,
		subject: "the event",
	}),
	"context.rewind": onAgent({
		schema: ContextRewind,
		allowedActors: "people",
		startsWork: false,
		load: ({ tx }, { agent }) => tx.controls(agent),
		decide: decideRewind,
		subject: "the event",
	}),
};

/** What is measured of an item. */
export const itemText = ({ text, data }: { text: string | null; data: unknown }): string =>
	data === null ? (text ?? "") : (text ?? "") + JSON.stringify(data);
