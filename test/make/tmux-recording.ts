// A program in tmux, driven by keys and looked at by captures. The frames become a page of text.
import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

interface TmuxOptions {
	/** of the tmux server, so that no other one is touched */
	name: string;
	folder: string;
	env: Readonly<Record<string, string>>;
	size?: readonly [columns: number, rows: number];
}

const timeoutMs = 60_000;

export class TmuxRecording implements Disposable {
	readonly #options: TmuxOptions;
	readonly #parts: string[] = [];

	constructor(options: TmuxOptions) {
		this.#options = options;
		const [columns, rows] = options.size ?? [100, 26];
		const vars = Object.entries(options.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
		const size = ["-x", String(columns), "-y", String(rows)];
		this.#tmux("new-session", "-d", ...size, "-c", options.folder, ...vars, "PS1='$ ' bash --norc --noprofile");
	}

	/** Text, letter by letter. */
	type(text: string): void {
		this.#tmux("send-keys", "-l", "--", text);
	}

	/** Keys by tmux' names. */
	press(...keys: string[]): void {
		this.#tmux("send-keys", ...keys);
	}

	/** A line and Enter. */
	enter(text: string): void {
		this.type(text);
		this.press("Enter");
	}

	screen(): string {
		return this.#tmux("capture-pane", "-p")
			.split("\n")
			.map((row) => row.trimEnd())
			.join("\n");
	}

	async shows(what: string | RegExp): Promise<void> {
		const isThere = (text: string): boolean => (typeof what === "string" ? text.includes(what) : what.test(text));
		const deadline = performance.now() + timeoutMs;
		while (!isThere(this.screen())) {
			if (performance.now() > deadline) throw new Error(`The screen never showed ${what}:\n${this.screen()}`);
			await pause(50);
		}
	}

	/** A question answers to keys after it was shown for a moment. */
	async read(): Promise<void> {
		await pause(1000);
	}

	/** Takes the screen as it is into the page. */
	frame(text: string): void {
		const rows = this.screen().split("\n");
		while (rows.at(-1) === "") rows.pop();
		const from = Math.max(
			0,
			rows.findIndex((row) => row !== ""),
		);
		this.#parts.push(`${text}\n\n\`\`\`\n${rows.slice(from).join("\n")}\n\`\`\`\n`);
	}

	/** The page; `hide` replaces what is only true on this machine. */
	page(head: string, hide: (text: string) => string): string {
		return `${head}\n${hide(this.#parts.join("\n"))}`;
	}

	[Symbol.dispose](): void {
		this.#tmux("kill-server");
	}

	#tmux(...args: string[]): string {
		return execFileSync("tmux", ["-L", this.#options.name, "-u", "-f", "/dev/null", ...args], {
			encoding: "utf8",
			timeout: timeoutMs,
		});
	}
}
