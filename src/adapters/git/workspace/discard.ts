// Discards what we made and no agent has worked in: a failed provisioning, a scratch tree, half a clone.
import path from "node:path";
import { exclusively } from "../run/exclusive.ts";
import { worktreeAt } from "../run/worktrees.ts";
import { discardNewFolder, forgetWorktree } from "../snapshot/destroy.ts";
import type { GitContext } from "./git-context.ts";

export async function discard({ layout, ids }: GitContext, location: string): Promise<void> {
	if (!location.startsWith(`${layout.home}${path.sep}`)) throw new Error(`${location} is not in Brood's home`);
	await discardNewFolder(location, { trash: layout.trash, salt: ids.salt() });
}

/** The tree and its entry in the repository. */
export async function discardWorktree(context: GitContext, repository: string, location: string): Promise<void> {
	await exclusively(repository, async () => {
		const known = await worktreeAt(context.git, repository, location);
		await discard(context, location);
		if (known !== null) await forgetWorktree(context.git, repository, known.path, { locked: known.locked !== null });
	});
}
