// The id of the last acknowledged event, in a file beside the store.
//
// SQLite takes a missing or damaged log for an empty one and continues with a shorter journal; this file reveals it. It
// is written after every commit without a flush: it survives the process, since the kernel has it. A power failure may
// undo its last changes, but then the flushed log is there. So it never claims more than what is durable. It is flushed
// when the log is copied into the store and when the store is closed.
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

/** The last acknowledged event; 0 if it is not known. */
export function lastAcknowledged(file: string): number {
	if (!existsSync(nameOf(file))) return 0;
	const [, id = "0"] = /^(\d{1,16})\n/.exec(readFileSync(nameOf(file), "latin1")) ?? [];
	return Number(id);
}

/** The file that shows that this folder had a store; null if there is none. */
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

	/** Starts with the store's last event; that it is not older than the acknowledged one was checked before. */
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

	/** Data in a file that was unlinked is lost with the process, so it must not be acknowledged. */
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
	 * Always the same length, so that it succeeds on a full disk. If it fails, the file has an older event, which is
	 * safe.
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
