// An agent's conversation on a terminal: wrapped to its width, tool output folded, no text twice.
import { indented, inline } from "#contract/visible.ts";
import type { Item } from "#contract/wire.ts";
import { toolText } from "#views/thread.ts";
import { itemLine } from "./print-thread.ts";

const margin = 21;
/** lines of a tool's output before it is folded */
const foldedLines = 5;

export class LogLines {
	readonly #columns: number | null;
	/** the last message: the final item repeats it */
	#last = "";

	/** `columns`: the terminal's width; null for a file or a pipe, which gets everything unwrapped */
	constructor(columns: number | null) {
		this.#columns = columns;
	}

	line(item: Pick<Item, "id" | "kind" | "text" | "data">): string {
		const { id, kind, data } = item;
		const text = (kind === "tool_call" ? toolText(item) : (item.text ?? "")).trimEnd();
		const isRepeated = kind === "final" && text !== "" && text.trim() === this.#last.trim();
		if (kind === "assistant") this.#last = text;
		if (isRepeated) return itemLine({ id, kind, text: null, data });
		if (this.#columns === null || text === "") return itemLine(item);
		const lines = text.split("\n");
		const shown = kind === "tool_result" && lines.length > foldedLines ? lines.slice(0, foldedLines - 1) : lines;
		const more = lines.length - shown.length;
		const width = Math.max(20, this.#columns - margin);
		const wrapped = shown.flatMap((line) => wrap(line, width));
		if (more > 0) wrapped.push(`… ${more} more lines: --item ${id}`);
		const head = `${String(id).padStart(6)}  ${inline(kind).padEnd(11)}  `;
		return head + indented(wrapped.join("\n"), " ".repeat(margin));
	}
}

/** Breaks at spaces where it can. */
function wrap(line: string, width: number): string[] {
	const parts: string[] = [];
	let rest = line;
	while (rest.length > width) {
		const space = rest.lastIndexOf(" ", width);
		const at = space > width / 3 ? space : width;
		parts.push(rest.slice(0, at).toWellFormed());
		rest = rest.slice(space > width / 3 ? at + 1 : at);
	}
	return [...parts, rest];
}
