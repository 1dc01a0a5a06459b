// A conversation as every surface shows it: prompts, messages, tool calls with their results, and notes. Items that
// belong together are one block.

import type { FileEdit } from "#contract/file-edit.ts";
import type { AgentId } from "#contract/ids.ts";
import { looseData } from "#contract/loose-data.ts";
import { authorIn, mailAuthor } from "#contract/quote.ts";
import type { Delta } from "#contract/stream.ts";
import { isOutput } from "#contract/unfinished.ts";
import { oneLine } from "#contract/visible.ts";
import type { Item } from "#contract/wire.ts";
import { type CallResult, isFailed, resultOf } from "./call-result.ts";
import { changeOf, reportedChange } from "./change.ts";
import { usageLine } from "./usage-lines.ts";

export type BlockKind = "prompt" | "message" | "thought" | "call" | "plan" | "note";

export interface Block {
	/** that of its first item */
	readonly id: number;
	/** that of its last item: a call's result, or the final item that repeats a message */
	readonly lastItem: number;
	readonly kind: BlockKind;
	/** of a call */
	readonly tool: string;
	/** of a prompt or an interrupt: who sent it, if it was another agent or a named person */
	readonly author: string;
	/** for a call: its title */
	readonly text: string;
	/** for a call: its id */
	readonly call: string | null;
	/** of a call that has ended */
	readonly result: CallResult | null;
	/** what a call changes in a file, as far as it says so */
	readonly change: FileEdit | null;
	readonly turn: number | null;
	readonly at: string;
	/** something went wrong */
	readonly bad: boolean;
	/** of an ancestor, before the fork */
	readonly isInherited: boolean;
	/** a plan, after which its turn has made a newer one */
	readonly isOutdated: boolean;
	/** whose item it is */
	readonly agent: AgentId | null;
}

type Shown = Pick<Item, "id" | "kind" | "text" | "data" | "at" | "turn" | "actor"> & { agent?: AgentId | null };

/** The blocks of a conversation. Adding an item costs the same, however long the conversation is. */
export class Blocks {
	#list: Block[] = [];
	/** where the open calls are */
	readonly #open = new Map<string, number>();
	/** results whose calls are older than the first block */
	readonly #orphans = new Map<string, Shown>();
	/** the last message: a final item may repeat it */
	#last = "";
	/** a final item without a message before it: an older message may turn out to be the same */
	#firstFinal: Block | null = null;

	get list(): readonly Block[] {
		return this.#list;
	}

