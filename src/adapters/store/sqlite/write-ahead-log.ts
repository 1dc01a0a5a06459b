// Keeps SQLite's write-ahead log short. It is checkpointed by size, after the answers are sent and never inside a
// commit, and then restarted, so that a busy store overwrites the same few megabytes.
//
// A restart needs a moment without readers of the log. Our own reads are short, so a short wait is enough. Another
// program that keeps a read transaction open lets the log grow until it ends; nothing fails because of it.
import type { SqliteConnection } from "./connection.ts";

const limitBytes = 8 * 1024 * 1024;
/** the log's length is checked each time we estimate this much to be written */
const askEveryBytes = 1024 * 1024;
/** a command changes about six pages: its event, two indexes, a row, a receipt and what is above them */
const bytesPerCommand = 6 * 4120;
const frameHeaderBytes = 24;
const busyTimeoutMs = 50;

export class WriteAheadLog {
	readonly #connection: SqliteConnection;
	readonly #frameBytes: number;
	#written = 0;
	#askAfter = askEveryBytes;

	constructor(connection: SqliteConnection) {
		this.#connection = connection;
		connection.script(`pragma wal_autocheckpoint = 0; pragma journal_size_limit = ${limitBytes}`);
		this.#frameBytes = Number(connection.value("pragma page_size")) + frameHeaderBytes;
	}

	/** A command with this many bytes of text is about to be written. */
	grew(bytes: number): void {
		this.#written += bytes + bytesPerCommand;
	}

	/** Whether the log was checkpointed. */
	keepShort(): boolean {
		if (this.#written < this.#askAfter) return false;
		this.#written = 0;
		this.#askAfter = askEveryBytes;
		if (Number(this.#checkpoint("noop")["log"] ?? 0) * this.#frameBytes < limitBytes) return false;
		// another program keeps reading: what could be copied is, and the next attempt is later
		if (this.#checkpoint("restart")["busy"] !== 0) this.#askAfter = limitBytes;
		return true;
	}

	/** Copies the whole log into the database file and truncates it. */
	empty(): void {
		this.#checkpoint("truncate");
	}

	/** `busy` is 1 if a reader prevented it; `log` is the log's length in frames. */
	#checkpoint(mode: "noop" | "restart" | "truncate"): Readonly<Record<string, unknown>> {
		return this.#connection.withBusyTimeout(busyTimeoutMs, () =>
			this.#connection.row(`pragma wal_checkpoint(${mode})`),
		);
	}
}
