// A worktree made from a snapshot, for a fork from an older turn.
import type { Refusal } from "#contract/refusal.ts";
import type { FileName } from "#contract/snapshot.ts";
import { branchRef } from "../format/refs.ts";
import type { Git } from "../run/git.ts";
import { leftOut, putBackRest, readParts, refresh, writeFiles } from "../snapshot/restore.ts";
import type { Snapshot } from "../snapshot/snapshots.ts";
import { onBranch, operationBranch } from "../tree/operation.ts";
import { makeWorktree } from "./fork-tree.ts";

/** Answers what the snapshot could not hold and so is not there. */
export async function materialize(
	git: Git,
	snapshot: Snapshot,
	to: { folder: string; branch: string; repository: string },
	/** files that git would act on later are left out: whoever wrote them could not act outside */
	{ operations = true } = {},
): Promise<{ left: FileName[] } | Refusal> {
	const { head, tree: files } = snapshot.manifest;
	const { index, operation: held } = await readParts(git, to.repository, snapshot);
	const operation = operations ? held : new Map<string, Buffer>();
	const begun = head.branch === null ? operationBranch(operation) : null;
	const refusal = await makeWorktree(git, { ...to, commit: begun?.commit ?? head.commit }, async (tree) => {
		if (begun !== null && head.commit !== null)
			await git(tree.folder, ["update-ref", "--no-deref", "HEAD", head.commit]);
		await writeFiles(git, tree, files);
		await putBackRest(tree, snapshot, { index, operation: onBranch(operation, branchRef(to.branch)) }, null);
		await refresh(git, tree);
	});
	return refusal ?? { left: leftOut(snapshot) };
}
