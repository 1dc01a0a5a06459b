// The screen: keys in, frames out. A terminal that does not take what is written never stops the program: frames are
// left out until it does.
import {
	isKeyRelease,
	KeybindingsManager,
	type Terminal as PiTerminal,
	parseKey,
	setKeybindings,
	TUI_KEYBINDINGS,
	TuiAltScreen,
} from "@earendil-works/pi-tui";
import { type Complete, Draft, editorTheme, PlainEditor } from "./draft.ts";
import { hasShell } from "./job.ts";
import { OwnTerminal } from "./own-terminal.ts";

/** What the screen writes to. */
export interface Terminal extends PiTerminal {
	/** something that was written has not been taken yet */
	readonly isBehind?: boolean;
	/** called when everything has been taken */
	onTaken?: () => void;
}

export interface Painter {
	/** the rows of the whole screen */
	draw(width: number, height: number): string[];
	/** a key by its name, and the bytes for the editor */
	key(name: string, data: string): void;
	/** in rows; negative is up */
	wheel(rows: number): void;
	/** false if nothing is there: then it is for the selection */
	click(column: number, row: number): boolean;
	/** the columns of a row that belong together with this one, from the first to before the last */
	together(column: number, row: number): [from: number, to: number];
}

/** streams are painted at most so often */
const frameMs = 50;

/** No shell and no person is so fast: what took less was not stopped. */
const stopMs = 30;
/** between being continued and taking the terminal */
const resumeMs = 30;

export const notStopped =
	"Ctrl+Z stops nothing here: no shell waits for this terminal, and nothing could bring it back.";

/** Draws nothing while the terminal has not taken the last frame. */
class FrameSkippingScreen extends TuiAltScreen {
	readonly #to: Terminal;
	#owes = false;

	constructor(to: Terminal, { together, ...options }: { mouse: boolean } & Pick<Painter, "together">) {
		super(to, true, undefined, options);
		this.#to = to;
		this.#keepSelectionsIn(together);
		to.onTaken = () => {
			if (!this.#owes) return;
			this.#owes = false;
			this.requestRender();
		};
	}

	/**
	 * A selection of several rows has nothing of what stands beside them. The library selects whole rows of the screen.
	 */
	#keepSelectionsIn(together: Painter["together"]): void {
		const ofRow: unknown = Reflect.get(this, "getSelectionColumns");
		if (typeof ofRow !== "function") return;
		Reflect.set(this, "getSelectionColumns", (line: string, row: number, selection: object) => {
			const column = Number(Reflect.get(Object(Reflect.get(this, "selectionAnchor")), "col"));
			return Reflect.apply(ofRow, this, [line, row, selection, ...together(column, row)]);
		});
	}

	protected override doRender(): void {
		if (this.#to.isBehind === true) this.#owes = true;
		else super.doRender();
	}
}

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
	readonly #tui: FrameSkippingScreen;
	readonly #terminal: Terminal;
	readonly #colour: boolean;
	#lastFrame = 0;
	#timer: NodeJS.Timeout | null = null;
	#resuming: NodeJS.Timeout | undefined;
	#isOpen = false;

	constructor(painter: Painter, { mouse, colour, terminal = new OwnTerminal() }: ScreenOptions) {
		useKeys();
		this.#colour = colour;
		this.#terminal = terminal;
		this.#tui = new FrameSkippingScreen(terminal, { mouse, together: (column, row) => painter.together(column, row) });
		const root = {
			render: (width: number) => painter.draw(width, this.#terminal.rows),
			handleInput: (data: string) => {
				if (isKeyRelease(data)) return;
				for (const each of pressesIn(data)) painter.key(keyOf(each), each);
			},
			handleMouse: ({ type, wheelDelta, x, y }: { type: string; wheelDelta?: number; x: number; y: number }) => {
				if (type === "wheel") painter.wheel(wheelDelta ?? 0);
				else if (type !== "click" || !painter.click(x, y)) return undefined;
				return { handled: true };
			},
			invalidate: () => {},
		};
		this.#tui.setLayoutRoot(root);
		this.#tui.setFocus(root);
	}

	start(): void {
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
	 * Later than a signal that came while it was stopped, which may end the program: another thread may take that one, and
	 * tell of it later. A program in the background that took the terminal would be stopped by that.
	 */
	readonly #goOn = (): void => {
		this.#resuming = setTimeout(() => this.start(), resumeMs);
	};

	/** Into the normal screen, while this one is closed. */
	print(text: string): void {
		this.#terminal.write(text.replaceAll("\n", "\r\n"));
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
