// The marker of a workspace, written when it is made. Without one, no folder on disk counts as ours.
import { constants } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseJson } from "#adapters/system/errors.ts";
import { readRegularText } from "#adapters/system/regular-file.ts";
import { PrimaryMarker, type Workspace, WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";

const name = "brood.json";
const markerBytesMax = 64 * 1024;
/** never writes through a link */
const writeFlags =
	constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Null if there is no valid marker. */
export async function readMarker(file: string): Promise<WorkspaceMarker | null> {
	return WorkspaceMarker.safeParse(await json(file)).data ?? null;
}

export async function readPrimaryMarker(gitFolder: string): Promise<PrimaryMarker | null> {
	return await readPrimaryMarkerAt(markerIn(gitFolder));
}

export async function readPrimaryMarkerAt(file: string): Promise<PrimaryMarker | null> {
	return PrimaryMarker.safeParse(await json(file)).data ?? null;
}

/** Whether the marker is of the agent's workspace. A shared workspace has the marker of the agent it was made for. */
export function isOurs(marker: WorkspaceMarker | null, { project, agent, workspace }: Checkout): boolean {
	if (marker === null) return false;
	return (
		marker.agent === agent.id ||
		(marker.project === project.slug && marker.path === workspace.path && marker.branch === workspace.branch)
	);
}

export const workspaceOf = ({ kind, path: folder, branch, base }: WorkspaceMarker): Workspace => ({
	...{ kind, path: folder, branch, base },
});

export const markerIn = (gitFolder: string): string => path.join(gitFolder, name);

async function json(file: string): Promise<unknown> {
	return parseJson(await readRegularText(file, { bytesMax: markerBytesMax }).catch(() => ""));
}

/** Atomic, and durable when it resolves. */
export async function writeMarker(file: string, marker: WorkspaceMarker | PrimaryMarker): Promise<void> {
	await writeDurably(file, `${JSON.stringify(marker)}\n`);
}

/** Atomic but not durable: after a power cut the previous marker is valid too. */
export async function noteMarker(file: string, marker: WorkspaceMarker): Promise<void> {
	const temporary = `${file}.${process.pid}`;
	await writeFile(temporary, `${JSON.stringify(marker)}\n`, { mode: 0o600, flag: writeFlags });
	await rename(temporary, file);
}

export async function writeDurably(file: string, text: string): Promise<void> {
	const temporary = `${file}.${process.pid}`;
	{
		await using handle = await open(temporary, writeFlags, 0o600);
		await handle.writeFile(text);
		await handle.sync();
	}
	await rename(temporary, file);
	await using folder = await open(path.dirname(file));
	await folder.sync();
}

export async function dropMarker(file: string): Promise<void> {
	await rm(file, { force: true });
}
