// An entry of the daemon's log, as it is in the file: one line of JSON each. The command line reads the same shape.
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * What an entry is about, by id: agents, projects, turns, counts. Never a token, a value of the environment or the
 * words of a prompt.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface LogEntry {
	at: string;
	level: LogLevel;
	/** the part of the daemon that wrote it */
	source: string;
	text: string;
	about?: LogFields;
	/** the error, with its causes and where it was thrown */
	fault?: string;
}

export const isAtLeast = (level: LogLevel, least: LogLevel): boolean =>
	logLevels.indexOf(level) >= logLevels.indexOf(least);

/**
 * For a rejection that may happen and needs nothing done: `.catch(expected("why"))`. The reason is for the reader.
 * Whatever should not happen goes to the log instead (`caught` of `engine/ports/log.ts`).
 */
export function expected(_why: string): () => void {
	return () => {};
}

/** An error in words: its message, where it was thrown, and its causes. */
export function errorText(error: unknown): string {
	const words: string[] = [];
	for (let at: unknown = error, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
		words.push(at instanceof Error ? (at.stack ?? `${at.name}: ${at.message}`) : printed(at));
		at = at instanceof Error ? at.cause : undefined;
	}
	return words.join("\ncaused by ") || printed(error);
}

/** Whatever was thrown: it may not even let itself be printed. */
function printed(thrown: unknown): string {
	try {
		return String(thrown);
	} catch {
		return `a ${typeof thrown} that cannot be printed`;
	}
}
