// The tool calls of one turn. Bounded: if a program begins calls and never ends them, the oldest are closed.

import type { ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { TurnItem } from "#contract/turn.ts";
import type { Location } from "./change-lines.ts";

export interface ToolCall {
	/** its own item was written; a call without any details waits until there are some */
	isWritten: boolean;
	title: string;
	tool: string;
	/** the input in the call's own item */
	writtenInput: TurnItem["data"] | undefined;
	input: TurnItem["data"] | undefined;
	/** what a question about it shows, uncut */
	asked: { input: unknown; content: readonly ToolCallContent[]; locations: readonly string[] };
	/** where it changes files */
	locations?: readonly Location[] | undefined;
	/** its output, as the program shows it */
	shown: string;
	/** the output of a command, where a program sends it in chunks in a field of its own */
	printed: string;
	output: TurnItem["data"];
}

const openMax = 1000;
const lengthMax = 64 * 1024 * 1024;
/** ended calls whose late updates are recognised */
const overMax = 1000;

export class ToolCalls {
	readonly #open = new Map<string, ToolCall>();
	readonly #over = new Set<string>();
	#length = 0;

	get(id: string): ToolCall | undefined {
		return this.#open.get(id);
	}

	isOver(id: string): boolean {
		return this.#over.has(id);
	}

	/** in the order in which they were begun */
	get open(): ReadonlyMap<string, ToolCall> {
		return this.#open;
	}

	/** Returns the calls that were closed to make room. */
	put(id: string, call: ToolCall): [string, ToolCall][] {
		this.#over.delete(id);
		this.#length += lengthOf(call) - lengthOf(this.#open.get(id));
		this.#open.set(id, call);
		const closed: [string, ToolCall][] = [];
		for (const [oldest, each] of this.#open) {
			if (this.#open.size <= openMax && this.#length <= lengthMax) break;
			closed.push([oldest, each]);
			this.end(oldest);
		}
		return closed;
	}

	end(id: string): void {
		this.#length -= lengthOf(this.#open.get(id));
		this.#open.delete(id);
		this.#over.add(id);
		for (const oldest of this.#over) {
			if (this.#over.size <= overMax) break;
			this.#over.delete(oldest);
		}
	}
}

function lengthOf(call: ToolCall | undefined): number {
	if (call === undefined) return 0;
	const { input, content } = call.asked;
	// `shown` has the rest of its content
	const before = content.reduce((sum, part) => sum + (part.type === "diff" ? (part.oldText?.length ?? 0) : 0), 0);
	return call.shown.length + call.printed.length + call.title.length + textIn(input) + before;
}

/** The length of all text in it, down to a depth; deeper data is refused elsewhere. */
function textIn(value: unknown, depth = 0): number {
	if (typeof value === "string") return value.length;
	if (typeof value !== "object" || value === null || depth > 8) return 0;
	let sum = 0;
	for (const each of Object.values(value)) sum += textIn(each, depth + 1);
	return sum;
}
