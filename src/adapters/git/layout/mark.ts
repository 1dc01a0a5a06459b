// What we write down about a workspace while we make it and after: without it nothing on disk is taken for ours.
import { constants } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import { PrimaryMark, WorkspaceMark } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";

const name = "brood.json";
const markBytesMax = 64 * 1024;
/** a link in its place is not written through */
const resumable =
	constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The mark in a git folder, or at a path of its own; null if there is none or it cannot be read as one. */
export async function readMark(file: string): Promise<WorkspaceMark | null> {
	const parsed = WorkspaceMark.safeParse(await json(file));
	return parsed.success ? parsed.data : null;
}

export async function readPrimaryMark(gitFolder: string): Promise<PrimaryMark | null> {
	return await readPrimaryMarkAt(markIn(gitFolder));
}

export async function readPrimaryMarkAt(file: string): Promise<PrimaryMark | null> {
	const parsed = PrimaryMark.safeParse(await json(file));
	return parsed.success ? parsed.data : null;
}

/** Whether the mark is of the agent's workspace. One that several share carries the mark of whoever it was made for. */
export function isOurs(mark: WorkspaceMark | null, { project, agent, workspace }: Checkout): boolean {
	if (mark === null) return false;
	return (
		mark.agent === agent.id ||
		(mark.project === project.slug && mark.path === workspace.path && mark.branch === workspace.branch)
	);
}

export const markIn = (gitFolder: string): string => path.join(gitFolder, name);

async function json(file: string): Promise<unknown> {
	try {
		return JSON.parse(await readRegularText(file, { bytesMax: markBytesMax }));
	} catch {
		return null;
	}
}

/** On the disk, whole or not at all, when this resolves. */
export async function writeMark(file: string, mark: WorkspaceMark | PrimaryMark): Promise<void> {
	await writeDurably(file, `${JSON.stringify(mark)}\n`);
}

/**
 * The same for a mark that only has to outlive this process: after a power cut the one before it tells the truth as
 * well.
 */
export async function noteMark(file: string, mark: WorkspaceMark): Promise<void> {
	const temporary = `${file}.${process.pid}`;
	await writeFile(temporary, `${JSON.stringify(mark)}\n`, { mode: 0o600, flag: resumable });
	await rename(temporary, file);
}

export async function writeDurably(file: string, text: string): Promise<void> {
	const temporary = `${file}.${process.pid}`;
	const handle = await open(temporary, resumable, 0o600);
	try {
		await handle.writeFile(text);
		await handle.sync();
	} finally {
		await handle.close();
	}
	await rename(temporary, file);
	const folder = await open(path.dirname(file));
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}

export async function dropMark(file: string): Promise<void> {
	await rm(file, { force: true });
}
