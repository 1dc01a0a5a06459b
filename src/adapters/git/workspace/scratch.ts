// A tree to try something in: detached, registered nowhere but in git, gone afterwards.
import path from "node:path";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { exclusively } from "../run/exclusive.ts";
import { checkOut } from "../tree/checkout.ts";
import { discardWorktree } from "./discard.ts";
import type { GitContext } from "./git-context.ts";

/** Those that are in use; what else lies in the folder was left by a process that died. */
export const scratchInUse = new Set<string>();

/** `repository` is the one that has the commit: the project's, or a clone's own. */
export async function inScratch<T>(
	context: GitContext,
	project: ProjectRepository,
	repository: string,
	commit: string,
	work: (tree: string) => Promise<T>,
): Promise<T> {
	const tree = path.join(context.layout.scratches(project.slug), context.ids.salt());
	const wrong = await context.layout.free(tree);
	if (wrong !== null) throw new Error(wrong.message);
	scratchInUse.add(tree);
	try {
		await exclusively(repository, () =>
			context.git(repository, ["worktree", "add", "--quiet", "--no-checkout", "--detach", tree, commit]),
		);
		await checkOut(context, { path: tree, start: commit });
		return await work(tree);
	} finally {
		await discardWorktree(context, repository, tree);
		scratchInUse.delete(tree);
	}
}
