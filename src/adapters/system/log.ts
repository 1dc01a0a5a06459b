// The daemon's log in its home: lines of JSON, rotated by size, at most `files` of them, readable by their owner only.
//
//   daemon.log ─▶ daemon.log.1 ─▶ … ─▶ daemon.log.4 ─▶ gone
//
// A line is written at once and not synced: it has to survive a crash of the daemon, not of the machine.
import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { errorText, isAtLeast, type LogEntry, type LogFields, type LogLevel } from "#contract/log.ts";
import type { Clock } from "#engine/ports/clock.ts";
import type { Log } from "#engine/ports/log.ts";
import { EntryRate } from "./entry-rate.ts";
import { codeOf } from "./errors.ts";

export interface FileLogOptions {
	home: string;
	clock: Clock;
	bytesMax?: number;
	files?: number;
	/** values that must never appear in it */
	secrets?: readonly string[];
	/** called with every entry */
	onEntry?(entry: LogEntry): void;
}

export interface FileLog extends Log, Disposable {
	/** entries below it are not written; `info` by default */
	setLevel(level: LogLevel): void;
}

const textMax = 1000;
const fieldMax = 200;
const faultMax = 6000;

export function fileLog({
	home,
	clock,
	bytesMax = 4 * 1024 * 1024,
	files = 5,
	secrets = [],
	onEntry,
}: FileLogOptions): FileLog {
	const file = new RotatedFile(path.join(home, "daemon.log"), { bytesMax, files });
	let least: LogLevel = "info";
	const hidden = new Set(secrets.filter(isSecret));
	const clean = (text: string, max: number): string => plain(redacted(text, hidden).slice(0, max));
	const put = (entry: LogEntry): void => {
		file.append(`${JSON.stringify(entry)}\n`);
		onEntry?.(entry);
	};
	const at = (): string => new Date(clock.now()).toISOString();
	const rate = new EntryRate(clock, (source, count) =>
		put({
			at: at(),
			level: "warn",
			source,
			text: `${count} more ${count === 1 ? "entry was" : "entries were"} left out`,
		}),
	);
	const write =
		(level: LogLevel) =>
		(source: string, text: string, about: LogFields = {}, error?: unknown) => {
			if (!isAtLeast(level, least)) return;
			if (!rate.take("agent" in about ? `${source} ${about["agent"]}` : source)) return;
			const fields = Object.entries(about).map(([name, value]) => [
				name,
				typeof value === "string" ? clean(value, fieldMax) : value,
			]);
			put({
				at: at(),
				level,
				source,
				text: clean(text, textMax),
				...(fields.length > 0 && { about: Object.fromEntries(fields) }),
				...(error !== undefined && { fault: clean(errorText(error), faultMax) }),
			});
		};
	return {
		...{ debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
		hide: (secret) => void (isSecret(secret) && hidden.add(secret)),
		setLevel(level) {
			least = level;
		},
		[Symbol.dispose]() {
			rate[Symbol.dispose]();
			file[Symbol.dispose]();
		},
	};
}

/** Values of the environment that look like secrets by their names. */
export const secretsOf = (environment: Readonly<Record<string, string | undefined>>): string[] =>
	Object.entries(environment).flatMap(([name, value]) =>
		/KEY|TOKEN|SECRET|PASSW|CREDENTIAL|_URL$/i.test(name) && value !== undefined ? value : [],
	);

/** A short value may be part of any word. */
const isSecret = (value: string): boolean => value.length >= 8;

/** Our tokens are found by their shape, those in URLs and headers by their place, others by their value. */
function redacted(text: string, hidden: ReadonlySet<string>): string {
	let clean = text;
	for (const secret of hidden) clean = clean.replaceAll(secret, "[secret]");
	return clean
		.replaceAll(/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, "[secret]")
		.replaceAll(/(bearer\s+)\S+/gi, "$1[secret]")
		.replaceAll(/(\w:\/\/)[^\s/@]+@/g, "$1[secret]@")
		.replaceAll(/\b(sk|pk|ghp|gho|xoxb|AIza)[-_][A-Za-z0-9_-]{16,}/g, "[secret]");
}

/** Escapes control and bidirectional characters; newlines stay. */
const plain = (text: string): string =>
	text
		.toWellFormed()
		.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
			char === "\t" ? " " : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
		);

/** If the disk fails, the entry is lost, and nothing else. */
class RotatedFile implements Disposable {
	readonly #file: string;
	readonly #bytesMax: number;
	readonly #files: number;
	#descriptor: number | null = null;
	#bytes = 0;

	constructor(file: string, { bytesMax, files }: { bytesMax: number; files: number }) {
		this.#file = file;
		this.#bytesMax = bytesMax;
		this.#files = files;
	}

	append(line: string): void {
		try {
			const bytes = Buffer.from(line);
			this.#descriptor ??= this.#open();
			if (this.#bytes > 0 && this.#bytes + bytes.length > this.#bytesMax)
				this.#descriptor = this.#rotate(this.#descriptor);
			writeSync(this.#descriptor, bytes);
			this.#bytes += bytes.length;
		} catch {
			// the next entry opens it again
			this[Symbol.dispose]();
		}
	}

	[Symbol.dispose](): void {
		const descriptor = this.#descriptor;
		this.#descriptor = null;
		if (descriptor !== null) closeSync(descriptor);
	}

	#open(): number {
		const descriptor = openSync(this.#file, "a", 0o600);
		const { mode, size } = fstatSync(descriptor);
		if ((mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
		this.#bytes = size;
		return descriptor;
	}

	#rotate(descriptor: number): number {
		closeSync(descriptor);
		this.#descriptor = null;
		for (let at = this.#files - 1; at > 0; at--)
			renameIfPresent(at === 1 ? this.#file : `${this.#file}.${at - 1}`, `${this.#file}.${at}`);
		// with one file only there is nowhere to move it
		if (this.#files === 1) rmSync(this.#file, { force: true });
		return this.#open();
	}
}

function renameIfPresent(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if (codeOf(error) !== "ENOENT") throw error;
	}
}
