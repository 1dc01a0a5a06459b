// Moves base to the merged commit, in the repository or in a person's worktree of it.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { filesIn } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { worktreeOfBranch } from "../run/worktrees.ts";
import { putBackAfterFilter } from "../verbs/put-back.ts";
import { recordAgain } from "../verbs/record.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { dirtyRefusal, readStatus } from "../workspace/tree-status.ts";

/** Null if base is now on the new commit; "moved" if it is not where it was when that commit was computed. */
export async function moveBase(
	context: GitContext,
	{ project, workspace }: { project: ProjectRepository; workspace: Pick<Checkout["workspace"], "base"> },
	before: string | null,
	after: string,
	{ rewrites = false } = {},
): Promise<Refusal | "moved" | null> {
	const { git } = context;
	const ref = `refs/heads/${workspace.base}`;
	const worktree = await worktreeOfBranch(git, project.path, ref);
	const hasMoved = async (): Promise<boolean> => (await commitOf(git, project.path, ref)) !== before;
	if (worktree === undefined) {
		// the commits that base has now are made anew in the result
		if (rewrites && before !== null)
			await git(project.path, ["update-ref", `refs/brood/branches/${workspace.base}/${before}`, before]);
		const swap = await git(project.path, ["update-ref", ref, after, before ?? "0".repeat(after.length)], {
			answers: [1, 128],
		});
		if (swap.exit === 0) {
			if (rewrites && before !== null) await recordAgain(git, project.path, before, after);
			return null;
		}
		if (await hasMoved()) return "moved";
		throw new Error(`git update-ref failed: ${swap.errors.slice(0, 2000)}`);
	}
	if (await hasMoved()) return "moved";
	const options = ["--quiet", "--ff-only", "--no-autostash", "--no-verify-signatures", "--no-overwrite-ignore"];
	const { exit, errors } = await git(worktree.path, ["merge", ...options, after], { answers: [1, 2, 128] });
	if (exit === 0) return null;
	const now = await commitOf(git, project.path, ref);
	if (now === after) return null;
	const tree = await readStatus(git, worktree.path);
	const files = filesIn(errors);
	const dirty = dirtyRefusal(tree, { folder: worktree.path });
	const reason = now === before ? await putBackAfterFilter(git, worktree.path, { before, after, errors }) : null;
	if (reason !== null)
		return refuse(
			"CONFLICT",
			`Git could not write the merge into ${worktree.path}: ${reason}. The files there are as they were, and nothing was merged.`,
			{ details: { path: worktree.path, errors: errors.slice(0, 4000) } },
		);
	if (now !== before || (dirty === null && files.length === 0))
		throw new Error(`git merge failed in ${worktree.path}: ${errors.slice(0, 2000)}`);
	return refuse(
		"WORKTREE_DIRTY",
		`${workspace.base} is checked out in ${worktree.path}, and merging would overwrite what is not committed there. Nothing was changed.`,
		{ details: { ...dirty?.details, path: worktree.path, files }, suggestions: dirty?.suggestions ?? [] },
	);
}
