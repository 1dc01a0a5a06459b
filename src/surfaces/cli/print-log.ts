// An agent's conversation on a terminal: wrapped to its width, tool output shortened, no text twice.
import { looseData } from "#contract/loose-data.ts";
import { indented, inline, visible } from "#contract/visible.ts";
import { toolText } from "#views/conversation.ts";
import { authored, itemLine, type ShownItem } from "./print-thread.ts";
import { hasColour, painted, type Style } from "./style.ts";
import { wrapped } from "./word-wrap.ts";

/** the width of an item's number and kind */
export const logMargin = 21;
/** lines of a tool's output before it is shortened */
const shownLinesMax = 5;

const kindStyles: Readonly<Record<string, Style>> = {
	user: "strong",
	assistant: "strong",
	tool_call: "run",
	tool_result: "faint",
	usage: "faint",
	thought: "faint",
};

function styleOf(item: ShownItem): Style {
	if (item.kind !== "final") return kindStyles[item.kind] ?? "faint";
	return looseData(item.data).state === "completed" ? "ok" : "bad";
}

export class LogLines {
	readonly #columns: number | null;
	/** the last message: the final item repeats it */
	#last = "";

	/** `columns`: the terminal's width; null for a file or a pipe, which gets everything unwrapped */
	constructor(columns: number | null) {
		this.#columns = columns;
	}

	/** The line with the kind in a colour, if the output has colours; escaped, and with its line break. */
	painted(item: ShownItem, colour: boolean = hasColour()): string {
		const line = visible(this.line(item));
		const from = line.indexOf(item.kind);
		const to = from + item.kind.length;
		return `${line.slice(0, from)}${painted(styleOf(item), line.slice(from, to), colour)}${line.slice(to)}\n`;
	}

	line(item: ShownItem): string {
		const { id, kind, data } = item;
		const text = (kind === "tool_call" ? toolText(item) : (item.text ?? "")).trimEnd();
		const isRepeated = kind === "final" && text !== "" && text.trim() === this.#last.trim();
		if (kind === "assistant") this.#last = text;
		if (isRepeated) return itemLine({ id, kind, text: null, data });
		if (this.#columns === null || text === "") return itemLine(item);
		const lines = authored(item, text).split("\n");
		const shown = kind === "tool_result" && lines.length > shownLinesMax ? lines.slice(0, shownLinesMax - 1) : lines;
		const more = lines.length - shown.length;
		const body = wrapped(shown.join("\n"), this.#columns - logMargin);
		const rest = more > 0 ? `\n… ${more} more lines: --item ${id}` : "";
		const head = `${String(id).padStart(6)}  ${inline(kind).padEnd(11)}  `;
		return head + indented(body + rest, " ".repeat(logMargin));
	}
}
