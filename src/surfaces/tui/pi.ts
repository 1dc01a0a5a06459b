// The terminal library, and the only file that knows it: widths, wrapping, markdown, keys, the editor, and the screen.
import {
	type AutocompleteItem,
	Editor,
	fuzzyFilter,
	isKeyRelease,
	KeybindingsManager,
	Markdown,
	ProcessTerminal,
	parseKey,
	setKeybindings,
	type Terminal,
	TUI_KEYBINDINGS,
	TuiAltScreen,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { painted } from "#views/paint.ts";

export type { Terminal };

/** The columns that a text takes. */
export const widthOf = (text: string): number => visibleWidth(text);

export const clipped = (text: string, width: number): string =>
	width <= 0 ? "" : truncateToWidth(text, width, width < 2 ? "" : "…");

export const filled = (text: string, width: number): string => truncateToWidth(text, width, "…", true);

/** An empty line is one row. */
export function wrapped(text: string, width: number): string[] {
	const rows = wrapTextWithAnsi(text, Math.max(1, width));
	return rows.length === 0 ? [""] : rows;
}

export const matching = <T>(all: readonly T[], words: string, textOf: (each: T) => string): T[] =>
	words.trim() === "" ? [...all] : fuzzyFilter([...all], words, textOf);

/** Very deep nesting overflows the parser's stack: such a text is shown as it is. */
export function markdownRows(text: string, width: number, colour: boolean): string[] {
	const room = Math.max(8, width - 2);
	try {
		const rows = new Markdown(text, 0, 0, theme(colour), undefined, { renderLatex: false }).render(room);
		return rows.map((row) => row.trimEnd());
	} catch {
		return text.split("\n").flatMap((line) => wrapped(line, room));
	}
}

type Paint = (text: string) => string;

function theme(colour: boolean) {
	// the library passes text that has colours already
	const paint = (code: string): Paint => (colour ? (text) => `\u001B[${code}m${text}\u001B[0m` : (text) => text);
	const plain: Paint = (text) => text;
	const [strong, faint, accent] = [paint("1"), paint("2"), paint("36")];
	return {
		...{ heading: strong, link: paint("4"), linkUrl: faint, code: accent, codeBlock: plain, codeBlockBorder: faint },
		...{ quote: faint, quoteBorder: faint, hr: faint, listBullet: faint, bold: strong, italic: paint("3") },
		...{ strikethrough: paint("9"), underline: paint("4") },
	};
}

const ownKeys = ["ctrl+up", "ctrl+down", "ctrl+left", "ctrl+right", "pageUp", "pageDown"];

/** The library's keys without those that are ours. */
function useKeys(): void {
	const kept = Object.entries(TUI_KEYBINDINGS).map(([name, { defaultKeys }]) => {
		const keys = name.startsWith("tui.altScreen.") ? [] : [defaultKeys].flat();
		return [name, keys.filter((key) => !ownKeys.includes(key))];
	});
	const more = { "tui.input.newLine": ["shift+enter", "alt+enter", "ctrl+j"] };
	setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, { ...Object.fromEntries(kept), ...more }));
}

export interface Painter {
	/** the rows of the whole screen */
	draw(width: number, height: number): string[];
	/** a key by its name, and the bytes for the editor */
	key(name: string, data: string): void;
	/** in rows; negative is up */
	wheel(rows: number): void;
}

/** Completion in the input: the text up to the cursor, and what could stand for its last word. */
export type Complete = (text: string) => { word: string; items: readonly Completion[] } | null;
export interface Completion {
	value: string;
	hint: string;
}

/** streams are painted at most so often */
const frameMs = 50;
/** a terminal that takes long to take a frame gets the next one only after a multiple of that time */
const restFactor = 4;

export class Screen {
	readonly #tui: TuiAltScreen;
	readonly #terminal: Terminal;
	#writeMs = 0;
	#lastFrame = 0;
	#timer: NodeJS.Timeout | null = null;

