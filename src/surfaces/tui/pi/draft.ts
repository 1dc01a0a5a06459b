// What is being written to one agent: the library's editor without its frame.
import { setTimeout as pause } from "node:timers/promises";
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
	readonly #complete: Complete;
	/** keys that came after a Tab whose completions are being looked for */
	#held: string[] | null = null;

	constructor(
		editor: PlainEditor,
		{ submit, changed, complete }: { submit(text: string): void; changed(): void; complete: Complete },
	) {
		this.#editor = editor;
		this.#complete = complete;
		editor.focused = true;
		editor.onSubmit = (text) => submit(this.#originals.get(text) ?? withTabs(text));
		editor.onChange = changed;
		editor.setAutocompleteProvider({
			triggerCharacters: ["@"],
			getSuggestions: async (lines, line, column) => {
				const before = [...lines.slice(0, line), (lines[line] ?? "").slice(0, column)].join("\n");
				return this.#offer(await complete(withTabs(before)));
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

	#offer(found: Completions | null): { items: AutocompleteItem[]; prefix: string } | null {
		this.#offered = found ?? { word: "", items: [] };
		if (found === null || found.items.length === 0) return null;
		const items = found.items.map(({ value, hint }) => ({ value, label: inline(value), description: inline(hint) }));
		return { items, prefix: found.word };
	}

	get text(): string {
		return withTabs(this.#editor.getExpandedText());
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
		if (this.#editor.fold(clean(text)) || cursor === undefined) return;
		const line = text.split("\n")[cursor.line] ?? "";
		this.#editor.putCursorAt({ ...cursor, column: this.#shown(line.slice(0, cursor.column)).length });
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
		const shown = clean(text).replaceAll("\t", tab);
		if (clean(text) !== text) this.#originals.set(shown.trim(), text);
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
		if (this.#held !== null) this.#held.push(data);
		else if (matchesKey(data, "tab") && this.#word !== "" && this.#word !== this.#offered.word) void this.#tab(data);
		else this.#take(data);
	}

	/** A Tab that came before the completions of its word: it takes the one that the list would have marked. */
	async #tab(tab: string): Promise<void> {
		const before = this.#beforeCursor;
		this.#held = [];
		try {
			const found = await Promise.race([this.#complete(before), pause(heldMs, null, { ref: false })]);
			const offer = this.#beforeCursor === before ? this.#offer(found) : null;
			if (offer !== null && this.#editor.showCompletions(offer)) this.#take(tab);
		} finally {
			const held = this.#held;
			this.#held = null;
			for (const data of held) this.input(data);
		}
	}

	#take(data: string): void {
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
		const named = (text: string): string => text.replace(/^@/, "");
		const fitting = this.#word === "" ? [] : matching(items, named(this.#word), ({ value }) => named(value));
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
			...rest.slice(0, bottom).map((row, at) => (at === 0 ? painted("strong", mark, colour) : indent) + tabsShown(row)),
			...hidden(rest[bottom] ?? border, "↓"),
			...rest.slice(bottom + 1).map((row) => indent + row),
			...(note === "" ? [] : [painted("faint", indent + note, colour)]),
		];
	}
}

/** The library makes four spaces of a tab: in its text a tab is this letter, as wide as what is shown of it. */
const tab = "\uE009";
const withTabs = (text: string): string => text.replaceAll(tab, "\t");
const tabsShown = (row: string): string => row.replaceAll(tab, "⇥");

/** Control characters become visible ones; tabs stay. */
const clean = (text: string): string => visible(text.replaceAll(/\r\n?/g, "\n"));

/** Keys wait this long for the completions of a Tab before them. */
const heldMs = 300;

/** begins the rows that the editor draws above and below its text */
const border = "\u0000";

/** a longer text is one mark in the input, as if it had been pasted: each key lays out the whole text again */
const foldedFrom = 20_000;

export class PlainEditor extends Editor {
	constructor(...parts: ConstructorParameters<typeof Editor>) {
		super(...parts);
		Reflect.set(this, "normalizeText", (text: string) => text.replaceAll(/\r\n?/g, "\n").replaceAll("\t", tab));
	}

	/** The library puts the cursor before a text that `↑` brings back; whoever goes on with it writes at its end. */
	override handleInput(data: string): void {
		const before: unknown = Reflect.get(this, "historyIndex");
		super.handleInput(data);
		const recalled: unknown = Reflect.get(this, "historyIndex");
		if (recalled !== before && recalled !== -1) this.putCursorAt({ line: Infinity, column: Infinity });
	}

	get #pasteCounter(): number {
		return Number(Reflect.get(this, "pasteCounter"));
	}

	get #pastes(): Map<unknown, unknown> | null {
		const pastes: unknown = Reflect.get(this, "pastes");
		return pastes instanceof Map ? pastes : null;
	}

	/** Puts a mark in place of a long text. The library does this only for what is pasted. */
	fold(text = this.getExpandedText()): boolean {
		const pastes = this.#pastes;
		if (this.getText().length < foldedFrom || pastes === null) return false;
		const id = this.#pasteCounter + 1;
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

	/** False if the library has changed. */
	showCompletions(offer: { items: AutocompleteItem[]; prefix: string }): boolean {
		const [stop, show] = ["cancelAutocomplete", "applyAutocompleteSuggestions"].map((name) => Reflect.get(this, name));
		if (typeof stop !== "function" || typeof show !== "function") return false;
		Reflect.apply(stop, this, []);
		Reflect.apply(show, this, [offer, "regular"]);
		return true;
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
