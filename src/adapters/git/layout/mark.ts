// The mark of a workspace, written when it is made. Without one, no folder on disk counts as ours.
import { constants } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseJson } from "#adapters/system/errors.ts";
import { readRegularText } from "#adapters/system/regular-file.ts";
import { PrimaryMark, type Workspace, WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";

const name = "brood.json";
const markBytesMax = 64 * 1024;
/** never writes through a link */
const resumable =
	constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Null if there is no valid mark. */
export async function readMark(file: string): Promise<WorkspaceMarker | null> {
	return WorkspaceMarker.safeParse(await json(file)).data ?? null;
}

export async function readPrimaryMark(gitFolder: string): Promise<PrimaryMark | null> {
	return await readPrimaryMarkAt(markIn(gitFolder));
}

export async function readPrimaryMarkAt(file: string): Promise<PrimaryMark | null> {
	return PrimaryMark.safeParse(await json(file)).data ?? null;
}

/** Whether the mark is of the agent's workspace. A shared workspace has the mark of the agent it was made for. */
export function isOurs(mark: WorkspaceMarker | null, { project, agent, workspace }: Checkout): boolean {
	if (mark === null) return false;
	return (
		mark.agent === agent.id ||
		(mark.project === project.slug && mark.path === workspace.path && mark.branch === workspace.branch)
	);
}

export const workspaceOf = ({ kind, path: folder, branch, base }: WorkspaceMarker): Workspace => ({
	...{ kind, path: folder, branch, base },
});

export const markIn = (gitFolder: string): string => path.join(gitFolder, name);

async function json(file: string): Promise<unknown> {
	return parseJson(await readRegularText(file, { bytesMax: markBytesMax }).catch(() => ""));
}

/** Atomic, and durable when it resolves. */
export async function writeMark(file: string, mark: WorkspaceMarker | PrimaryMark): Promise<void> {
	await writeDurably(file, `${JSON.stringify(mark)}\n`);
}

/** Atomic but not durable: after a power cut the previous mark is valid too. */
export async function noteMark(file: string, mark: WorkspaceMarker): Promise<void> {
	const temporary = `${file}.${process.pid}`;
	await writeFile(temporary, `${JSON.stringify(mark)}\n`, { mode: 0o600, flag: resumable });
	await rename(temporary, file);
}

export async function writeDurably(file: string, text: string): Promise<void> {
	const temporary = `${file}.${process.pid}`;
	{
		await using handle = await open(temporary, resumable, 0o600);
		await handle.writeFile(text);
		await handle.sync();
	}
	await rename(temporary, file);
	await using folder = await open(path.dirname(file));
	await folder.sync();
}

export async function dropMark(file: string): Promise<void> {
	await rm(file, { force: true });
}
