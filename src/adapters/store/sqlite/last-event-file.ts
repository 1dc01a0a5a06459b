// What the store acknowledged, written down outside of it: the id of the last event, in a file of its own.
//
// SQLite takes a log that is gone or damaged for one with nothing in it and goes on with a shorter journal. Whoever
// compares with this file notices. It is written behind every commit and without a flush: the death of the process
// leaves it whole, since the kernel has it; a loss of power may take back its last changes, but then the flushed log is
// there. So it never says more than what was durable. It is flushed when the log is copied into the store and when the
// store is closed.
import {
	closeSync,
	existsSync,
	fdatasyncSync,
	openSync,
	readdirSync,
	readFileSync,
	type Stats,
	statSync,
	writeSync,
} from "node:fs";
import path from "node:path";
import { StoreFault } from "#engine/ports/store.ts";

const nameOf = (file: string): string => path.join(path.dirname(file), "last-event");
const digits = 16;

/** The last event that was acknowledged, as far as is known; 0 if nothing is. */
export function lastAcknowledged(file: string): number {
	if (!existsSync(nameOf(file))) return 0;
	const [, id = "0"] = /^(\d{1,16})\n/.exec(readFileSync(nameOf(file), "latin1")) ?? [];
	return Number(id);
}

/** What shows that this folder had a store, however thoroughly that was removed; null if nothing does. */
export function signOfStore(file: string): string | null {
	const folder = path.dirname(file);
	if (lastAcknowledged(file) > 0) return path.basename(nameOf(file));
	const projects = path.join(folder, "projects");
	return existsSync(projects) && readdirSync(projects).length > 0 ? "projects" : null;
}

export class LastEventFile implements Disposable {
	readonly #descriptor: number;
	readonly #files: readonly { name: string; was: Stats | undefined }[];
	#last: number;

	/** Begins with what the store has, which is no less than what was acknowledged: that was looked at before. */
	constructor(file: string, last: number) {
		this.#last = last;
		this.#descriptor = openSync(nameOf(file), existsSync(nameOf(file)) ? "r+" : "w", 0o600);
		this.#files = [file, `${file}-wal`].map((name) => ({ name, was: statSync(name, { throwIfNoEntry: false }) }));
		this.#write();
	}

	/** Everything up to this event is durable. */
	record(last: number): void {
		if (last <= this.#last) return;
		this.#last = last;
		this.#write();
	}

	/** What is written to a file without a name is gone with the process: nobody may be told that it is kept. */
	check(): void {
		for (const { name, was } of this.#files) {
			const is = statSync(name, { throwIfNoEntry: false });
			if (was !== undefined && (is?.ino !== was.ino || is.dev !== was.dev))
				throw new StoreFault(
					"broken",
					`${name} was removed or replaced while the daemon was running. Nothing is acknowledged any more.`,
				);
		}
	}

	flush(): void {
		fdatasyncSync(this.#descriptor);
	}

	[Symbol.dispose](): void {
		this.flush();
		closeSync(this.#descriptor);
	}

	/**
	 * Always as long as it was, so that a full disk has room for it. If it fails all the same, the file says less than it
	 * could.
	 */
	#write(): void {
		try {
			writeSync(
				this.#descriptor,
				`${String(this.#last).padStart(digits, "0")}\nThe last event that was acknowledged. Brood compares it with its store.\n`,
				0,
				"latin1",
			);
		} catch {
			// the commit that it is about is durable
		}
	}
}
