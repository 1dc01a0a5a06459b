// From an agent's updates to items. Pure: recorded updates in, items out.
//
// Pieces of one message become one item, written when the message is over: when another one begins, a tool is called or
// the turn ends. A tool call is written when it is first heard of and its result when it is over, with whatever its
// updates said in between. Updates that say nothing about the conversation are left out.
import type { ContentBlock, RequestPermissionRequest, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { ApprovalQuestion } from "#contract/approval.ts";
import type { TurnItem } from "#contract/turn.ts";

interface Call {
	over: boolean;
	/** whether the call's own item had its input already */
	told: boolean;
	input: unknown;
	content: readonly ToolCallContent[];
	output: unknown;
}

export interface Translation {
	/** the message that is being said, piece by piece */
	open: { message: string; kind: "assistant" | "thought"; text: string } | null;
	/** the last thing that was said in full: it becomes the turn's final words */
	lastWords: string | null;
	calls: ReadonlyMap<string, Call>;
}

export const silence: Translation = { open: null, lastWords: null, calls: new Map() };

export interface Translated {
	next: Translation;
	items: TurnItem[];
	delta: { message: string; kind: string; text: string } | null;
}

export function translate(state: Translation, update: SessionUpdate): Translated {
	switch (update.sessionUpdate) {
		case "agent_message_chunk":
			return piece(state, "assistant", update.messageId ?? null, update.content);
		case "agent_thought_chunk":
			return piece(state, "thought", update.messageId ?? null, update.content);
		case "tool_call":
		case "tool_call_update":
			return call(state, update);
		case "plan":
			return complete(state, [{ kind: "plan", text: clip(update.entries.map((entry) => `${entry.status}: ${entry.content}`).join("\n")), data: null }]);
		default:
			return { next: state, items: [], delta: null };
	}
}

/** The end of a turn ends whatever was still being said. What a call had put out before it was cut off is its result. */
export function finish(state: Translation): Translated {
	const cut = [...state.calls].filter(([, call]) => !call.over && call.content.length > 0);
	return complete(
		state,
		cut.map(([id, call]) => result(id, "cut off", call)),
	);
}

/** What an agent wants to know before it goes on. */
export function questionOf({ toolCall, options }: RequestPermissionRequest): ApprovalQuestion {
	return {
		title: (toolCall.title ?? toolCall.toolCallId).slice(0, 10_000).toWellFormed(),
		tool: toolCall.kind ?? "other",
		call: toolCall.toolCallId.slice(0, 200),
		options: options.slice(0, 32).map(({ optionId, name, kind }) => ({ id: optionId, name: name.slice(0, 1000), kind })),
	};
}

function piece(state: Translation, kind: "assistant" | "thought", id: string | null, content: ContentBlock): Translated {
	const text = textOf(content);
	const { open } = state;
	const same = open !== null && open.kind === kind && (id === null || open.message === id);
	const before = same ? { next: state, items: [] } : complete(state, []);
	const message = same ? open.message : (id ?? kind);
	const next = { ...before.next, open: { message, kind, text: clip((same ? open.text : "") + text) } };
	return { next, items: before.items, delta: { message, kind, text: clip(text) } };
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call" | "tool_call_update" }>;

function call(state: Translation, update: CallUpdate): Translated {
	const id = update.toolCallId;
	const known = state.calls.get(id);
	if (known?.over === true) return { next: state, items: [], delta: null };
	const over = update.status === "completed" || update.status === "failed";
	const now: Call = {
		over,
		told: known === undefined ? update.rawInput !== undefined : known.told,
		input: update.rawInput ?? known?.input,
		content: update.content ?? known?.content ?? [],
		output: update.rawOutput ?? known?.output,
	};
	const next = { ...state, calls: new Map(state.calls).set(id, now) };
	const begun: TurnItem[] =
		known === undefined
			? [{ kind: "tool_call", text: clip(update.title ?? ""), data: { call: id, tool: update.kind ?? "other", input: bounded(update.rawInput) } }]
			: [];
	const items = over ? [...begun, result(id, update.status ?? "completed", now)] : begun;
	return items.length === 0 ? { next, items, delta: null } : complete(next, items);
}

function result(id: string, status: string, now: Call): TurnItem {
	const text = now.content.map(contentText).join("\n");
	// what the call was about may only have become known after it had begun
	const input = now.told || now.input === undefined ? {} : { input: bounded(now.input) };
	return { kind: "tool_result", text: clip(text), data: { call: id, status, output: text === "" ? bounded(now.output) : null, ...input } };
}

function contentText(part: ToolCallContent): string {
	if (part.type === "content") return textOf(part.content);
	if (part.type === "diff") return `--- ${part.path}\n${part.newText}`;
	return `[${part.type}]`;
}

function complete(state: Translation, items: TurnItem[]): Translated {
	const { open } = state;
	if (open === null) return { next: state, items, delta: null };
	const said: TurnItem = { kind: open.kind, text: open.text, data: null };
	return { next: { ...state, open: null, lastWords: open.kind === "assistant" ? open.text : state.lastWords }, items: [said, ...items], delta: null };
}

function textOf(content: ContentBlock): string {
	return content.type === "text" ? content.text : `[${content.type}]`;
}

/** What is longer than an item is kept apart; what is longer than this is a flood. */
const textLengthMax = 16 * 1024 * 1024;
const dataLengthMax = 100_000;
const dataDepthMax = 32;

function clip(text: string): string {
	return text.length <= textLengthMax ? text : `${text.slice(0, textLengthMax)}\n[cut: the rest was too long to keep]`;
}

/** What an agent sends along as it likes becomes plain JSON of a sensible size, or a note that it was not. */
function bounded(value: unknown): TurnItem["data"] {
	if (value === undefined) return null;
	const text = written(value);
	if (text === null) return { cut: "it was nested too deeply to keep" };
	if (text.length > dataLengthMax) return { cut: `${text.length} characters were too long to keep`, start: text.slice(0, 1000) };
	return depthOf(text) > dataDepthMax ? { cut: "it was nested too deeply to keep" } : JSON.parse(text);
}

function written(value: unknown): string | null {
	try {
		return JSON.stringify(value, (key, inner: unknown) => (key === "__proto__" ? undefined : inner)) ?? "null";
	} catch {
		return null;
	}
}

/** Counted on the text, so that nothing deep is ever walked into; a bracket inside a string only makes it look deeper. */
function depthOf(text: string): number {
	let [depth, deepest] = [0, 0];
	for (const character of text) {
		if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
		else if (character === "}" || character === "]") depth--;
	}
	return deepest;
}

/**
 * A usage limit, if that is what an error means: its data says `{ limit: { resetAt } }`, with a time as an ISO text or in
 * milliseconds, or nothing where the vendor does not tell.
 */
export function limitOf(error: unknown): { limit?: { until: number | null } } {
	const limit: unknown = Reflect.get(Object(Reflect.get(Object(error), "data")), "limit");
	if (typeof limit !== "object" || limit === null) return {};
	const resetAt: unknown = Reflect.get(limit, "resetAt");
	const until = typeof resetAt === "string" ? Date.parse(resetAt) : typeof resetAt === "number" ? resetAt : Number.NaN;
	return { limit: { until: Number.isFinite(until) ? Math.floor(until) : null } };
}
