// Prints the daemon's log, which is lines of JSON. Reads the files, so it works while no daemon runs.
import {
	closeSync,
	existsSync,
	fstatSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
	statSync,
	watch,
} from "node:fs";
import path from "node:path";
import { isAtLeast, type LogEntry, type LogLevel, logLevels } from "#contract/log.ts";
import { indented, inline } from "#contract/visible.ts";
import { homeOf } from "./connect.ts";
import { print, printData, printJson } from "./print.ts";

export interface LogsOptions {
	limit: number;
	level: LogLevel;
	follow?: true | undefined;
	json?: true | undefined;
}

export async function logs({ limit, level, follow, json }: LogsOptions): Promise<void> {
	const home = homeOf();
	const tail = follow === true ? new Tail(path.join(home, "daemon.log")) : null;
	const found = newest(home, limit, level);
	const show = (entry: LogEntry): void => (json === true ? printJson(entry) : print(readable(entry)));
	if (json === true && tail === null) printData(found);
	else for (const entry of found) show(entry);
	if (found.length === 0 && json !== true) print(`nothing in the log at level ${level} or above`);
	if (tail === null) return;
	for await (const text of tail.lines()) {
		const entry = entryOf(text);
		if (isAtLeast(entry.level, level)) show(entry);
	}
}

/** The last entries over all files, oldest first. */
function newest(home: string, count: number, level: LogLevel): LogEntry[] {
	const found: LogEntry[] = [];
	for (const file of filesIn(home)) {
		const entries = readFileSync(path.join(home, file), "utf8").split("\n").filter(Boolean).map(entryOf);
		found.unshift(...entries.filter((entry) => isAtLeast(entry.level, level)));
		if (found.length >= count) break;
	}
	return count === 0 ? [] : found.slice(-count);
}

/** Newest first: `daemon.log`, `daemon.log.1`, and so on. */
function filesIn(home: string): string[] {
	if (!existsSync(home)) return [];
	const age = (file: string): number => Number(/\d+$/.exec(file)?.[0] ?? 0);
	return readdirSync(home)
		.filter((file) => /^daemon\.log(\.\d+)?$/.test(file))
		.sort((a, b) => age(a) - age(b));
}

/** A line that was cut short, or that another program wrote, is shown as it is. */
function entryOf(line: string): LogEntry {
	const plain: LogEntry = { at: "", level: "info", source: "daemon", text: line };
	try {
		const found: LogEntry = { ...plain, ...JSON.parse(line) };
		return logLevels.includes(found.level) ? found : plain;
	} catch {
		return plain;
	}
}

function readable({ at, level, source, text, about = {}, fault }: LogEntry): string {
	const fields = Object.entries(about).map(([name, value]) => ` ${name}=${value}`);
	return `${at} ${level.padEnd(5)} ${inline(source)}: ${inline(text + fields.join(""))}${fault === undefined ? "" : `\n    ${indented(fault, "    ")}`}`;
}

/** Follows the log, across rotations. */
class Tail {
	readonly #file: string;
	#descriptor: number | null;
	#at: number;
	#rest = "";

	constructor(file: string) {
		this.#file = file;
		this.#descriptor = existsSync(file) ? openSync(file, "r") : null;
		this.#at = this.#descriptor === null ? 0 : fstatSync(this.#descriptor).size;
	}

	async *lines(): AsyncGenerator<string> {
		let wake = Promise.withResolvers<void>();
		const watcher = watch(path.dirname(this.#file), (_, name) =>
			name === null || name === path.basename(this.#file) ? wake.resolve() : undefined,
		);
		try {
			for (;;) {
				yield* this.#new();
				await wake.promise;
				wake = Promise.withResolvers();
			}
		} finally {
			watcher.close();
		}
	}

	*#new(): Generator<string> {
		yield* this.#read();
		while (this.#replaced()) {
			if (this.#descriptor !== null) closeSync(this.#descriptor);
			this.#descriptor = openSync(this.#file, "r");
			this.#at = 0;
			yield* this.#read();
		}
	}

	#replaced(): boolean {
		const there = statSync(this.#file, { throwIfNoEntry: false });
		return there !== undefined && (this.#descriptor === null || fstatSync(this.#descriptor).ino !== there.ino);
	}

	*#read(): Generator<string> {
		if (this.#descriptor === null) return;
		const bytes = Buffer.alloc(Math.max(0, fstatSync(this.#descriptor).size - this.#at));
		this.#at += readSync(this.#descriptor, bytes, 0, bytes.length, this.#at);
		const parts = (this.#rest + bytes.toString()).split("\n");
		this.#rest = parts.pop() ?? "";
		yield* parts.filter(Boolean);
	}
}
