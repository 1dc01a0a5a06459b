// Folders of a workspace that an agent's tools made read-only. Files can be neither written nor removed there, so a reset
// that did not ask first would stop half-way.
import { constants } from "node:fs";
import { access, chmod, lstat } from "node:fs/promises";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { type ByteName, parentFolders, pathOf } from "../format/names.ts";

/** Lets the owner write in the folders of these names, and in those that are themselves folders; names the others. */
export async function makeWritable(
	folder: string,
	{ inside, whole }: { inside: readonly ByteName[]; whole: readonly ByteName[] },
): Promise<ByteName[]> {
	const folders = new Set(["", ...[...inside, ...whole].flatMap(parentFolders).toSorted()]);
	for (const name of whole) folders.add(name);
	const closed: ByteName[] = [];
	// outer folders first
	for (const name of folders) if (!(await isWritable(pathOf(folder, name)))) closed.push(name);
	return closed;
}

async function isWritable(place: Buffer): Promise<boolean> {
	const found = await lstat(place).catch(nullIfMissing);
	if (found?.isDirectory() !== true) return true;
	const mode = found.mode & 0o7777;
	const may = async (work: Promise<void>): Promise<boolean> =>
		await work.then(
			() => true,
			() => false,
		);
	if ((mode & 0o700) !== 0o700 && !(await may(chmod(place, mode | 0o700)))) return false;
	return await may(access(place, constants.W_OK | constants.X_OK));
}
