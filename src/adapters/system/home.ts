// The home: what is in it beside the store, and who holds it.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

export interface DaemonFile {
	pid: number;
	startedAt: number;
	url: string;
	version: string;
}

/** Somebody else has the home. */
export class HomeHeld extends Error {
	override readonly name = "HomeHeld";
}

export function makeHome(home: string): void {
	mkdirSync(home, { recursive: true, mode: 0o700 });
}

/** The home's random id: the mark by which its processes are told from everybody else's. */
export function homeId(home: string, fresh: string): string {
	return onceWritten(path.join(home, "id"), fresh);
}

/** The person's token: in a file that only its owner may read, and nothing else in it. */
export function homeToken(home: string, fresh: string): string {
	const file = path.join(home, "token");
	const token = onceWritten(file, fresh);
	// somebody made it readable for others: that ends now
	if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
	return token;
}

/** Made by the first start and never changed; of several starts at once the first one's stays. */
function onceWritten(file: string, fresh: string): string {
	if (!existsSync(file)) {
		const temporary = `${file}.${process.pid}`;
		writeFileSync(temporary, fresh, { mode: 0o600 });
		if (existsSync(file)) rmSync(temporary);
		else renameSync(temporary, file);
	}
	const written = readFileSync(file, "utf8").trim();
	if (written.length < 16) throw new Error(`${file} is damaged: it should hold a random word. Restore it, or remove it while no daemon runs.`);
	return written;
}

/** Kept for as long as the process lives: a lock whose handle is collected is no lock. */
const held: DatabaseSync[] = [];
const tries = 20;

/** Takes the home for this process, or says who has it. The lock is the kernel's: it goes with its holder, however that ends. */
export async function holdHome(home: string): Promise<Disposable> {
	for (let attempt = 0; ; attempt++) {
		const lock = new DatabaseSync(path.join(home, "lock"), { timeout: 0 });
		try {
			lock.exec("pragma locking_mode = exclusive; begin exclusive");
			held.push(lock);
			return {
				[Symbol.dispose]() {
					held.splice(held.indexOf(lock), 1);
					lock.close();
				},
			};
		} catch {
			lock.close();
			// several that start at once can all fail the first time: each waits a little, and not equally long
			const holder = readDaemonFile(home);
			if (attempt >= tries || (holder !== null && attempt >= 2))
				throw new HomeHeld(holder === null ? `Another process holds ${home}.` : `A daemon (pid ${holder.pid}, ${holder.url}) holds ${home}.`);
			await pause(10 + ((process.pid * 31 + attempt * 17) % 50));
		}
	}
}

const daemonFile = (home: string): string => path.join(home, "daemon.json");

export function readDaemonFile(home: string): DaemonFile | null {
	try {
		return JSON.parse(readFileSync(daemonFile(home), "utf8"));
	} catch {
		return null;
	}
}

export function writeDaemonFile(home: string, daemon: DaemonFile): void {
	const temporary = `${daemonFile(home)}.${daemon.pid}`;
	writeFileSync(temporary, `${JSON.stringify(daemon)}\n`, { mode: 0o600 });
	renameSync(temporary, daemonFile(home));
}

/** Only its own: a daemon that was replaced must not remove its successor's. */
export function removeDaemonFile(home: string, pid: number): void {
	if (readDaemonFile(home)?.pid === pid) rmSync(daemonFile(home), { force: true });
}
