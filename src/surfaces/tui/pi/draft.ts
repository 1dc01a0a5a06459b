// What is being written to one agent: the library's editor without its frame.
import { type AutocompleteItem, Editor, matchesKey } from "@earendil-works/pi-tui";
import { inline, visible } from "#contract/visible.ts";
import { painted, type Style } from "#views/paint.ts";
import { matching, widthOf } from "./text.ts";

/** Completion in the input: the text up to the cursor, and what could stand for its last word. */
export type Complete = (text: string) => Promise<Completions | null>;
export interface Completions {
	word: string;
	items: readonly { value: string; hint: string }[];
	/** what is said below them, also if there are none */
	note?: string;
}

/** The library cuts a text off with a code that ends colours: `painted` would show it. */
export function editorTheme(colour: boolean) {
	const paint = (style: Style) => (text: string) => painted(style, text.replaceAll("\u001B[0m", ""), colour);
	const faint = paint("faint");
	return {
		borderColor: (text: string) => text,
		selectList: {
			...{ selectedPrefix: paint("run"), selectedText: paint("strong") },
			...{ description: faint, scrollInfo: faint, noMatch: faint },
		},
	};
}

/** What is being written to one agent: text, cursor, history and undo. */
export class Draft {
	readonly #editor: PlainEditor;
	/** texts of others as they are, by how they are shown in the input: one that is not changed is sent as it is */
	readonly #originals = new Map<string, string>();
	#isRecalled = false;
	#offered: Completions = { word: "", items: [] };

	constructor(
		editor: PlainEditor,
		{ submit, changed, complete }: { submit(text: string): void; changed(): void; complete: Complete },
	) {
		this.#editor = editor;
		editor.focused = true;
		editor.onSubmit = (text) => submit(this.#originals.get(text) ?? text);
		editor.onChange = changed;
		editor.setAutocompleteProvider({
			triggerCharacters: ["@"],
			getSuggestions: async (lines, line, column) => {
				const found = await complete([...lines.slice(0, line), (lines[line] ?? "").slice(0, column)].join("\n"));
				this.#offered = found ?? { word: "", items: [] };
				if (found === null || found.items.length === 0) return null;
				const items = found.items.map(({ value, hint }) => ({
					value,
					label: inline(value),
					description: inline(hint),
				}));
				return { items, prefix: found.word };
			},
			applyCompletion: (lines, line, column, item: AutocompleteItem) => {
				const text = lines[line] ?? "";
				const chosen = this.#chosen(item.value);
				if (chosen === null) return { lines, cursorLine: line, cursorCol: column };
				const before = text.slice(0, column).replace(/\S*$/, () => chosen);
				// after a folder its name goes on
				const [after, space] = [text.slice(column), before.endsWith("/") ? "" : " "];
				return {
					lines: lines.with(line, before + space + (space === "" ? after : after.trimStart())),
					cursorLine: line,
					cursorCol: before.length + space.length,
				};
			},
		});
	}

	get text(): string {
		return this.#editor.getExpandedText();
	}

	/** In the whole text: a long paste is one mark in the input, and counts with all of its lines. */
	get cursor(): { line: number; column: number } {
		const before = this.#editor.expanded(this.#beforeCursor).split("\n");
		return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
	}

	get #beforeCursor(): string {
		const { line, col } = this.#editor.getCursor();
		const lines = this.#editor.getLines();
		return [...lines.slice(0, line), (lines[line] ?? "").slice(0, col)].join("\n");
	}

	get isCompleting(): boolean {
		return this.#editor.isShowingAutocomplete();
	}

	set(text: string, cursor?: { line: number; column: number }): void {
		this.#editor.setText(this.#shown(text));
		if (!this.#editor.fold() && cursor !== undefined) this.#editor.putCursorAt(cursor);
	}

	insert(text: string): void {
		this.#editor.insertTextAtCursor(this.#shown(text));
		this.#editor.fold();
	}

	remember(text: string): void {
		this.#editor.addToHistory(this.#shown(text));
	}

	/** The editor writes its text to the terminal as it is: control characters become visible ones first. */
	#shown(text: string): string {
		const shown = visible(text.replaceAll(/\r\n?/g, "\n").replaceAll("\t", "    "));
		if (shown !== text) this.#originals.set(shown.trim(), text);
		return shown;
	}

