// From an agent's updates to items. Pure: recorded updates in, items out.
//
// The chunks of one message become one item, written when the message ends: when another one begins, a tool is called
// or the turn ends. A tool call is written when it is first reported, and its result when it ends, with the content of
// its updates. Updates that are not about the conversation are ignored.

import type {
	ContentBlock,
	RequestPermissionRequest,
	SessionUpdate,
	ToolCallContent,
	UsageUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { fileEdit } from "#contract/file-edit.ts";
import type { TurnItem } from "#contract/turn.ts";
import type { PartialText } from "#engine/ports/driver.ts";
import { attempt } from "../../system/errors.ts";
import { fieldOf } from "../vendors/vendor.ts";
import { type ToolCall, ToolCalls } from "./calls.ts";
import { lineNumbers } from "./change-lines.ts";

export interface Translation {
	/** the message that is being received */
	open: { message: string; named: boolean; kind: "assistant" | "thought"; text: string } | null;
	/** the last complete message, which becomes the turn's final text */
	lastMessage: string | null;
	/** changed in place: a copy for each update would take quadratic time */
	calls: ToolCalls;
	/** how full the model's context window is, as last reported */
	window: Pick<UsageUpdate, "used" | "size" | "cost"> | null;
	/** the program reported a failure, whatever it answers at the end */
	failed: boolean;
}

export const emptyTranslation = (): Translation => ({
	open: null,
	lastMessage: null,
	calls: new ToolCalls(),
	window: null,
	failed: false,
});

export interface Translated {
	next: Translation;
	items: TurnItem[];
	delta: { part: string; kind: string; text: string } | null;
	/** the output of an open call, or the text of an open message */
	partial?: PartialText;
}

export function translate(state: Translation, update: SessionUpdate): Translated {
	switch (update.sessionUpdate) {
		case "agent_message_chunk":
			return chunk(state, "assistant", update.messageId ?? null, update.content);
		case "agent_thought_chunk":
			return chunk(state, "thought", update.messageId ?? null, update.content);
		case "tool_call":
		case "tool_call_update":
			return call(state, update);
		case "plan":
			return complete(state, [
				{
					kind: "plan",
					text: clip(update.entries.map((entry) => `${entry.status}: ${entry.content}`).join("\n")),
					data: null,
				},
			]);
		case "usage_update":
			return unchanged({ ...state, window: { ...update, cost: update.cost ?? state.window?.cost ?? null } });
		case "session_info_update":
			return unchanged({
				...state,
				failed: state.failed || fieldOf(update, "_meta", "codex", "threadStatus", "type") === "systemError",
			});
		default:
			return unchanged(state);
	}
}

const unchanged = (next: Translation): Translated => ({ next, items: [], delta: null });

/** Writes a call before its approval question, so that it is visible to the person who answers. */
export function begun(state: Translation, toolCall: RequestPermissionRequest["toolCall"]): Translated {
	return call(state, { sessionUpdate: "tool_call_update", ...toolCall }, true);
}

/** Ends the open message and the open calls. The output of a call that was cut off is its result. */
export function finish(state: Translation): Translated {
	const open = [...state.calls.open];
	const unwritten = open.filter(([, each]) => !each.isWritten).map(([id, each]) => announced(id, each));
	const cut = open.filter(([, each]) => outputOf(each) !== "").map(([id, each]) => result(id, "cut off", each));
	return complete(state, [...unwritten, ...cut]);
}

function chunk(
	state: Translation,
	kind: "assistant" | "thought",
	id: string | null,
	content: ContentBlock,
): Translated {
	const text = textOf(content);
	const { open } = state;
	const same = open !== null && open.kind === kind && (id === null ? !open.named : open.message === id);
	const before = same ? { next: state, items: [] } : complete(state, []);
	const message = same ? open.message : (id ?? kind);
	const next = {
		...before.next,
		open: { message, named: id !== null, kind, text: longer(same ? open.text : "", text) },
	};
	return {
		next,
		items: before.items,
		delta: { part: message, kind, text: clip(text) },
		partial: { of: { kind }, output: () => next.open.text, isPrinted: false },
	};
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call" | "tool_call_update" }>;

function call(state: Translation, update: CallUpdate, needed = false): Translated {
	const { calls } = state;
	const id = clip(update.toolCallId, idLengthMax);
	// some providers reuse call ids: a call that begins, or is asked about, is a new one
	if (calls.isOver(id) && !needed && update.sessionUpdate !== "tool_call") return unchanged(state);
	const known = calls.get(id);
	const over = update.status === "completed" || update.status === "failed";
	const input = isEmpty(update.rawInput) ? known?.input : bounded(update.rawInput);
	// a call that is being prepared gets its input in a moment
	const ready =
		needed ||
		over ||
		input !== undefined ||
		(update.status ?? "pending") !== "pending" ||
		update.rawInput === undefined;
	const now: ToolCall = {
		isWritten: known?.isWritten === true || ready,
		title: update.title ?? known?.title ?? "",
		tool: update.kind ?? known?.tool ?? "other",
		writtenInput: known?.isWritten === true ? known.writtenInput : input,
		input,
		shown: update.content == null ? (known?.shown ?? "") : clip(shownIn(update.content)),
		asked: {
			input: isEmpty(update.rawInput) ? known?.asked.input : update.rawInput,
			content: update.content ?? known?.asked.content ?? [],
			locations: update.locations?.map(({ path }) => path) ?? known?.asked.locations ?? [],
		},
		locations: update.locations?.map(({ path, line = null }) => ({ path, line })) ?? known?.locations,
		printed: longer(known?.printed ?? "", printedIn(update)),
		output: update.rawOutput === undefined ? (known?.output ?? null) : bounded(update.rawOutput),
	};
	const first = now.isWritten && known?.isWritten !== true ? [announced(id, now)] : [];
	const closed = over ? [] : calls.put(id, now);
	if (over) calls.end(id);
	const ended = over
		? [result(id, update.status ?? "completed", now)]
		: closed.map(([other, each]) => result(other, "too many open calls", each));
	const said = first.length + ended.length === 0 ? unchanged(state) : complete(state, [...first, ...ended]);
	if (over || outputOf(now) === "") return said;
	return {
		...said,
		partial: { of: { call: id }, output: () => outputOf(now), isPrinted: now.tool !== "edit" },
	};
}

const isEmpty = (input: unknown): boolean =>
	input === undefined || (typeof input === "object" && input !== null && Object.keys(input).length === 0);

const announced = (id: string, { title, tool, input }: ToolCall): TurnItem => ({
	kind: "tool_call",
	text: clip(title),
	data: { call: id, tool, input: input ?? null },
});

/** Codex sends a command's output in a field of its own. */
function printedIn(update: CallUpdate): string {
	const data = fieldOf(update, "_meta", "terminal_output_delta", "data");
	return typeof data === "string" ? data : "";
}

const outputOf = ({ shown, printed }: ToolCall): string =>
	shown === "" ? printed : printed === "" ? shown : `${shown}\n${printed}`;

/** Without terminals, whose output comes separately. */
const shownIn = (content: readonly ToolCallContent[]): string =>
	content
		.filter(({ type }) => type !== "terminal")
		.map(contentText)
		.join("\n");

function result(id: string, status: string, now: ToolCall): TurnItem {
	const text = outputOf(now);
	// a streamed input may have grown after the call was written
	const isWritten = JSON.stringify(now.input) === JSON.stringify(now.writtenInput);
	const input = isWritten || now.input === undefined ? {} : { input: now.input };
	return {
		kind: "tool_result",
		text: clip(text),
		data: { call: id, status, output: text === "" ? now.output : null, ...input, ...changesOf(now) },
	};
}

/** The changed lines of an edit, where its input does not have them: Codex says them only as ACP's diffs. */
function changesOf({ tool, input, asked, locations = [] }: ToolCall): { changes?: TurnItem["data"] } {
	if (tool !== "edit") return {};
	const told = new Set(Object.values<unknown>(Object(input)));
	const parts = asked.content.flatMap((part) => (part.type === "diff" ? part : []));
	const lines = lineNumbers(parts, locations);
	const changes = parts.flatMap(({ path, oldText, newText }, at) => {
		const edit = told.has(newText) ? null : fileEdit(oldText ?? "", newText);
		return edit === null ? [] : [{ path, ...edit, ...lines[at] }];
	});
	return changes.length === 0 ? {} : { changes: bounded(changes) };
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
	return {
		next: { ...state, open: null, lastMessage: open.kind === "assistant" ? open.text : state.lastMessage },
		items: [said, ...items],
		delta: null,
	};
}

function textOf(content: ContentBlock): string {
	return content.type === "text" ? content.text : `[${content.type}]`;
}

/** Texts longer than an item become blobs; longer than this they are truncated. */
const textLengthMax = 16 * 1024 * 1024;
const idLengthMax = 1000;
const dataLengthMax = 100_000;
const dataDepthMax = 32;

const truncated = "\n[truncated: the rest was too long to keep]";

function clip(text: string, lengthMax = textLengthMax): string {
	return text.length <= lengthMax || text.endsWith(truncated) ? text : `${text.slice(0, lengthMax)}${truncated}`;
}

/** A text that was cut is not copied again with each chunk. */
const longer = (text: string, more: string): string => (text.length > textLengthMax ? text : clip(text + more));

/** Arbitrary data as plain JSON of bounded size, or a note that it was too large. */
function bounded(value: unknown): TurnItem["data"] {
	if (value === undefined) return null;
	const text = jsonOf(value);
	if (text === null) return { cut: "it was nested too deeply to keep" };
	if (text.length > dataLengthMax)
		return { cut: `${text.length} characters were too long to keep`, start: text.slice(0, 1000) };
	return depthOf(text) > dataDepthMax ? { cut: "it was nested too deeply to keep" } : JSON.parse(text);
}

/** Null if it is nested too deeply. */
const jsonOf = (value: unknown): string | null =>
	attempt(
		() => JSON.stringify(value, (key, inner: unknown) => (key === "__proto__" ? undefined : inner)) ?? "null",
		null,
	);

/** Counted on the text, to avoid recursion; a bracket inside a string only makes it look deeper. */
function depthOf(text: string): number {
	let [depth, deepest] = [0, 0];
	for (const character of text) {
		if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
		else if (character === "}" || character === "]") depth--;
	}
	return deepest;
}
