// An index that cannot be read would keep an agent from every way out. It is never thrown away: it is set aside in the
// git folder, and one from HEAD takes its place, so that the files as they are can be held by a snapshot.
import { lstat, readdir, rename } from "node:fs/promises";
import path from "node:path";
import type { Git } from "../run/git.ts";
import { notThere, openTree, readIndex, type Tree } from "./tree.ts";

/** The name that a broken index is kept under; null if there was none to mend. */
export async function mendIndex(git: Git, folder: string): Promise<string | null> {
	const tree = await openTree(folder);
	const index = path.join(tree.gitFolder, "index");
	if ((await lstat(index).catch(notThere)) === null || (await isSound(git, tree))) return null;
	const taken = (await readdir(tree.gitFolder))
		.flatMap((name) => /^index\.broken-(\d{1,9})$/.exec(name)?.[1] ?? [])
		.map(Number);
	const name = `index.broken-${Math.max(0, ...taken) + 1}`;
	await rename(index, path.join(tree.gitFolder, name));
	const head = await git(folder, ["rev-parse", "-q", "--verify", "HEAD^{commit}"], { answers: [1, 128] });
	await git(folder, ["read-tree", ...(head.code === 0 ? [head.text] : ["--empty"])]);
	return name;
}

/** What a snapshot or an answer says about it. */
export const withBroken = (text: string, broken: string | null): string =>
	broken === null ? text : `${text}; the index could not be read and is kept as ${broken}`;

/** Git reads it, and so do we. Where git fails without any index as well, the index is not to blame. */
async function isSound(git: Git, tree: Tree): Promise<boolean> {
	const look = ["ls-files", "--stage", "-z"];
	const read = await git(tree.folder, look, { answers: [128] });
	if (read.code === 0) {
		return await readIndex(git, tree).then(
			() => true,
			() => false,
		);
	}
	const environment = { GIT_INDEX_FILE: path.join(tree.gitFolder, "index.none") };
	return (await git(tree.folder, look, { environment, answers: [128] })).code !== 0;
}
