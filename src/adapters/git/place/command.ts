// The project's own commands: setup, check, teardown. They are run by a shell, because a person wrote them for one, and
// only if that person, or somebody who approved the repository's configuration, wanted it.
import { spawn } from "node:child_process";
import type { CommandRun } from "#contract/workspace.ts";
import type { Live } from "#engine/workspaces.ts";

const timeoutMsDefault = 30 * 60 * 1000;
const graceMs = 2000;
const tailMax = 64 * 1024;
const lineMax = 16 * 1024;
/** whoever listens keeps each line: a command that never stops printing must not fill that place */
const linesMax = 20_000;
const charactersMax = 8 * 1024 * 1024;

/** Resolves when the command has ended and nothing of its process group is left; how it ended is in the answer. */
export async function runCommand(
	command: string,
	folder: string,
	environment: Readonly<Record<string, string>>,
	live: Live,
	timeoutMs = timeoutMsDefault,
): Promise<CommandRun> {
	const child = spawn("/bin/sh", ["-c", command], { cwd: folder, env: { ...environment }, stdio: ["ignore", "pipe", "pipe"], detached: true });
	const signalGroup = (name: NodeJS.Signals): void => {
		try {
			if (child.pid !== undefined) process.kill(-child.pid, name);
		} catch {
			// nobody is left in it
		}
	};
	let force: NodeJS.Timeout | undefined;
	const stop = (): void => {
		signalGroup("SIGTERM");
		force ??= setTimeout(() => signalGroup("SIGKILL"), graceMs);
	};
	const limit = setTimeout(stop, timeoutMs);
	live.signal?.addEventListener("abort", stop, { once: true });
	if (live.signal?.aborted === true) stop();
	const output = new Tail((line) => live.line?.(line));
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => output.put(chunk));
	try {
		const exit = await new Promise<number | null>((resolve, reject) => {
			child.once("error", reject);
			// what it left running may hold its output open
			child.once("exit", () => signalGroup("SIGKILL"));
			child.once("close", (code) => resolve(code));
		});
		return { command, exit, output: output.end() };
	} finally {
		clearTimeout(limit);
		clearTimeout(force);
		live.signal?.removeEventListener("abort", stop);
	}
}

/** Lines as they come, up to a limit, and the last part of everything. */
class Tail {
	readonly #line: (line: string) => void;
	#open = "";
	#all = "";
	#lines = 0;
	#characters = 0;
	constructor(line: (line: string) => void) {
		this.#line = line;
	}
	put(chunk: string): void {
		this.#all = (this.#all + chunk).slice(-tailMax);
		if (this.#isFull()) return;
		const lines = (this.#open + chunk).split("\n");
		this.#open = lines.pop() ?? "";
		for (; this.#open.length > lineMax; this.#open = this.#open.slice(lineMax)) lines.push(this.#open.slice(0, lineMax));
		for (const line of lines) this.#tell(line);
	}
	end(): string {
		if (this.#open !== "") this.#tell(this.#open);
		return this.#all;
	}
	#tell(line: string): void {
		if (this.#isFull()) return;
		this.#lines += 1;
		this.#characters += line.length;
		this.#line(this.#isFull() ? "[cut]" : line);
	}
	#isFull(): boolean {
		return this.#lines > linesMax || this.#characters > charactersMax;
	}
}
