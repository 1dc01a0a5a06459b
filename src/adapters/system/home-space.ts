// The disk usage of the home by kind, and the removal of unused folders.
import { lstatSync, rmSync } from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import path from "node:path";
import { expected } from "#contract/log.ts";
import { dayMs } from "#contract/retention.ts";
import type { HomeSpace } from "#contract/space.ts";
import { diskBytes } from "./disk.ts";
import { removeFolder } from "./remove.ts";
import { temporaryFolders } from "./temporary.ts";

export async function homeSpace(home: string): Promise<HomeSpace> {
	const names = await readdir(home).catch((): string[] => []);
	const sum = async (wanted: (name: string) => boolean): Promise<number> => {
		const sizes = await Promise.all(names.filter(wanted).map((name) => diskBytes(path.join(home, name))));
		return sizes.reduce((all, size) => all + size, 0);
	};
	const folder = async (name: string): Promise<number> => await sum((each) => each === name);
	const temporary = await Promise.all((await temporaryFolders()).map(({ path: location }) => diskBytes(location)));
	return {
		database: await folder("brood.db"),
		writeAheadLog: await sum((name) => /^brood\.db-(wal|shm)$/.test(name)),
		blobs: await folder("blobs"),
		daemonLog: await sum((name) => name.startsWith("daemon.log")),
		trash: await folder("trash"),
		agentFolders: await folder("agent-folders"),
		adapters: await folder("adapters"),
		projects: await folder("projects"),
		temporary: temporary.reduce((all, size) => all + size, 0),
		total: await diskBytes(home),
	};
}

/** Removes half-written blobs of dead processes. Complete ones stay: an item of the journal refers to them. */
export async function sweepBlobs(folder: string, now: number): Promise<void> {
	for (const name of await readdir(folder).catch((): string[] => [])) {
		if (!/^[0-9a-f]{64}\.\d+-\d+$/.test(name)) continue;
		const found = lstatSync(path.join(folder, name), { throwIfNoEntry: false });
		if (found !== undefined && found.mtimeMs < now - dayMs) rmSync(path.join(folder, name), { force: true });
	}
}

/** Removes what vendors' programs wrote for deleted agents, and what was moved away there. */
export async function sweepVendors(
	folder: string,
	expiredOf: (names: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
	const names = await readdir(folder).catch((): string[] => []);
	if (names.length === 0) return;
	for (const name of [".removed", ...(await expiredOf(names))]) await removeFolder(path.join(folder, name));
}

/** Removes the folders of deleted agents that had no workspace. */
export async function sweepAgentFolders(
	folder: string,
	isExpired: (project: string | null, handle: string) => Promise<boolean>,
): Promise<void> {
	for (const project of await readdir(folder).catch((): string[] => [])) {
		const inside = path.join(folder, project);
		for (const handle of await readdir(inside).catch((): string[] => [])) {
			const location = path.join(inside, handle);
			if (lstatSync(location, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
			if (!(await isExpired(project === "_" ? null : project, handle))) continue;
			await removeFolder(location);
			await rmdir(inside).catch(expected("others have folders there"));
		}
	}
}
