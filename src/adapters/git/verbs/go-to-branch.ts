// Puts a workspace on its branch: the agent's own at a release, an issue's at an assignment. The branch is moved to
// base if it has no commits of its own.

import { counted } from "#contract/counted.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { Checkout, StepControl } from "#engine/ports/workspace-requests.ts";
import { GitFailed } from "../run/git.ts";
import { trackingRefspecs } from "../run/tracking.ts";
import { commitOf } from "../run/user-input.ts";
import { baseCommit, type GitContext } from "../workspace/git-context.ts";
import { dirtyRefusal, readStatus } from "../workspace/tree-status.ts";
import { aheadBehind, isMerged, noTree } from "./branch-status.ts";
import { goToBranch, moveBranch } from "./move.ts";
import { updateResult } from "./sync.ts";

export async function goToBranchAndUpdate(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
	snapshot: string | null = null,
): Promise<UpdateResult | Refusal> {
	const { git } = context;
	const { path, branch, base: baseName } = checkout.workspace;
	const result = async (updated: boolean, text: string): Promise<UpdateResult | Refusal> =>
		await updateResult(context, checkout, updated, text, snapshot);
	const gone = await noTree(checkout);
	if (gone !== null) return gone;
	const tree = await readStatus(git, path);
	const dirty = dirtyRefusal(tree, { folder: path, checkout });
	if (dirty !== null) return dirty;
	if (checkout.workspace.kind === "main") return await forwardMain(context, checkout, tree.branch, control);

	const tip = await commitOf(git, path, `refs/heads/${branch}`);
	const base = await baseCommit(context, checkout);
	if (tip === null && base === null) return await result(false, "There is no commit yet.");
	const away = tree.branch !== branch && tip !== null;
	const before = control.begun?.head;
	const movedText = (commits: number): string => `${branch} was updated to ${baseName}: ${counted(commits, "commit")}.`;
	// an earlier try moved it to base, and died before it answered
	if (!away && before != null && before !== tip && tip === base && base !== null)
		return await result(true, movedText((await aheadBehind(git, path, base, before)).behind));
	await control.begin?.({ head: tip });
	if (away) {
		const stuck = await goToBranch(context, checkout, tree.head);
		if (stuck !== null) return stuck;
	}
	const back = away ? `You are on ${branch} now. ` : "";
	const { ahead, behind } = await aheadBehind(git, path, base, tip);
	if (base === null || (tip !== null && ahead > 0 && !(await isMerged(context, checkout, tip))))
		return await result(away, `${back}${branch} is ${ahead} ahead of ${baseName} and ${behind} behind.`);
	if (tip === base) return await result(away, `${back}${branch} is where ${baseName} is.`);
	const stuck = await moveBranch(context, checkout, tip, base);
	return stuck ?? (await result(true, `${back}${movedText(behind)}`));
}

/** Fetches and fast-forwards the person's own checkout, or leaves it alone. */
async function forwardMain(
	context: GitContext,
	checkout: Checkout,
	branch: string | null,
	{ signal }: StepControl,
): Promise<UpdateResult | Refusal> {
	const { git } = context;
	const { path } = checkout.workspace;
	const result = async (updated: boolean, text: string): Promise<UpdateResult | Refusal> =>
		await updateResult(context, checkout, updated, text);
	const format = "--format=%(upstream)%0a%(upstream:remotename)";
	const configured = branch === null ? "" : (await git(path, ["for-each-ref", format, `refs/heads/${branch}`])).text;
	const [upstream = "", remote = ""] = configured.split("\n");
	if (upstream === "" || branch === null) return await result(false, "There is nothing upstream to follow.");
	let unreachable = "";
	if (remote !== "" && remote !== "." && !remote.startsWith("-")) {
		try {
			const refspecs = await trackingRefspecs(git, path, remote);
			await git(path, ["fetch", "--quiet", "--no-write-fetch-head", "--refmap=", remote, ...refspecs], { signal });
		} catch (error) {
			if (!(error instanceof GitFailed)) throw error;
			unreachable = " The remote did not answer.";
		}
	}
	const [theirs, ours] = [await commitOf(git, path, upstream), await commitOf(git, path, "HEAD")];
	const { ahead, behind } = await aheadBehind(git, path, theirs, ours);
	if (behind === 0) return await result(false, `${branch} has all of its upstream.${unreachable}`);
	if (ahead > 0) {
		return refuse(
			"CONFLICT",
			`${branch} is ${ahead} ahead of its upstream and ${behind} behind. Merge or rebase it yourself.`,
			{ details: { ahead, behind, path } },
		);
	}
	const { exit, errors } = await git(
		path,
		["merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", upstream],
		{ answers: [1, 2, 128] },
	);
	if (exit !== 0)
		return refuse(
			"WORKTREE_DIRTY",
			`Git cannot move ${branch} forward: changed or untracked files are in the way. Nothing was changed.`,
			{
				details: { path, errors: errors.slice(0, 4000) },
				suggestions: [`git -C ${shellWord(path)} status`],
			},
		);
	return await result(true, `${branch} was fast-forwarded: ${counted(behind, "commit")}.`);
}
