// The screen: keys in, frames out. A terminal that does not take what is written never stops the program: frames are
// left out until it does.
import { isKeyRelease, KeybindingsManager, parseKey, setKeybindings, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { type Complete, Draft, editorTheme, PlainEditor } from "./draft.ts";
import { hasShell } from "./job.ts";
import { OwnTerminal } from "./own-terminal.ts";
import { type Selectable, SelectingScreen, type Terminal } from "./selecting-screen.ts";

export type { Terminal };

export interface Painter extends Selectable {
	/** the rows of the whole screen; nothing moves while it is held */
	draw(width: number, height: number, isHeld: boolean): string[];
	/** a key by its name, and the bytes for the editor */
	key(name: string, data: string): void;
	/** in rows; negative is up */
	wheel(rows: number): void;
	/** false if nothing is there: then it is for the selection */
	click(column: number, row: number): boolean;
}

/** streams are painted at most so often */
const frameMs = 50;

/** No shell and no person is so fast: what took less was not stopped. */
const stopMs = 30;
/** between being continued and taking the terminal */
const resumeMs = 30;

export const notStopped =
	"Ctrl+Z stops nothing here: no shell waits for this terminal, and nothing could bring it back.";

/** Home and End as tmux, screen and the Linux console send them, which the library does not name. */
const otherKeys: Readonly<Record<string, string>> = { "\u001B[1~": "home", "\u001B[4~": "end" };

/**
 * The library takes Alt with b, f, n and p for arrows, as some shells do: here they are letters. A capital letter has
 * one name, whether the terminal says that Shift is held or not.
 */
export function keyOf(data: string): string {
	if (["b", "f", "n", "p"].map((letter) => `\u001B${letter}`).includes(data)) return `alt+${data.slice(1)}`;
	const key = otherKeys[data] ?? parseKey(data) ?? "";
	return /^[A-Z]$/.test(key) ? `shift+${key.toLowerCase()}` : key;
}

/** Two quick presses of Esc come as one chunk, from tmux always: they are not Esc with Alt. */
const pressesIn = (data: string): string[] => (data === "\u001B\u001B" ? ["\u001B", "\u001B"] : [data]);

interface ScreenOptions {
	mouse: boolean;
	colour: boolean;
	/** the process's own if absent */
	terminal?: Terminal;
}

export class Screen {
	readonly #tui: SelectingScreen;
	readonly #terminal: Terminal;
	readonly #colour: boolean;
	#lastFrame = 0;
	#timer: NodeJS.Timeout | null = null;
	#resuming: NodeJS.Timeout | undefined;
	#isOpen = false;
	#ignoreKeys: () => void = () => {};

	constructor(painter: Painter, { mouse, colour, terminal = new OwnTerminal() }: ScreenOptions) {
		useKeys();
		this.#colour = colour;
		this.#terminal = terminal;
		this.#tui = new SelectingScreen(terminal, painter, mouse);
		const root = {
			render: (width: number) => {
				const rows = painter.draw(width, this.#terminal.rows, this.#tui.isSelecting);
				this.#tui.dropMovedSelection(rows);
				return rows;
			},
			handleInput: (data: string) => {
				if (isKeyRelease(data)) return;
				if (this.#tui.isSelecting) this.#tui.dropSelection();
				for (const each of pressesIn(data)) painter.key(keyOf(each), each);
			},
			handleMouse: ({ type, wheelDelta, x, y }: { type: string; wheelDelta?: number; x: number; y: number }) => {
				if (type !== "wheel" && (type !== "click" || !painter.click(x, y))) return undefined;
				if (type === "wheel" && !this.#tui.isSelecting) painter.wheel(wheelDelta ?? 0);
				return { handled: true };
			},
			invalidate: () => {},
		};
		this.#tui.setLayoutRoot(root);
		this.#tui.setFocus(root);
	}

	start(): void {
		this.#ignoreKeys();
		this.#isOpen = true;
		process.on("SIGTSTP", this.suspend);
		this.#tui.start();
	}

	/** The normal screen is as it was before. */
	stop(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#timer = null;
		clearTimeout(this.#resuming);
		if (this.#isOpen) this.#tui.stop({ preserveScreen: true });
		this.#ignoreKeys();
		this.#isOpen = false;
		process.off("SIGTSTP", this.suspend);
		process.off("SIGCONT", this.#goOn);
	}

	/** As other programs at Ctrl+Z or `kill -TSTP`; `fg` brings the screen back. False if nothing was stopped. */
	readonly suspend = (): boolean => {
		const isJob = hasShell();
		if (isJob === false) return false;
		this.stop();
		process.once("SIGCONT", this.#goOn);
		const before = performance.now();
		// nothing handles it any more: it stops the process here, and what started it in the same job, such as a script:
		// the shell waits for the whole job
		process.kill(0, "SIGTSTP");
		const isStopped = performance.now() - before > stopMs;
		// without a shell it stops nothing, and nobody would continue it
		process.kill(process.pid, "SIGCONT");
		return isJob ?? isStopped;
	};

	/**
	 * Later than a signal that came while it was stopped, which may end the program: another thread may take that one,
	 * and tell of it later. A program in the background that took the terminal would be stopped by that.
	 */
	readonly #goOn = (): void => {
		this.#resuming = setTimeout(() => this.start(), resumeMs);
	};

	/** Into the normal screen, while this one is closed. */
	print(text: string): void {
		this.#terminal.write(text.replaceAll("\n", "\r\n"));
	}

	/** Keys by their names, while this one is closed, until it is opened again. Ctrl+C is one of them, not a signal. */
	onKey(take: (key: string) => void): void {
		const { stdin } = process;
		const taken = (data: Buffer | string): void => take(keyOf(String(data)));
		this.#ignoreKeys = () => {
			this.#ignoreKeys = () => {};
			stdin.off("data", taken);
			if (stdin.isTTY) stdin.setRawMode(false);
		};
		if (stdin.isTTY) stdin.setRawMode(true);
		stdin.on("data", taken).resume();
	}

	/** Takes the mouse, or leaves it to the terminal. */
	takeMouse(isTaken: boolean): void {
		this.#tui.stop({ preserveScreen: true });
		// the library reads it only when it starts
		Reflect.set(this.#tui, "mouseEnabled", isTaken);
		this.#tui.start();
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
		const wait = Math.max(0, this.#lastFrame + frameMs - performance.now());
		this.#timer = setTimeout(() => {
			this.#timer = null;
			this.#lastFrame = performance.now();
			this.#tui.renderNow();
		}, wait);
	}

	draft(parts: { submit(text: string): void; changed(): void; complete: Complete }): Draft {
		return new Draft(new PlainEditor(this.#tui, editorTheme(this.#colour)), parts);
	}
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
