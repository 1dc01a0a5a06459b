// Which processes of this user have a home's lock open, according to the kernel.
import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "#adapters/system/errors.ts";

/**
 * Their pids, without this process; null where there is no /proc. With `lockRemoved` only those whose lock file was
 * removed.
 */
export function holdersOf(home: string, { lockRemoved = false } = {}): number[] | null {
	if (statSync("/proc/self/fd", { throwIfNoEntry: false }) === undefined) return null;
	const lock = path.join(real(home), "lock");
	const names = lockRemoved ? [`${lock} (deleted)`] : [lock, `${lock} (deleted)`];
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
		.filter((pid) => openFilesOf(pid).some((name) => names.includes(name)))
		.map(Number);
}

/** Those of another user's processes are not visible. */
function openFilesOf(pid: string): string[] {
	const folder = `/proc/${pid}/fd`;
	return attempt(() => readdirSync(folder), []).flatMap((name) =>
		attempt(() => [readlinkSync(path.join(folder, name))], []),
	);
}

/** A home that is gone keeps the path that it had. */
const real = (home: string): string => attempt(() => realpathSync(home), path.resolve(home));
