// What SQLite's error codes mean for the commands of a batch.
import { messageOf } from "#contract/message-of.ts";
import { StoreFault } from "#engine/ports/store.ts";

const full = 13;
const busy = 5;
const constraint = 19;
const brokenCodes = new Set([8, 10, 11, 14, 26]); // READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB

/** An error on the way to COMMIT: the transaction can still be rolled back. */
export function faultBeforeCommit(error: unknown): StoreFault {
	if (error instanceof StoreFault) return error;
	const code = primaryCode(error);
	const text = messageOf(error);
	if (code === full)
		return new StoreFault("full", "The disk is full: nothing was changed. Free some space and try again.", error);
	if (code === busy)
		return new StoreFault("unavailable", "Another process holds the store: nothing was changed.", error);
	if (code !== null && brokenCodes.has(code))
		return new StoreFault("broken", `The store cannot be read or written: ${text}.`, error);
	return new StoreFault("rejected", `The store could not carry out the command: ${text}.`, error);
}

/** An error while the store is opened: nothing was changed. */
export function faultAtOpening(error: unknown): StoreFault {
	const fault = faultBeforeCommit(error);
	const code: unknown = error instanceof Error && "code" in error ? error.code : null;
	if (code === "ENOSPC" || code === "EDQUOT")
		return new StoreFault(
			"full",
			"The disk is full: the store cannot be opened. Free some space and try again.",
			error,
		);
	return fault.kind === "rejected"
		? new StoreFault("broken", `The store cannot be opened: ${messageOf(error)}.`, error)
		: fault;
}

/**
 * An error of COMMIT itself. After a full disk the commit certainly failed: its last frame, which makes the others
 * valid, was not written. After a failed flush it is unknown what reached the disk, and a second flush may succeed
 * wrongly.
 */
export function faultAtCommit(error: unknown): StoreFault {
	if (primaryCode(error) === full) return faultBeforeCommit(error);
	const text = messageOf(error);
	return new StoreFault("broken", `The store could not make its last changes durable: ${text}.`, error);
}

/** As opposed to a constraint that one command ran into, or a bug of ours. */
export function concernsDatabase(error: unknown): boolean {
	const code = primaryCode(error);
	return error instanceof StoreFault || (code !== null && code !== constraint);
}

function primaryCode(error: unknown): number | null {
	return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
		? error.errcode & 0xff
		: null;
}
