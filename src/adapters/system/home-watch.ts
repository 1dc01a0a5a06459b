// A look at the home from time to time: somebody may remove what is in it under a running daemon.
//
// What other programs need to find the daemon is written again. The lock is taken again, unless another daemon was
// quicker; then this one has to end, and so it has to when the home itself is gone or another folder has its name.
import { stat } from "node:fs/promises";
import path from "node:path";
import { type DaemonFile, HomeLocked, lockHome, readDaemonFile, replaceToken, writeDaemonFile } from "./home.ts";

export interface HomeWatch extends AsyncDisposable {
	/** settles when this daemon no longer has its home */
	readonly lost: Promise<Error>;
}

export interface WatchOptions {
	home: string;
	daemon: DaemonFile;
	/** the person's token, as it is now */
	token(): string;
	everyMs?: number;
}

export async function watchHome({ home, daemon, token, everyMs = 1000 }: WatchOptions): Promise<HomeWatch> {
	const lost = Promise.withResolvers<Error>();
	const again: Disposable[] = [];
	const folder = await identity(home);
	let lock = await identity(path.join(home, "lock"));
	let stopped = false;
	const look = async (): Promise<void> => {
		if ((await identity(home)) !== folder)
			return lost.resolve(new Error(`${home} was removed or replaced while the daemon was running.`));
		if ((await identity(path.join(home, "lock"))) !== lock) {
			again.push(await lockHome(home));
			lock = await identity(path.join(home, "lock"));
		}
		if (stopped) return;
		if (readDaemonFile(home)?.pid !== daemon.pid) writeDaemonFile(home, daemon);
		if ((await identity(path.join(home, "token"))) === null) replaceToken(home, token());
	};
	const tick = async (): Promise<void> => {
		try {
			await look();
		} catch (error) {
			if (error instanceof HomeLocked)
				lost.resolve(
					new Error(`The lock of ${home} was removed while the daemon was running, and another daemon took it.`),
				);
			// anything else, such as a full disk, is tried again the next time
		}
		if (!stopped) timer = setTimeout(next, everyMs).unref();
	};
	let looking = Promise.resolve();
	const next = (): void => {
		looking = tick();
	};
	let timer = setTimeout(next, everyMs).unref();
	return {
		lost: lost.promise,
		async [Symbol.asyncDispose]() {
			stopped = true;
			clearTimeout(timer);
			await looking;
			for (const held of again) held[Symbol.dispose]();
		},
	};
}

/** Which file it is, whatever its name; null if there is none. */
async function identity(place: string): Promise<string | null> {
	try {
		const { dev, ino } = await stat(place);
		return `${dev}:${ino}`;
	} catch {
		return null;
	}
}
