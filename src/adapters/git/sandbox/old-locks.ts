// Locks that git left in an agent's own git folder when a daemon died. Everything in its sandbox died with that daemon,
// so a lock from before the present one's start belongs to nobody, and need not be waited for.
import { lstat, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";

/** The variable with the daemon's start: the time, and the machine's uptime, both in milliseconds. */
export const startedName = "BROOD_STARTED";

export const momentText = (now: number): string => `${now} ${Math.round(os.uptime() * 1000)}`;

/**
 * Removes locks from before the daemon's start. If the clock was set back since, new locks have times from before it:
 * what the uptime says counts as well, and the earlier of the two.
 */
export async function removeOldLocks(gitFolder: string, start: string, present: string): Promise<void> {
	const [startedAt = 0, startedUptime = 0] = start.split(" ").map(Number);
	const [now = 0, uptime = 0] = present.split(" ").map(Number);
	const before = Math.min(startedAt, now - (uptime - startedUptime));
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
