// Temporary folders outside the home, named `brood-<what>-<pid>-<random>`, so that the next process finds what a killed
// one left.
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { dayMs } from "#contract/retention.ts";
import { codeOf } from "./errors.ts";

type What = "shadow" | "index" | "setup" | "sandbox" | "bundle";

const nameOf = (what: What): string => path.join(os.tmpdir(), `brood-${what}-${process.pid}-`);

export async function temporaryFolder(what: What): Promise<string> {
	return await mkdtemp(nameOf(what));
}

export function temporaryFolderNow(what: What): string {
	return mkdtempSync(nameOf(what));
}

const pattern = /^brood-(?:shadow|index|setup|sandbox|bundle)-(\d+)-\w{6}$/;

export async function temporaryFolders(): Promise<{ path: string; pid: number }[]> {
	const names = await readdir(os.tmpdir()).catch((): string[] => []);
	return names.flatMap((name) => {
		const match = pattern.exec(name);
		return match === null ? [] : [{ path: path.join(os.tmpdir(), name), pid: Number(match[1]) }];
	});
}

/**
 * Removes folders of dead processes. Only folders older than a day: a container that shares the folder has other pids,
 * and no folder is in use for so long.
 */
export async function sweepTemporary(now: number): Promise<number> {
	let removed = 0;
	for (const { path: location, pid } of await temporaryFolders()) {
		const found = lstatSync(location, { throwIfNoEntry: false });
		const ours = found?.isDirectory() === true && found.uid === os.userInfo().uid;
		if (!ours || found.mtimeMs > now - dayMs || isAlive(pid)) continue;
		rmSync(location, { recursive: true, force: true });
		removed += 1;
	}
	return removed;
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return codeOf(error) === "EPERM";
	}
}
