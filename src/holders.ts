// Which processes of this user have a home's lock open: by what the kernel says, whatever became of the files.
import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Their process numbers, other than ours; null where the kernel does not tell. With `lockRemoved` only those whose lock
 * has no name any more.
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

/** Those of another user's processes are not to be seen. */
function openFilesOf(pid: string): string[] {
	const folder = `/proc/${pid}/fd`;
	return attempted(() => readdirSync(folder), []).flatMap((name) =>
		attempted(() => [readlinkSync(path.join(folder, name))], []),
	);
}

/** A home that is gone is looked for by the name that it had. */
const real = (home: string): string => attempted(() => realpathSync(home), path.resolve(home));

function attempted<T>(look: () => T, otherwise: T): T {
	try {
		return look();
	} catch {
		return otherwise;
	}
}