	constructor(painter: Painter, { mouse, terminal = new ProcessTerminal() }: { mouse: boolean; terminal?: Terminal }) {
		useKeys();
		this.#terminal = terminal;
		const write = terminal.write.bind(terminal);
		terminal.write = (data) => {
			const before = performance.now();
			write(data);
			this.#writeMs = performance.now() - before;
			this.#lastFrame = performance.now();
		};
		this.#tui = new TuiAltScreen(terminal, true, undefined, { mouse });
		const root = {
			render: (width: number) => painter.draw(width, this.#terminal.rows),
			handleInput: (data: string) => {
				if (!isKeyRelease(data)) painter.key(parseKey(data) ?? "", data);
			},
			handleMouse: ({ type, wheelDelta }: { type: string; wheelDelta?: number }) => {
				if (type !== "wheel") return undefined;
				painter.wheel(wheelDelta ?? 0);
				return { handled: true };
			},
			invalidate: () => {},
		};
		this.#tui.setLayoutRoot(root);
		this.#tui.setFocus(root);
	}

	start(): void {
		this.#tui.start();
	}

	stop(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#tui.stop();
	}

	get rows(): number {
		return this.#terminal.rows;
	}

	get columns(): number {
		return this.#terminal.columns;
	}

	title(text: string): void {
		this.#terminal.setTitle(text);
	}

	/** The whole screen, at once. */
	redraw(): void {
		this.#tui.renderNow(true);
	}

	/** Soon: several changes are one frame. */
	repaint(): void {
		if (this.#timer !== null) return;
		const wait = Math.max(0, this.#lastFrame + Math.max(frameMs, restFactor * this.#writeMs) - performance.now());
		this.#timer = setTimeout(() => {
			this.#timer = null;
			this.#tui.renderNow();
		}, wait);
	}

	draft(parts: { submit(text: string): void; changed(): void; complete: Complete }): Draft {
		return new Draft(new PlainEditor(this.#tui, editorTheme), parts);
	}
}

const editorTheme = {
	borderColor: (text: string) => text,
	selectList: {
		selectedPrefix: (text: string) => painted("run", text, true),
		selectedText: (text: string) => painted("strong", text, true),
		description: (text: string) => painted("faint", text, true),
		scrollInfo: (text: string) => painted("faint", text, true),
		noMatch: (text: string) => painted("faint", text, true),
	},
} satisfies Record<string, unknown>;

/** What is being written to one agent: text, cursor, history and undo. */
export class Draft {
	readonly #editor: Editor;

	constructor(
		editor: Editor,
		{ submit, changed, complete }: { submit(text: string): void; changed(): void; complete: Complete },
	) {
		this.#editor = editor;
		editor.focused = true;
		editor.onSubmit = submit;
		editor.onChange = changed;
		editor.setAutocompleteProvider({
			triggerCharacters: ["@"],
			getSuggestions: async (lines, line, column) => {
				const found = complete([...lines.slice(0, line), (lines[line] ?? "").slice(0, column)].join("\n"));
				if (found === null || found.items.length === 0) return null;
				const items = found.items.map(({ value, hint }) => ({ value, label: value, description: hint }));
				return { items, prefix: found.word };
			},
			applyCompletion: (lines, line, column, item: AutocompleteItem, prefix) => {
				const text = lines[line] ?? "";
				const before = text.slice(0, column - prefix.length) + item.value;
				const after = text.slice(column);
				return {
					lines: lines.with(line, `${before} ${after.trimStart()}`),
					cursorLine: line,
					cursorCol: before.length + 1,
				};
			},
		});
	}

	get text(): string {
		return this.#editor.getExpandedText();
	}

	get cursor(): { line: number; column: number } {
		const { line, col } = this.#editor.getCursor();
		return { line, column: col };
	}

	get isCompleting(): boolean {
		return this.#editor.isShowingAutocomplete();
	}

	set(text: string, cursor?: { line: number; column: number }): void {
		this.#editor.setText(text);
		// the library has no other way to place the cursor
		const state: unknown = Reflect.get(this.#editor, "state");
		if (cursor !== undefined) Object.assign(Object(state), { cursorLine: cursor.line, cursorCol: cursor.column });
	}

	insert(text: string): void {
		this.#editor.insertTextAtCursor(text);
	}

	remember(text: string): void {
		this.#editor.addToHistory(text);
	}

	input(data: string): void {
		this.#editor.handleInput(data);
	}

	/** The text behind a mark, then the completions. */
	rows(width: number, mark: string, colour: boolean): string[] {
		const [top = "", ...rest] = this.#editor.render(Math.max(10, width - widthOf(mark)));
		const bottom = rest.findIndex((row) => row.startsWith(border));
		const indent = " ".repeat(widthOf(mark));
		const hidden = (row: string, arrow: string): string[] =>
			row === border ? [] : [painted("faint", `${indent}${arrow} ${row.slice(border.length)} more`, colour)];
		return [
			...hidden(top, "↑"),
			...rest.slice(0, bottom).map((row, at) => (at === 0 ? painted("strong", mark, colour) : indent) + row),
			...hidden(rest[bottom] ?? border, "↓"),
			...rest.slice(bottom + 1).map((row) => indent + row),
		];
	}
}

/** begins the rows that the editor draws above and below its text */
const border = "\u0000";

class PlainEditor extends Editor {
	protected override renderTopBorder(_width: number, hidden: number): string {
		return hidden === 0 ? border : `${border}${hidden}`;
	}

	protected override renderBottomBorder(width: number, hidden: number): string {
		return this.renderTopBorder(width, hidden);
	}
}
