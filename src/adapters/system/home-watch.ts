// Checks the home periodically: somebody may remove its files while the daemon runs.
//
// Files that other programs need to find the daemon are written again. The lock is taken again, unless another daemon
// was faster. Then this daemon ends, as it does when the home itself was removed or replaced.
import { stat } from "node:fs/promises";
import path from "node:path";
import { type DaemonFile, readDaemonFile, replaceToken, writeDaemonFile } from "./home.ts";
import { HomeLocked, lockHome } from "./home-lock.ts";

export interface HomeWatch extends AsyncDisposable {
	/** resolves when this daemon no longer holds its home */
	readonly lost: Promise<Error>;
}

export interface WatchOptions {
	home: string;
	daemon: DaemonFile;
	/** the owner's current token */
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
			// after another error, such as a full disk, the next check tries again
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

/** Device and inode; null if there is no such file. */
const identity = async (location: string): Promise<string | null> =>
	await stat(location).then(
		({ dev, ino }) => `${dev}:${ino}`,
		() => null,
	);
