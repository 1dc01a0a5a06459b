// An agent's work as a person follows it: what it says as it says it, each tool call on one line, results folded.

import type { Delta } from "#contract/stream.ts";
import { inline, visible } from "#contract/visible.ts";
import type { Item } from "#contract/wire.ts";
import { oneLine, printPainted } from "./print.ts";
import { hasColour, painted, type Style } from "./style.ts";

const margin = "  ";

export class LiveThread {
	readonly #write: (text: string) => void;
	readonly #colour: boolean;
	/** the agent's workspace */
	readonly #folder: string | null;
	/** the message whose pieces are being printed, and what was printed of it */
	#open: { id: string; text: string } | null = null;
	/** the last message in full: the final item repeats it */
	#last = "";

	constructor(folder: string | null, write = printPainted, colour = hasColour()) {
		this.#folder = folder;
		this.#write = write;
		this.#colour = colour;
	}

	piece({ message, kind, text }: Delta): void {
		if (kind !== "assistant" && kind !== "thought") return;
		const id = `${kind} ${message}`;
		if (this.#open?.id !== id) this.endPiece();
		const open = this.#open ?? { id, text: "" };
		// a message begins with its first word
		const isFirst = open.text.trim() === "";
		const shown = visible(isFirst ? text.trimStart() : text).replaceAll("\n", `\n${margin}`);
		this.#open = { id, text: open.text + text };
		if (shown !== "") this.#write((isFirst ? margin : "") + (kind === "thought" ? this.#paint("faint", shown) : shown));
	}

	/** Nothing else can be printed on the line of a message. */
	endPiece(): void {
		if (this.#open !== null && this.#open.text.trim() !== "") this.#write("\n");
		this.#open = null;
	}

	item(item: Pick<Item, "kind" | "text" | "data">): void {
		const streamed = this.#open;
		this.endPiece();
		const { kind } = item;
		const text = item.text?.trim() ?? "";
		if (kind === "user") this.#line("strong", `› ${text}`);
		else if (kind === "tool_call") this.#toolCall(item);
		else if (kind === "tool_result") this.#toolResult(item);
		else if (kind === "plan" || kind === "system") this.#line("faint", margin + text);
		else if (kind === "final" && text !== "" && text !== this.#last) this.#line(null, margin + text);
		else if (kind === "assistant" || kind === "thought") {
			const isShown = streamed?.id.startsWith(`${kind} `) === true && streamed.text.trim() === text;
			if (!isShown) this.#line(kind === "thought" ? "faint" : null, margin + text);
			this.#last = text;
		}
	}

	#toolCall({ text, data }: Pick<Item, "text" | "data">): void {
		const { tool = "", input = null }: { tool?: unknown; input?: unknown } = Object(data);
		const title = this.#short(oneLine(text ?? ""));
		// a title that says nothing is followed by what the tool was given
		const more = title === "" || title === tool ? oneLine(JSON.stringify(input ?? "")) : "";
		const line = cut(`${title}${more === "" ? "" : ` ${more}`}`, this.#width() - String(tool).length - 6);
		this.#write(`${this.#paint("run", "⏵")} ${this.#paint("strong", inline(String(tool)))} ${inline(line)}\n`);
	}

	#toolResult({ text, data }: Pick<Item, "text" | "data">): void {
		const { status }: { status?: unknown } = Object(data);
		// programs put a fence around their output
		const lines = (text ?? "")
			.trim()
			.split("\n")
			.filter((line) => !/^```\w*$/.test(line.trim()));
		const last = oneLine(lines.at(-1) ?? "");
		const failed = status === "failed";
		const more = lines.length > 1 ? ` (${lines.length} lines)` : "";
		const shown = cut(this.#short(last), this.#width() - more.length - 6);
		if (shown === "" && !failed) return;
		this.#line(failed ? "bad" : "faint", `${margin}${failed ? "✗" : "└"} ${inline(shown)}${more}`);
	}

	/** Files by their path in the workspace. */
	#short(text: string): string {
		return this.#folder === null ? text : text.replaceAll(`${this.#folder}/`, "");
	}

	#line(style: Style | null, text: string): void {
		const indented = text.replaceAll("\n", `\n${margin}`);
		this.#write(`${style === null ? visible(indented) : this.#paint(style, indented)}\n`);
	}

	#paint(style: Style, text: string): string {
		return painted(style, text, this.#colour);
	}

	#width(): number {
		return process.stdout.columns ?? 100;
	}
}

const cut = (text: string, width: number): string =>
	text.length <= width ? text : `${text.slice(0, Math.max(10, width - 1)).toWellFormed()}…`;
