// The daemon's log: one line of JSON per entry, written by the daemon and read by the command line.
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Ids and counts that an entry is about. Never a token, an environment variable's value or the text of a prompt. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface LogEntry {
	at: string;
	level: LogLevel;
	/** what wrote it, in a word: a part of the daemon, `http`, `git`, … */
	source: string;
	text: string;
	about?: LogFields;
	/** the error, with its causes and where it was thrown */
	fault?: string;
}

export const isAtLeast = (level: LogLevel, least: LogLevel): boolean =>
	logLevels.indexOf(level) >= logLevels.indexOf(least);

/**
 * For a rejection that needs no handling: `.catch(expected("why"))`. The reason is for the reader of the code.
 * Unexpected rejections go to the log instead (`caught` of `engine/ports/log.ts`).
 */
export function expected(_why: string): () => void {
	return () => {};
}

/** The stack of an error and of its causes. */
export function errorText(error: unknown): string {
	const words: string[] = [];
	for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
		words.push(at instanceof Error ? (at.stack ?? `${at.name}: ${at.message}`) : printed(at));
		at = at instanceof Error ? at.cause : undefined;
	}
	return words.join("\ncaused by ") || printed(error);
}

/** `String` may throw: anything can be thrown, also an object without a prototype. */
function printed(thrown: unknown): string {
	try {
		return String(thrown);
	} catch {
		return `a ${typeof thrown} that cannot be printed`;
	}
}
