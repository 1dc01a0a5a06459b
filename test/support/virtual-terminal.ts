// A terminal that is none: what is written goes into an emulator, whose screen tests read.
import { createRequire } from "node:module";
import type { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import headless from "@xterm/headless";
import { expect } from "vitest";
import type { Terminal } from "../../src/surfaces/tui/pi/screen.ts";

const graphemes = loadGraphemes();

/**
 * The add-on unpacks its tables from the start of its buffer's memory. A buffer from Node's pool begins somewhere in
 * the middle: the tables are then garbage, or unpacking them never ends. Without a pool every buffer has its own
 * memory.
 */
function loadGraphemes(): { UnicodeGraphemesAddon: new () => UnicodeGraphemesAddon } {
	const { poolSize } = Buffer;
	Buffer.poolSize = 0;
	try {
		return createRequire(import.meta.url)("@xterm/addon-unicode-graphemes");
	} finally {
		Buffer.poolSize = poolSize;
	}
}

const keys: Readonly<Record<string, string>> = {
	...{ enter: "\r", escape: "\u001B", "escape escape": "\u001B\u001B", tab: "\t", backspace: "\u007F", space: " " },
	...{ up: "\u001B[A", down: "\u001B[B", right: "\u001B[C", left: "\u001B[D", home: "\u001B[H", end: "\u001B[F" },
	...{ "ctrl+up": "\u001B[1;5A", "ctrl+down": "\u001B[1;5B", "ctrl+right": "\u001B[1;5C", "ctrl+left": "\u001B[1;5D" },
	...{ "shift+up": "\u001B[1;2A", "shift+down": "\u001B[1;2B", "alt+up": "\u001B[1;3A", "alt+enter": "\u001B\r" },
	...{ pageUp: "\u001B[5~", pageDown: "\u001B[6~", "ctrl+home": "\u001B[1;5H", "ctrl+end": "\u001B[1;5F" },
	...{ f1: "\u001BOP", f2: "\u001BOQ", f3: "\u001BOR", f4: "\u001BOS", f5: "\u001B[15~", f6: "\u001B[17~" },
};

export class VirtualTerminal implements Terminal {
	readonly #screen: InstanceType<typeof headless.Terminal>;
	#input: (data: string) => void = () => {};
	#resize: () => void = () => {};
	/** everything that was written */
	written = "";
	isOpen = false;
	/** as a terminal that takes nothing */
	isBehind = false;
	onTaken: () => void = () => {};
	/** how often something was written */
	frames = 0;
	kittyProtocolActive = false;

	constructor(columns: number, rows: number) {
		this.#screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
		this.#screen.loadAddon(new graphemes.UnicodeGraphemesAddon());
	}

	get columns(): number {
		return this.#screen.cols;
	}

	get rows(): number {
		return this.#screen.rows;
	}

	start(input: (data: string) => void, resize: () => void): void {
		[this.#input, this.#resize, this.isOpen] = [input, resize, true];
	}

	stop(): void {
		this.isOpen = false;
	}

	async drainInput(): Promise<void> {}

	write(data: string): void {
		this.written += data;
		this.frames++;
		this.#screen.write(data);
	}

	moveBy(): void {}
	hideCursor(): void {}
	showCursor(): void {}
	clearLine(): void {}
	clearFromCursor(): void {}
	clearScreen(): void {}
	setTitle(): void {}
	setProgress(): void {}

	/** Keys by their names; any other text is typed letter by letter. */
	press(...names: string[]): void {
		for (const name of names) {
			const [, letter] = /^ctrl\+([a-z])$/.exec(name) ?? [];
			const [, alt] = /^alt\+(.)$/.exec(name) ?? [];
			if (keys[name] !== undefined) this.#input(keys[name]);
			else if (letter !== undefined) this.#input(String.fromCharCode(letter.charCodeAt(0) - 96));
			else if (alt !== undefined) this.#input(`\u001B${alt}`);
			else for (const character of name) this.#input(character);
		}
	}

	/** The left button, as terminals report it: pressed, moved while it is down, or let go. */
	mouse(what: "down" | "move" | "up", [column, row]: readonly [column: number, row: number]): void {
		this.#input(`\u001B[<${what === "move" ? 32 : 0};${column + 1};${row + 1}${what === "up" ? "m" : "M"}`);
	}

	click(column: number, row: number): void {
		for (const what of ["down", "up"] as const) this.mouse(what, [column, row]);
	}

	/** The left button pressed at one cell, moved and let go at another. */
	drag(from: readonly [column: number, row: number], to: readonly [column: number, row: number]): void {
		this.mouse("down", from);
		for (const what of ["move", "up"] as const) this.mouse(what, to);
	}

	/** What the program has put into the clipboard, the last time. */
	get clipboard(): string | null {
		const texts = this.written.match(/(?<=\]52;c;)[A-Za-z0-9+/=]*/g);
		return texts === null ? null : Buffer.from(texts.at(-1) ?? "", "base64").toString();
	}

	/** As a terminal pastes: between marks. */
	paste(text: string): void {
		this.#input(`\u001B[200~${text}\u001B[201~`);
	}

	resize(columns: number, rows: number): void {
		this.#screen.resize(columns, rows);
		this.#resize();
	}

	/** The rows on the screen, once everything written has been drawn. */
	async screen(): Promise<string[]> {
		await new Promise<void>((resolve) => this.#screen.write("", resolve));
		const { active } = this.#screen.buffer;
		return Array.from({ length: this.rows }, (_, row) =>
			(active.getLine(active.viewportY + row)?.translateToString(true) ?? "").trimEnd(),
		);
	}

	/** What is highlighted, the cursor of the input included. */
	async highlighted(): Promise<string> {
		await this.screen();
		const { active } = this.#screen.buffer;
		const cells = Array.from({ length: this.rows * this.columns }, (_, at) =>
			active.getLine(active.viewportY + Math.floor(at / this.columns))?.getCell(at % this.columns),
		);
		return cells.map((cell) => (cell?.isInverse() ? cell.getChars() : "")).join("");
	}

	/** Waits for a screen on which this is to be read. */
	async shows(what: string | RegExp): Promise<string> {
		let text = "";
		await expect
			.poll(
				async () => {
					text = (await this.screen()).join("\n");
					return typeof what === "string" ? text.includes(what) : what.test(text);
				},
				{ timeout: 10_000, interval: 10, message: `the screen shows ${what}` },
			)
			.toBe(true)
			.catch((error: unknown) => {
				throw new Error(`The screen never showed ${what}:\n${text}`, { cause: error });
			});
		return text;
	}
}
