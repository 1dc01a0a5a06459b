// The built program in a real pseudo-terminal, drawn into an emulator.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { launcher } from "#test/support/programs.ts";
import { VirtualTerminal } from "./virtual-terminal.ts";

/** `script` of util-linux gives a program a terminal without a native module. */
export class Pty implements AsyncDisposable {
	/** what the program has drawn */
	readonly drawn: VirtualTerminal;
	readonly #child: ChildProcess;
	readonly ended: Promise<unknown>;

	/** `args`: the command, as it is typed after `brood` */
	constructor(cwd: string, env: Record<string, string>, { columns = 100, rows = 30, args = "" } = {}) {
		this.drawn = new VirtualTerminal(columns, rows);
		// the shell tells its pid, which `exec` keeps: it is that of the program
		const line = `stty cols ${columns} rows ${rows}; echo "pid $$"; exec ${launcher} ${args}`;
		this.#child = spawn("script", ["-qfec", line, "/dev/null"], {
			cwd,
			env: { PATH: process.env["PATH"] ?? "", TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
		});
		this.#child.stdout?.on("data", (data: Buffer) => this.drawn.write(data.toString()));
		this.ended = once(this.#child, "exit");
	}

	type(data: string): void {
		this.#child.stdin?.write(data);
	}

	/** Stops reading, as a terminal over a broken line; the program's writes then wait. */
	stall(): void {
		this.#child.stdout?.pause();
	}

	get pid(): number {
		return Number(/pid (\d+)/.exec(this.drawn.written)?.[1]);
	}

	/** Whether the program has left the alternate screen. */
	get isRestored(): boolean {
		return this.drawn.written.lastIndexOf("\u001B[?1049l") > this.drawn.written.lastIndexOf("\u001B[?1049h");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill("SIGKILL");
		await this.ended;
	}
}
