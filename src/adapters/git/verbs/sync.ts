// Brings base into an agent's branch. The result is computed first, outside the agent's tree. One git command then
// moves the tree, and only to a result without conflicts.

import { counted } from "#contract/counted.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { SyncStrategy } from "#contract/workspace.ts";
import type { Checkout, StepControl } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { agentIdentity, baseCommit, type GitContext, repositoryOf } from "../workspace/git-context.ts";
import { dirtyRefusal, readStatus } from "../workspace/tree-status.ts";
import { aheadBehind, branchStatus, isMerged, noTree } from "./branch-status.ts";
import { notOnBranch } from "./commit.ts";
import { commitTree, mergeTrees, rebased } from "./merge.ts";
import { moveBranch } from "./move.ts";

export async function syncWork(
	context: GitContext,
	checkout: Checkout,
	strategy: SyncStrategy,
	control: StepControl = {},
): Promise<UpdateResult | Refusal> {
	const { git } = context;
	const { path, base: baseName } = checkout.workspace;
	const gone = await noTree(checkout);
	if (gone !== null) return gone;
	const tree = await readStatus(git, path);
	const unready = dirtyRefusal(tree, { folder: path, checkout }) ?? notOnBranch(tree, checkout);
	if (unready !== null) return unready;
	const base = await baseCommit(context, checkout);
	const { ahead, behind } = await aheadBehind(git, path, base, tree.head);
	const movedText = (commits: number): string =>
		`Files updated to ${baseName}: ${counted(commits, "commit")} (${strategy}).`;
	if (base === null || (behind === 0 && tree.head !== null)) {
		const before = control.begun?.head;
		// an earlier try updated it, and died before it answered
		if (base !== null && before != null && before !== tree.head)
			return await updateResult(
				context,
				checkout,
				true,
				movedText((await aheadBehind(git, path, base, before)).behind),
			);
		return await updateResult(context, checkout, false, `${baseName} has nothing new.`);
	}
	// base already has work that was merged by squash or rebase
	const own = tree.head !== null && ahead > 0 && !(await isMerged(context, checkout, tree.head));
	const target =
		own && tree.head !== null
			? await combined(context, checkout, strategy, { head: tree.head, base, ahead, behind })
			: { commit: base };
	if (isRefusal(target)) return target;
	await control.begin?.({ head: tree.head });
	const stuck = await moveBranch(context, checkout, tree.head, target.commit);
	return stuck ?? (await updateResult(context, checkout, true, movedText(behind)));
}

async function combined(
	context: GitContext,
	checkout: Checkout,
	strategy: SyncStrategy,
	{ head, base, ahead, behind }: { head: string; base: string; ahead: number; behind: number },
): Promise<{ commit: string } | Refusal> {
	const { project, agent, workspace } = checkout;
	const whose = checkoutName(checkout);
	if (strategy === "ff" || workspace.kind === "main") {
		return refuse(
			"CONFLICT",
			`${whose} has ${counted(ahead, "commit")} of its own and is ${behind} behind ${workspace.base}.`,
			{
				details: { ahead, behind },
				suggestions:
					workspace.kind === "main"
						? [`brood agent diff ${whose}`]
						: [`brood agent sync ${whose} --strategy rebase`, `brood agent sync ${whose} --strategy merge`],
			},
		);
	}
	const identity = agentIdentity(agent);
	if (strategy === "rebase")
		return await rebased(context, project, repositoryOf(checkout), { tip: head, onto: base, identity });
	const merged = await mergeTrees(context.git, workspace.path, head, base);
	if (isRefusal(merged)) return merged;
	const message = `Merge ${workspace.base} into ${workspace.branch}\n`;
	return { commit: await commitTree(context.git, workspace.path, merged.tree, [head, base], message, identity) };
}

export async function updateResult(
	context: GitContext,
	checkout: Checkout,
	updated: boolean,
	text: string,
	snapshot: string | null = null,
): Promise<UpdateResult | Refusal> {
	const status = await branchStatus(context, checkout);
	return isRefusal(status) ? status : { branchStatus: status, updated, snapshot, text };
}

/** The result of a move with a sentence before its text. */
export const movedWith = (text: string, result: UpdateResult | Refusal): UpdateResult | Refusal =>
	isRefusal(result) ? result : { ...result, updated: true, text: `${text} ${result.text}` };
