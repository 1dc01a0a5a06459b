// From an agent's updates to items. Pure: recorded updates in, items out.
//
// Pieces of one message become one item, written when the message is over: when another one begins, a tool is called or
// the turn ends. Updates that say nothing about the conversation are left out.
import type { ContentBlock, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { TurnItem } from "#contract/turn.ts";

export interface Translation {
	/** the message that is being said, piece by piece */
	open: { message: string; kind: "assistant" | "thought"; text: string } | null;
	/** the last thing that was said in full: it becomes the turn's final words */
	lastWords: string | null;
}

export const silence: Translation = { open: null, lastWords: null };

export interface Translated {
	next: Translation;
	items: TurnItem[];
	delta: { message: string; kind: string; text: string } | null;
}

/** Longest text of one item; what comes after it is not kept, and the item says so. */
const textLengthMax = 1024 * 1024 - 4096;

export function translate(state: Translation, update: SessionUpdate): Translated {
	switch (update.sessionUpdate) {
		case "agent_message_chunk":
			return piece(state, "assistant", update.messageId ?? null, update.content);
		case "agent_thought_chunk":
			return piece(state, "thought", update.messageId ?? null, update.content);
		case "tool_call":
			return complete(state, [
				{ kind: "tool_call", text: update.title, data: { call: update.toolCallId, tool: update.kind ?? "other", input: json(update.rawInput) } },
				...(over(update.status) ? [result(update.toolCallId, update.status, update.content, update.rawOutput)] : []),
			]);
		case "tool_call_update":
			if (!over(update.status)) return { next: state, items: [], delta: null };
			return complete(state, [result(update.toolCallId, update.status, update.content, update.rawOutput)]);
		case "plan":
			return complete(state, [{ kind: "plan", text: update.entries.map((entry) => `${entry.status}: ${entry.content}`).join("\n"), data: null }]);
		default:
			return { next: state, items: [], delta: null };
	}
}

/** The end of a turn ends whatever was still being said. */
export function finish(state: Translation): Translated {
	return complete(state, []);
}

function piece(state: Translation, kind: "assistant" | "thought", id: string | null, content: ContentBlock): Translated {
	const text = textOf(content);
	const { open } = state;
	const same = open !== null && open.kind === kind && (id === null || open.message === id);
	const before = same ? { next: state, items: [] } : complete(state, []);
	const message = same ? open.message : (id ?? `${kind}`);
	const sofar = same ? open.text : "";
	const next = { ...before.next, open: { message, kind, text: clip(sofar + text) } };
	return { next, items: before.items, delta: { message, kind, text } };
}

function complete(state: Translation, items: TurnItem[]): Translated {
	const { open } = state;
	if (open === null) return { next: state, items, delta: null };
	const said: TurnItem = { kind: open.kind, text: open.text, data: null };
	return { next: { open: null, lastWords: open.kind === "assistant" ? open.text : state.lastWords }, items: [said, ...items], delta: null };
}

const over = (status: string | null | undefined): boolean => status === "completed" || status === "failed";

function result(call: string, status: string | null | undefined, content: readonly ToolCallContent[] | null | undefined, output: unknown): TurnItem {
	const text = (content ?? []).flatMap((part) => (part.type === "content" ? textOf(part.content) : [])).join("\n");
	return { kind: "tool_result", text: clip(text), data: { call, status: status ?? "completed", output: text === "" ? json(output) : null } };
}

function textOf(content: ContentBlock): string {
	return content.type === "text" ? content.text : `[${content.type}]`;
}

function clip(text: string): string {
	return text.length <= textLengthMax / 3 ? text : `${text.slice(0, textLengthMax / 3)}\n[cut: the rest was too long for one item]`;
}

/** What an agent sends along as it likes becomes plain JSON, or nothing. */
function json(value: unknown): TurnItem["data"] {
	return value === undefined ? null : JSON.parse(JSON.stringify(value) ?? "null");
}
