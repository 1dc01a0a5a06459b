// The lock of the home: an exclusive transaction of SQLite, so that it ends with its holder however that ends.
import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "#contract/message-of.ts";
import { HomeUnusable, readDaemonFile } from "./home.ts";

/** Another process holds the home. */
export class HomeLocked extends Error {
	override readonly name = "HomeLocked";
}

/** Kept for as long as the process lives: a lock whose handle is collected is not a lock. */
const held: DatabaseSync[] = [];
const tries = 20;

/** Locks the home for this process, or throws who holds it. The kernel releases the lock when its holder ends. */
export async function lockHome(home: string): Promise<Disposable> {
	const file = path.join(home, "lock");
	try {
		makeLock(file);
	} catch (error) {
		throw new HomeUnusable(`${file} cannot be locked: ${messageOf(error)}.`, ["brood doctor"], error);
	}
	for (let attempt = 0; ; attempt++) {
		const lock = new DatabaseSync(file, { timeout: 0 });
		try {
			lock.exec("pragma locking_mode = exclusive; begin exclusive");
			held.push(lock);
			return {
				[Symbol.dispose]() {
					held.splice(held.indexOf(lock), 1);
					lock.close();
				},
			};
		} catch (error) {
			lock.close();
			if (!isTaken(error))
				throw new HomeUnusable(`${file} cannot be locked: ${messageOf(error)}.`, ["brood doctor"], error);
			// several that start at once can all fail the first time, so each waits a different time
			const holder = readDaemonFile(home);
			if (attempt >= tries || (holder !== null && attempt >= 2))
				throw new HomeLocked(
					holder === null
						? `Another process holds ${home}.`
						: `A daemon (pid ${holder.pid}, ${holder.url}) holds ${home}.`,
				);
			await pause(10 + ((process.pid * 31 + attempt * 17) % 50));
		}
	}
}

/** SQLITE_BUSY or SQLITE_LOCKED. */
const isTaken = (error: unknown): boolean =>
	error instanceof Error && "errcode" in error && (error.errcode === 5 || error.errcode === 6);

/** SQLite would make it readable by others. */
function makeLock(file: string): void {
	closeSync(openSync(file, "a", 0o600));
	if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}
