// Locks that git left in an agent's own git folder when a daemon died. Everything in its sandbox died with that daemon, so
// a lock from before the present one's start belongs to nobody, and need not be waited for.
import { lstat, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";

/** The variable with the time of the daemon's start, in milliseconds. */
export const startedName = "BROOD_STARTED";

export async function removeOldLocks(gitFolder: string, before: number): Promise<void> {
	const names = [
		...(await namesIn(gitFolder, "", false)),
		...(await namesIn(gitFolder, "refs", true)),
		...(await namesIn(gitFolder, "logs", true)),
	];
	for (const name of names.filter((each) => each.endsWith(".lock"))) {
		const file = path.join(gitFolder, name);
		const found = await lstat(file).catch(nullIfMissing);
		if (found?.isFile() && found.mtimeMs < before) await rm(file, { force: true });
	}
}

async function namesIn(gitFolder: string, folder: string, recursive: boolean): Promise<string[]> {
	const found = await readdir(path.join(gitFolder, folder), { recursive }).catch(nullIfMissing);
	return (found ?? []).map((name) => path.join(folder, name));
}
