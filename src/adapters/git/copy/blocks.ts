// Whether copies on a disk share their blocks (reflink), so that a copy of any size is cheap.
import { constants, copyFile, lstat, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** Tries it next to the path of the copy. */
export async function sharesBlocks(from: string, to: string): Promise<boolean> {
	const beside = path.dirname(to);
	const [there, here] = await Promise.all([lstat(from), lstat(beside)]);
	if (there.dev !== here.dev) return false;
	const [probe, copy] = [1, 2].map((part) => path.join(beside, `.${path.basename(to)}.blocks-${process.pid}-${part}`));
	if (probe === undefined || copy === undefined) return false;
	try {
		await writeFile(probe, "blocks");
		await copyFile(probe, copy, constants.COPYFILE_FICLONE_FORCE);
		return true;
	} catch {
		return false;
	} finally {
		await Promise.all([probe, copy].map((file) => rm(file, { force: true })));
	}
}
