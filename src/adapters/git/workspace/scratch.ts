// A scratch tree: detached, known only to git, removed afterwards.
import path from "node:path";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { exclusively } from "../run/exclusive.ts";
import { checkOut } from "../tree/checkout.ts";
import { discardWorktree } from "./discard.ts";
import type { GitContext } from "./git-context.ts";

/** Scratch trees in use; any other in the folder was left by a dead process. */
export const scratchInUse = new Set<string>();

interface Scratch<T> {
	make(tree: string): Promise<void>;
	work(tree: string): Promise<T>;
	remove(tree: string): Promise<void>;
}

export async function withScratch<T>(
	{ layout, ids }: GitContext,
	{ slug }: ProjectRepository,
	{ make, work, remove }: Scratch<T>,
): Promise<T> {
	const tree = path.join(layout.scratches(slug), ids.salt());
	const refused = await layout.makeParentIfFree(tree);
	if (refused !== null) throw new Error(refused.message);
	scratchInUse.add(tree);
	try {
		await make(tree);
		return await work(tree);
	} finally {
		await remove(tree);
		scratchInUse.delete(tree);
	}
}

/** `repository` is the one that has the commit: the project's, or a clone's own. */
export async function inScratch<T>(
	context: GitContext,
	project: ProjectRepository,
	repository: string,
	commit: string,
	work: (tree: string) => Promise<T>,
): Promise<T> {
	return await withScratch(context, project, {
		work,
		make: async (tree) => await addDetachedWorktree(context, repository, tree, commit),
		remove: async (tree) => await discardWorktree(context, repository, tree),
	});
}

/** A worktree of this commit, on no branch. */
export async function addDetachedWorktree(
	context: GitContext,
	repository: string,
	tree: string,
	commit: string,
): Promise<void> {
	await exclusively(repository, () =>
		context.git(repository, ["worktree", "add", "--quiet", "--no-checkout", "--detach", tree, commit]),
	);
	await checkOut(context, { path: tree, start: commit });
}