	add(item: Shown, { isInherited = false } = {}): void {
		if (item.kind === "tool_result" && this.#end(item)) return;
		const made = blockOf(item);
		const block = made === null ? null : { ...made, isInherited };
		if (block === null || (item.kind === "final" && (block.text === "" || this.#repeat(block)))) return;
		if (item.kind === "final" && this.#last === "") this.#firstFinal = block;
		if (block.kind === "message") this.#last = block.text;
		if (item.kind === "tool_call") this.#open.set(callId(item), this.#list.length);
		if (item.kind === "tool_result") this.#orphans.set(callId(item), item);
		if (item.kind === "plan") this.#outdatePlan(item.turn);
		this.#list.push(block);
	}

	/** False if a final item does not say the last message again. */
	#repeat({ id, text }: Block): boolean {
		if (text !== this.#last) return false;
		const at = this.#list.findLastIndex(({ kind }) => kind === "message");
		const message = this.#list[at];
		if (message !== undefined) this.#list[at] = { ...message, lastItem: id };
		return true;
	}

	/** The last plan of a turn that goes on. */
	#outdatePlan(turn: number | null): void {
		for (let at = this.#list.length - 1; at >= 0; at--) {
			const block = this.#list[at];
			if (block === undefined || (block.turn !== null && block.turn !== turn)) return;
			if (block.kind !== "plan") continue;
			this.#list[at] = { ...block, isOutdated: true };
			return;
		}
	}

	/** Puts older items before all others. */
	prepend(items: readonly Shown[], { isInherited = false } = {}): void {
		const older = new Blocks();
		for (const item of items) older.add(item, { isInherited });
		const plan = this.#list.find(({ kind }) => kind === "plan");
		if (plan !== undefined) older.#outdatePlan(plan.turn);
		const joined = new Set<number>();
		for (const [call, result] of this.#orphans) {
			if (!older.#end(result)) continue;
			this.#orphans.delete(call);
			joined.add(result.id);
		}
		if (this.#firstFinal !== null && older.#repeat(this.#firstFinal)) joined.add(this.#firstFinal.id);
		if (older.#last !== "") this.#firstFinal = older.#firstFinal;
		for (const [call, result] of older.#orphans) this.#orphans.set(call, result);
		for (const [call, at] of this.#open) this.#open.set(call, at + older.#list.length);
		const rest = joined.size === 0 ? this.#list : this.#list.filter(({ id }) => !joined.has(id));
		// what moved forward by the items that belong to older blocks
		if (joined.size > 0)
			for (const [call, at] of this.#open)
				this.#open.set(call, at - joinedBefore(this.#list, joined, at - older.#list.length));
		for (const [call, at] of older.#open) this.#open.set(call, at);
		this.#list = [...older.#list, ...rest];
	}

	/** False if its call is not here: then it is a block of its own. */
	#end(item: Shown): boolean {
		const at = this.#open.get(callId(item));
		const block = at === undefined ? undefined : this.#list[at];
		if (at === undefined || block === undefined) return false;
		this.#open.delete(callId(item));
		const { input, changes } = looseData(item.data);
		const change = reportedChange(changes) ?? changeOf(block.tool, input) ?? block.change;
		this.#list[at] = { ...block, lastItem: item.id, result: resultOf(item), bad: isFailed(item), change };
		return true;
	}
}

const joinedBefore = (list: readonly Block[], joined: ReadonlySet<number>, at: number): number =>
	list.slice(0, at).filter(({ id }) => joined.has(id)).length;

const callId = (item: Pick<Item, "data">): string => String(looseData(item.data).call ?? "");

/** Null for items that are not shown. */
function blockOf(item: Shown): Block | null {
	const { id, kind, at, turn, agent = null } = item;
	const text = item.text?.trim() ?? "";
	const block = (of: BlockKind, more: Partial<Block> = {}): Block => ({
		...{
			id,
			lastItem: id,
			kind: of,
			tool: "",
			author: "",
			text,
			call: null,
			result: null,
			change: null,
			turn,
			at,
			bad: false,
			isInherited: false,
			isOutdated: false,
			agent,
		},
		...more,
	});
	switch (kind) {
		case "user":
			return block("prompt", { author: shownAuthorOf(item) ?? "" });
		case "assistant":
			return text === "" ? null : block("message");
		case "final":
			return isInterrupted(item)
				? block("note", { text: interruptedText(text) })
				: block("message", { bad: hasFailed(item) });
		case "thought":
			return text === "" ? null : block("thought");
		case "plan":
			return block("plan");
		case "tool_call":
			return block("call", {
				tool: toolOf(item),
				text: callTitle(item),
				call: callId(item),
				change: changeOf(toolOf(item), looseData(item.data).input),
			});
		case "tool_result":
			return block("call", { tool: "result", text: "", result: resultOf(item), bad: isFailed(item) });
		case "usage":
			return block("note", { text: usageLine(Object(item.data)) });
		default:
			return block("note", {
				author: shownAuthorOf(item) ?? "",
				text: noteOf(kind, text, item.data),
				bad: kind === "timeout" || kind === "killed",
			});
	}
}

/**
 * Whose words a prompt or an interrupt has; null if they are the owner's or the system's, or quote their authors as
 * mail does.
 */
export function shownAuthorOf({ kind, data, actor }: Pick<Item, "kind" | "data"> & { actor?: string }): string | null {
	const author = kind === "user" ? authorIn(data) : kind === "interrupt" ? (actor ?? null) : null;
	return author === mailAuthor || author === "human" || author === "system" ? null : author;
}

const hasFailed = (item: Pick<Item, "data">): boolean => looseData(item.data).state === "failed";

/** Without words of its own: a text that is only the reason. */
const isInterrupted = ({ text, data }: Pick<Item, "text" | "data">): boolean => {
	const { state, reason } = looseData(data);
	return state === "interrupted" && text === reason;
};

const interruptions: Readonly<Record<string, string>> = {
	crash: "the daemon ended",
	shutdown: "the daemon was stopped",
};

const interruptedText = (reason: string): string =>
	reason === "" || reason === "interrupted" ? "interrupted" : `interrupted: ${interruptions[reason] ?? reason}`;

/** The note of a clear: what is before it is not in the agent's context. */
export const clearedText = "context cleared";

function noteOf(kind: string, text: string, data: unknown): string {
	const more = text !== "" ? text : data === null ? "" : JSON.stringify(data);
	// a fork says by itself that it is one
	if (kind === "system" || (kind === "fork" && text !== "")) return more;
	if (kind === "clear" && text === "") return clearedText;
	return more === "" ? kind : `${kind}: ${more}`;
}

export const toolOf = (item: Pick<Item, "data">): string => String(looseData(item.data).tool ?? "");

/** The tool and what it does, on one line. Many titles begin with the tool, "Read sum.js": it is said once. */
export function callWords(tool: string, title: string): { tool: string; title: string } {
	const [first = "", ...words] = title.split(" ");
	return first.toLowerCase() === tool.toLowerCase() ? { tool: first, title: words.join(" ") } : { tool, title };
}

/** On one line. */
export const callTitle = (item: Pick<Item, "text" | "data">): string => oneLine(toolText(item));

/** A title that is a sentence is shown alone; a bare tool name is followed by its arguments. */
export function toolText(item: Pick<Item, "text" | "data">): string {
	const title = item.text?.trim() || toolOf(item);
	const input = Object.entries<unknown>(Object(looseData(item.data).input));
	const isSaid = /\s/.test(title) || input.some(([, value]) => value === title);
	if (isSaid) return title;
	const given = input.map(([name, value]) => `${name}: ${argument(value)}`);
	const name = title.replace(/^mcp__([\w-]+?)__([\w-]+)$/, "$1_$2");
	return given.length === 0 ? name : `${name} {${given.join(", ")}}`;
}

const argumentMax = 200;

function argument(value: unknown): string {
	const text = typeof value === "string" && /^[\w./:@#-]+$/.test(value) ? value : JSON.stringify(value);
	return text.length <= argumentMax ? text : `${text.slice(0, argumentMax - 1).toWellFormed()}…`;
}

const outputLines = 20;

/** The last lines that a running call has printed; null if it has printed nothing, or has ended. */
export function runningOutput({ call, turn, result }: Block, messages: readonly Delta[]): string | null {
	if (call === null || result !== null) return null;
	const output = messages.find((each) => isOutput(each) && each.part === call && each.turn === turn);
	const text = output?.text.trimEnd() ?? "";
	return text === "" ? null : text.split("\n").slice(-outputLines).join("\n");
}

/** Paths inside the workspace without the workspace. */
export const insideOf = (folder: string | null, text: string): string =>
	folder === null ? text : text.replaceAll(`${folder}/`, "");
