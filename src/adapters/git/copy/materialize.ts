// A worktree made from a snapshot: for a fork from an older turn, or of a parent that works or has changed since.
import type { Refusal } from "#contract/refusal.ts";
import type { FileName } from "#contract/snapshot.ts";
import { branchRef } from "../format/refs.ts";
import type { Git } from "../run/git.ts";
import { fillTree, missingFrom, readParts } from "../snapshot/restore.ts";
import type { StoredSnapshot } from "../snapshot/snapshots.ts";
import { onBranch, operationBranch } from "../tree/operation.ts";
import { makeWorktree } from "./copy-worktree.ts";

/** Returns the files that the snapshot could not hold. */
export async function materialize(
	git: Git,
	snapshot: StoredSnapshot,
	to: { folder: string; branch: string; repository: string },
	/** false for a sandboxed parent: git would act on its operation files outside the sandbox */
	{ operations = true } = {},
): Promise<{ missing: FileName[] } | Refusal> {
	const { head } = snapshot.manifest;
	const { index, operation: held } = await readParts(git, to.repository, snapshot);
	const operation = operations ? held : new Map<string, Buffer>();
	const begun = head.branch === null ? operationBranch(operation) : null;
	const refusal = await makeWorktree(git, { ...to, commit: begun?.commit ?? head.commit }, async (tree) => {
		if (begun !== null && head.commit !== null)
			await git(tree.folder, ["update-ref", "--no-deref", "HEAD", head.commit]);
		await fillTree(git, tree, snapshot, { index, operation: onBranch(operation, branchRef(to.branch)) });
	});
	return refusal ?? { missing: missingFrom(snapshot) };
}
