// A folder in memory for what tests write: thousands of repositories and stores that nobody keeps need no disk.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";

const above = "/dev/shm";
/** a whole run leaves half a gigabyte */
const bytesMin = 4 * 1024 ** 3;

/** Null where memory has too little room for it, or lets no programs run. */
export function memoryFolder(): string | null {
	if (!existsSync(above)) return null;
	removeLeftOver();
	const { bavail, bsize } = statfsSync(above);
	if (bavail * bsize < bytesMin) return null;
	const folder = path.join(above, `brood-run-${process.pid}`);
	// the database runs as another user
	mkdirSync(folder, { mode: 0o755, recursive: true });
	const program = path.join(folder, "program");
	writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
	if (spawnSync(program).status === 0) return folder;
	rmSync(folder, { recursive: true });
	return null;
}

/** What a run that was killed left behind would take memory until the machine restarts. */
function removeLeftOver(): void {
	for (const name of readdirSync(above)) {
		const [, pid] = /^brood-run-(\d+)$/.exec(name) ?? [];
		if (pid !== undefined && !existsSync(`/proc/${pid}`))
			rmSync(path.join(above, name), { recursive: true, force: true });
	}
}
