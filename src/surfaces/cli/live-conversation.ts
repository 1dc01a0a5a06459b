// Prints an agent's work as it happens: messages while they are written, each tool call on one line, results shortened.

import { looseData } from "#contract/loose-data.ts";
import type { Delta } from "#contract/stream.ts";
import { indented, inline, visible } from "#contract/visible.ts";
import type { Item } from "#contract/wire.ts";
import { resultOf, summaryOf } from "#views/call-result.ts";
import { callTitle, callWords, insideOf, shownAuthorOf, toolOf } from "#views/conversation.ts";
import { planSteps } from "#views/plan.ts";
import { printPainted, terminalColumns } from "./print.ts";
import { hasColour, painted, type Style } from "./style.ts";
import { WordWrap, wrapped } from "./word-wrap.ts";

const margin = "  ";

export class LiveConversation {
	readonly #write: (text: string) => void;
	readonly #colour: boolean;
	/** the agent's workspace */
	readonly #folder: string | null;
	readonly #columns: () => number | null;
	/** the message that is being printed, and what has come of it */
	#open: { id: string; text: string; wrap: WordWrap; isBegun: boolean } | null = null;
	/** the same, until its item has come: other items may come first */
	#streamed: { id: string; text: string } | null = null;
	/** the last message in full: the final item repeats it */
	#last = "";

	constructor(folder: string | null, write = printPainted, colour = hasColour(), columns = terminalColumns) {
		this.#folder = folder;
		this.#write = write;
		this.#colour = colour;
		this.#columns = columns;
	}

	piece({ part, kind, text }: Delta): void {
		if (kind !== "assistant" && kind !== "thought") return;
		const id = `${kind} ${part}`;
		if (this.#open?.id !== id) this.endPiece();
		const open = this.#open ?? { id, text: "", wrap: new WordWrap(this.#textWidth()), isBegun: false };
		// a message begins with its first word
		const added = open.text.trim() === "" ? text.trimStart() : text;
		open.text += text;
		this.#open = open;
		this.#streamed = { id, text: open.text };
		this.#put(open, open.wrap.add(visible(added)));
	}

	#put(open: { id: string; isBegun: boolean }, text: string): void {
		if (text === "") return;
		const shown = indented(text, margin);
		this.#write((open.isBegun ? "" : margin) + (open.id.startsWith("thought ") ? this.#paint("faint", shown) : shown));
		open.isBegun = true;
	}

	/** A message as far as it is: what was printed of it is not printed again. */
	soFar(delta: Delta): void {
		const printed = this.#open?.id === `${delta.kind} ${delta.part}` ? this.#open.text : "";
		this.piece({ ...delta, text: delta.text.startsWith(printed) ? delta.text.slice(printed.length) : delta.text });
	}

	/** Ends the line of a running message before anything else is printed. */
	endPiece(): void {
		const open = this.#open;
		this.#open = null;
		if (open === null || open.text.trim() === "") return;
		this.#put(open, open.wrap.end());
		this.#write("\n");
	}

	item(item: Pick<Item, "kind" | "text" | "data"> & { actor?: string }): void {
		this.endPiece();
		const { kind } = item;
		const text = item.text?.trim() ?? "";
		const author = shownAuthorOf(item);
		if (kind === "user") this.#line("strong", `${author === null ? "" : `${inline(author)} `}› ${text}`);
		else if (kind === "tool_call") this.#toolCall(item);
		else if (kind === "tool_result") this.#toolResult(item);
		else if (kind === "plan")
			for (const { mark, text: step } of planSteps(text)) this.#line("faint", `${margin}${mark} ${step}`);
		else if (kind === "system") this.#line("faint", margin + text);
		else if (kind === "final" && text !== "" && text !== this.#last && isCompleted(item))
			this.#line(null, margin + text);
		else if (kind === "assistant" || kind === "thought") {
			const streamed = this.#streamed;
			const isShown = streamed?.id.startsWith(`${kind} `) === true && streamed.text.trim() === text;
			this.#streamed = null;
			if (!isShown) this.#line(kind === "thought" ? "faint" : null, margin + text);
			this.#last = text;
		}
	}

	#toolCall(item: Pick<Item, "text" | "data">): void {
		const { tool, title } = callWords(toolOf(item), insideOf(this.#folder, callTitle(item)));
		const line = cut(title, this.#width() - tool.length - 6);
		this.#write(`${this.#paint("run", "⏵")} ${this.#paint("strong", inline(tool))} ${inline(line)}\n`);
	}

	#toolResult(item: Pick<Item, "text" | "data">): void {
		const { failed, ...result } = resultOf(item);
		const { line, count } = summaryOf(result);
		const more = count > 1 ? ` (${count} lines)` : "";
		const shown = cut(insideOf(this.#folder, line), this.#width() - more.length - 6);
		if (shown === "" && !failed) return;
		this.#line(failed ? "bad" : "faint", `${margin}${failed ? "✗" : "└"} ${inline(shown)}${more}`);
	}

	#line(style: Style | null, text: string): void {
		const shown = indented(wrapped(visible(text), this.#textWidth()), margin);
		this.#write(`${style === null ? shown : this.#paint(style, shown)}\n`);
	}

	#paint(style: Style, text: string): string {
		return painted(style, text, this.#colour);
	}

	/** of a tool call or its result, which is cut to it */
	#width(): number {
		return this.#columns() ?? 100;
	}

	/** null: not wrapped */
	#textWidth(): number | null {
		const columns = this.#columns();
		return columns === null ? null : columns - margin.length;
	}
}

/** The text of another turn is the reason of its end, which the command prints as its last line. */
const isCompleted = ({ data }: Pick<Item, "data">): boolean => (looseData(data).state ?? "completed") === "completed";

const cut = (text: string, width: number): string =>
	text.length <= width ? text : `${text.slice(0, Math.max(10, width - 1)).toWellFormed()}…`;
