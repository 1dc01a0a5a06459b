// Pipes that an agent made where git expects its own files: git would wait for a writer for ever. They have no content
// that could be lost.
import { lstat, unlink } from "node:fs/promises";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { pathOf } from "../format/names.ts";
import { treeFiles } from "../run/repository-paths.ts";
import { walk } from "../snapshot/survey.ts";

/** In all folders of the tree; links are not followed. Returns whether there were any. */
export async function removePipes(folder: string): Promise<boolean> {
	const { special } = await walk(folder, new Set());
	let removed = false;
	for (const name of special.filter((each) => treeFiles.includes(each.slice(each.lastIndexOf("/") + 1)))) {
		const file = pathOf(folder, name);
		if ((await lstat(file).catch(nullIfMissing))?.isFIFO() !== true) continue;
		await unlink(file).catch(nullIfMissing);
		removed = true;
	}
	return removed;
}