	/** What was sent before, oldest first; taken once. */
	recall(sent: () => readonly string[]): void {
		if (this.#isRecalled) return;
		const all = sent();
		for (const text of all) this.remember(text);
		this.#isRecalled = all.length > 0;
	}

	/** The library takes the control characters out of what is pasted, but not those above ASCII. */
	input(data: string): void {
		const before = this.#beforeCursor;
		if (this.isCompleting && matchesKey(data, "enter")) this.#enterInList(data);
		else this.#editor.handleInput(data.replaceAll(/[\u0080-\u009F]/g, visible));
		// one that was sent before
		this.#editor.fold();
		if (this.isCompleting && this.#beforeCursor !== before) this.#completeAfter(before);
	}

	/** The library leaves the list as it is when a word or line is deleted. */
	#completeAfter(before: string): void {
		const now = this.#beforeCursor;
		if (now.length < before.length && /(^|\s)$/.test(now)) this.#editor.handleInput("\u001B");
		else this.#editor.completeAgain();
	}

	get #word(): string {
		return /\S*$/.exec(this.#beforeCursor)?.[0] ?? "";
	}

	/** More may have been typed since the list was made: then the first that fits the word, or none. */
	#chosen(marked: string): string | null {
		const { word, items } = this.#offered;
		if (this.#word === word) return marked;
		const fitting = this.#word === "" ? [] : matching(items, this.#word, ({ value }) => value);
		return fitting[0]?.value ?? null;
	}

	/** The library runs the command that is marked in the list: here only one that was written whole. */
	#enterInList(enter: string): void {
		const word = this.#word;
		const isSent = this.#offered.items.some(({ value }) => value === word) || this.#chosen(word) === null;
		if (isSent) this.#editor.handleInput("\u001B");
		this.#editor.handleInput(isSent ? enter : "\t");
	}

	/** The text after a mark, then the completions. */
	rows(width: number, mark: string, colour: boolean): string[] {
		const [top = "", ...rest] = this.#editor.render(Math.max(10, width - widthOf(mark)));
		const bottom = rest.findIndex((row) => row.startsWith(border));
		const indent = " ".repeat(widthOf(mark));
		const note = this.#word === this.#offered.word ? (this.#offered.note ?? "") : "";
		const hidden = (row: string, arrow: string): string[] =>
			row === border ? [] : [painted("faint", `${indent}${arrow} ${row.slice(border.length)} more`, colour)];
		return [
			...hidden(top, "↑"),
			...rest.slice(0, bottom).map((row, at) => (at === 0 ? painted("strong", mark, colour) : indent) + row),
			...hidden(rest[bottom] ?? border, "↓"),
			...rest.slice(bottom + 1).map((row) => indent + row),
			...(note === "" ? [] : [painted("faint", indent + note, colour)]),
		];
	}
}

/** begins the rows that the editor draws above and below its text */
const border = "\u0000";

/** a longer text is one mark in the input, as if it had been pasted: each key lays out the whole text again */
const foldedFrom = 20_000;

export class PlainEditor extends Editor {
	/** The library puts the cursor before a text that `↑` brings back; whoever goes on with it writes at its end. */
	override handleInput(data: string): void {
		const before: unknown = Reflect.get(this, "historyIndex");
		super.handleInput(data);
		const recalled: unknown = Reflect.get(this, "historyIndex");
		if (recalled !== before && recalled !== -1) this.putCursorAt({ line: Infinity, column: Infinity });
	}

	/** Puts a mark in place of a long text. The library does this only for what is pasted. */
	fold(): boolean {
		const pastes: unknown = Reflect.get(this, "pastes");
		if (this.getText().length < foldedFrom || !(pastes instanceof Map)) return false;
		const text = this.getExpandedText();
		const id = Number(Reflect.get(this, "pasteCounter")) + 1;
		pastes.set(id, text);
		const [lines, size] = [text.split("\n").length, text.length];
		const mark = `[paste #${id} ${lines > 10 ? `+${lines} lines` : `${size} chars`}]`;
		Object.assign(this, { pasteCounter: id });
		Object.assign(Object(Reflect.get(this, "state")), { lines: [mark], cursorLine: 0, cursorCol: mark.length });
		return true;
	}

	/** A text with its paste marks replaced by what was pasted. The library has this only for the whole text. */
	expanded(text: string): string {
		const expand: unknown = Reflect.get(this, "expandPasteMarkers");
		return typeof expand === "function" ? String(Reflect.apply(expand, this, [text])) : text;
	}

	/** Asks for the completions of the word as it is now. */
	completeAgain(): void {
		const update: unknown = Reflect.get(this, "updateAutocomplete");
		if (typeof update === "function") Reflect.apply(update, this, []);
	}

	/** The library has no other way to move the cursor there. */
	putCursorAt({ line, column }: { line: number; column: number }): void {
		const lines = this.getLines();
		const cursorLine = Math.max(0, Math.min(line, lines.length - 1));
		const cursorCol = Math.max(0, Math.min(column, lines[cursorLine]?.length ?? 0));
		Object.assign(Object(Reflect.get(this, "state")), { cursorLine, cursorCol });
	}

	protected override renderTopBorder(_width: number, hidden: number): string {
		return hidden === 0 ? border : `${border}${hidden}`;
	}

	protected override renderBottomBorder(width: number, hidden: number): string {
		return this.renderTopBorder(width, hidden);
	}
}
