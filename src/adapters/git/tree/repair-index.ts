// Replaces an index that cannot be read, which would block every other step. The broken index is kept in the git
// folder, and a new one from HEAD takes its place, so that a snapshot can hold the files as they are.
import { lstat, readdir, rename } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { openTree, readIndex, type Tree } from "./tree.ts";

/** The name that the broken index is kept under; null if the index is fine. */
export async function repairIndex(git: Git, folder: string): Promise<string | null> {
	const tree = await openTree(folder);
	const index = path.join(tree.gitFolder, "index");
	if ((await lstat(index).catch(nullIfMissing)) === null || (await isSound(git, tree))) return null;
	const taken = (await readdir(tree.gitFolder))
		.flatMap((name) => /^index\.broken-(\d{1,9})$/.exec(name)?.[1] ?? [])
		.map(Number);
	const name = `index.broken-${Math.max(0, ...taken) + 1}`;
	await rename(index, path.join(tree.gitFolder, name));
	await git(folder, ["read-tree", (await commitOf(git, folder, "HEAD")) ?? "--empty"]);
	return name;
}

/** The text, with a note about a broken index. */
export const withBroken = (text: string, broken: string | null): string =>
	broken === null ? text : `${text}; the index could not be read and is kept as ${broken}`;

export const restoredText = (broken: string | null): string =>
	`${withBroken("Your files were restored as a snapshot has them", broken)}.`;

/** Both git and we can read it. Where git fails without any index as well, the index is not to blame. */
async function isSound(git: Git, tree: Tree): Promise<boolean> {
	const look = ["ls-files", "--stage", "-z"];
	const read = await git(tree.folder, look, { answers: [128] });
	if (read.exit === 0) {
		return await readIndex(git, tree).then(
			() => true,
			() => false,
		);
	}
	const environment = { GIT_INDEX_FILE: path.join(tree.gitFolder, "index.none") };
	return (await git(tree.folder, look, { environment, answers: [128] })).exit !== 0;
}
