// Temporary folders outside of the home. Their names say whose they are, so that what a killed process left is found by
// the next one: `brood-<what>-<pid>-<random>` below the system's temporary folder.
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { dayMs } from "#contract/retention.ts";

type What = "shadow" | "index" | "setup" | "sandbox";

const nameOf = (what: What): string => path.join(os.tmpdir(), `brood-${what}-${process.pid}-`);

export async function temporaryFolder(what: What): Promise<string> {
	return await mkdtemp(nameOf(what));
}

export function temporaryFolderNow(what: What): string {
	return mkdtempSync(nameOf(what));
}

const pattern = /^brood-(?:shadow|index|setup|sandbox)-(\d+)-\w{6}$/;

export async function temporaryFolders(): Promise<{ path: string; pid: number }[]> {
	const names = await readdir(os.tmpdir()).catch((): string[] => []);
	return names.flatMap((name) => {
		const match = pattern.exec(name);
		return match === null ? [] : [{ path: path.join(os.tmpdir(), name), pid: Number(match[1]) }];
	});
}

/**
 * Removes what processes left that are gone. A container that shares the folder has other numbers for its processes, so
 * nothing goes that was made within a day; none of these folders is in use for as long as that.
 */
export async function sweepTemporary(now: number): Promise<number> {
	let removed = 0;
	for (const { path: place, pid } of await temporaryFolders()) {
		const found = lstatSync(place, { throwIfNoEntry: false });
		const ours = found?.isDirectory() === true && found.uid === os.userInfo().uid;
		if (!ours || found.mtimeMs > now - dayMs || isAlive(pid)) continue;
		rmSync(place, { recursive: true, force: true });
		removed += 1;
	}
	return removed;
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
