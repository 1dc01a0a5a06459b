// The log of the daemon itself, for a person who looks into a problem. What happens to agents is in the journal.
import type { LogFields } from "#contract/log.ts";

type Write = (source: string, text: string, about?: LogFields, error?: unknown) => void;

/**
 * Writing never throws and is never waited for. An entry is bounded, has no control characters and no secrets; one
 * source (with one agent, if `about` names it) gets a bounded number of lines per minute, and what is left out is
 * counted.
 */
export interface Log {
	debug: Write;
	info: Write;
	/** something failed, and the daemon continues without it */
	warn: Write;
	/** a bug, or a part of the daemon that does not work now */
	error: Write;
	/** redacts this value in every entry */
	hide(secret: string): void;
}

/**
 * For a rejection that should not happen but must not spread: `.catch(caught(log, "git", "A snapshot could not be
 * taken", { agent }))`.
 */
export const caught =
	(log: Log, source: string, text: string, about: LogFields = {}) =>
	(error: unknown): void =>
		log.warn(source, text, about, error);

const nowhere: Write = () => {};

/** Discards everything. */
export const noLog: Log = { debug: nowhere, info: nowhere, warn: nowhere, error: nowhere, hide: () => {} };
