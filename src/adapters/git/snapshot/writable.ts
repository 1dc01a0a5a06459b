// Folders of a workspace that an agent's tools made read-only: no file can be written or removed there, and a reset
// would stop half-way.
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
	const closed = new Set<ByteName>();
	const elsewhere = new Set<ByteName>();
	// outer folders first: nothing behind a link is touched
	for (const name of folders) {
		if (parentFolders(name).some((above) => elsewhere.has(above) || closed.has(above))) continue;
		const location = pathOf(folder, name);
		const found = await lstat(location).catch(nullIfMissing);
		if (found?.isDirectory() !== true) elsewhere.add(name);
		else if (!(await makeFolderWritable(location, found.mode & 0o7777))) closed.add(name);
	}
	return [...closed];
}

async function makeFolderWritable(location: Buffer, mode: number): Promise<boolean> {
	try {
		if ((mode & 0o700) !== 0o700) await chmod(location, mode | 0o700);
		await access(location, constants.W_OK | constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
