// SQLite's write-ahead log, kept short. It is copied into the database file by its bytes, after the answers are out and
// never inside a commit, and then begun again from its start, so that a busy store writes over the same few megabytes.
//
// Beginning again needs a moment in which nobody reads from the log. Our own reader's questions are short, so a short
// wait is enough. A reader from outside that keeps a transaction open lets the log grow until it ends; nothing fails
// because of it.
import type { SqliteConnection } from "./connection.ts";

const limitBytes = 8 * 1024 * 1024;
/** how often SQLite is asked how long its log is, by what was written according to our own estimate */
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

	/** A command with so many bytes of words is about to be written. */
	grew(bytes: number): void {
		this.#written += bytes + bytesPerCommand;
	}

	/** Whether it was copied into the file. */
	keepShort(): boolean {
		if (this.#written < this.#askAfter) return false;
		this.#written = 0;
		this.#askAfter = askEveryBytes;
		if (Number(this.#checkpoint("noop")["log"] ?? 0) * this.#frameBytes < limitBytes) return false;
		// somebody else reads and does not end: what could be copied is, and nobody waits for them all the time
		if (this.#checkpoint("restart")["busy"] !== 0) this.#askAfter = limitBytes;
		return true;
	}

	/** All of it goes into the file, and the log's own file is cut to nothing. */
	empty(): void {
		this.#checkpoint("truncate");
	}

	/** Whether somebody was in the way (`busy`), and how many frames the log has (`log`). */
	#checkpoint(mode: "noop" | "restart" | "truncate"): Readonly<Record<string, unknown>> {
		return this.#connection.withBusyTimeout(busyTimeoutMs, () =>
			this.#connection.row(`pragma wal_checkpoint(${mode})`),
		);
	}
}
