// Removes a workspace. Without `force` it must be clean and merged; a snapshot is always taken.
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { Checkout, Removed, RemoveRequest } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { isOurs } from "../layout/marker.ts";
import { commitOf } from "../run/user-input.ts";
import { worktreeAt, worktreesOf } from "../run/worktrees.ts";
import { deleteBranch } from "../snapshot/destroy.ts";
import { fetchTip, type GitContext } from "../workspace/git-context.ts";
import { moveToTrash } from "../workspace/keep.ts";
import { runProjectCommand } from "../workspace/project-command.ts";
import { sandboxMarkerAt, wantsSandbox } from "../workspace/sandbox-mounts.ts";
import { projectSettings } from "../workspace/settings.ts";
import { dirtyRefusal, markerAt, readStatus } from "../workspace/tree-status.ts";
import { isMerged, readOrRefuse } from "./branch-status.ts";
import { mergeTrees, treeOfCommit } from "./merge.ts";

export async function removeWorkspace(
	context: GitContext,
	checkout: Checkout,
	request: RemoveRequest,
): Promise<Removed | Refusal> {
	const { git } = context;
	const { project, workspace } = checkout;
	if (workspace.kind === "main")
		return refuse("CONFLICT", `${project.path} is the repository itself and is never removed.`, {
			details: { path: project.path },
		});
	const there = await exists(workspace.path);
	// only a folder with this agent's marker is moved
	if (there && !isOurs(await markerAt(workspace.path), checkout)) return inTheWay(workspace.path);
	const locked = (await worktreeAt(git, project.path, workspace.path))?.locked ?? null;
	if (locked !== null)
		return refuse(
			"CONFLICT",
			`The worktree ${workspace.path} is locked${locked === "" ? "" : `: ${locked}`}. Unlock it first.`,
			{
				details: { path: workspace.path },
				suggestions: [`git -C ${shellWord(project.path)} worktree unlock ${shellWord(workspace.path)}`],
			},
		);
	const tip = there || workspace.kind === "worktree" ? await fetchTip(context, checkout) : null;
	if (request.force !== true) {
		const dirty = there
			? await readOrRefuse(checkout, async () =>
					dirtyRefusal(await readStatus(git, workspace.path), { folder: workspace.path, checkout }),
				)
			: null;
		if (dirty !== null) return dirty;
		if (tip !== null && !(await isSafe(context, checkout, tip, request.merged ?? []))) return notMerged(checkout, tip);
	}
	const teardown = there ? await tearDown(context, checkout, request) : null;
	const trashed = await moveToTrash(context, checkout);
	if (isRefusal(trashed)) return trashed;
	const branchRemoved =
		request.deleteBranch === true &&
		tip !== null &&
		workspace.kind === "worktree" &&
		(await removeBranch(context, checkout, tip));
	return { ...trashed, branchRemoved, teardown };
}

/** Whether the tip is merged, or merging it would not change base. */
export async function isSafe(
	context: GitContext,
	checkout: Checkout,
	tip: string,
	merged: readonly string[],
): Promise<boolean> {
	if (merged.includes(tip) || (await isMerged(context, checkout, tip))) return true;
	const { git } = context;
	const base = await commitOf(git, checkout.project.path, `refs/heads/${checkout.workspace.base}`);
	if (base === null) return false;
	const result = await mergeTrees(git, checkout.project.path, base, tip);
	return !isRefusal(result) && result.tree === (await treeOfCommit(git, checkout.project.path, base));
}

export function notMerged(checkout: Checkout, tip: string): Refusal {
	const { branch, base } = checkout.workspace;
	const whose = checkoutName(checkout);
	return refuse("CONFLICT", `${branch} has work that ${base} lacks.`, {
		details: { tip, branch, base },
		suggestions: [`brood agent diff ${whose}`, `brood agent approve ${whose}`],
	});
}

export async function tearDown(
	context: GitContext,
	checkout: Checkout,
	request: RemoveRequest,
): Promise<Removed["teardown"]> {
	const { project, agent, workspace } = checkout;
	const effective = await projectSettings(context, project, request.approved);
	if (isRefusal(effective) || effective.settings.teardown === null) return null;
	const { teardown: command, env } = effective.settings;
	// a sandboxed command must not write into a tree that the daemon reads afterwards
	const sandboxed = await wantsSandbox(context, project);
	if (sandboxed !== false && (await sandboxMarkerAt(context, project, workspace.path)) === null) {
		const output = "It was not run: the workspace was made before the project asked for a sandbox.";
		return { command, exit: null, output };
	}
	return await runProjectCommand(context, command, { project, folder: workspace.path, env, agent }, request);
}

/** Deletes the branch if it is still at `tip` and not checked out. Its commits stay under a ref of ours. */
export async function removeBranch(
	{ git }: GitContext,
	{ project, workspace }: Checkout,
	tip: string,
): Promise<boolean> {
	const ref = `refs/heads/${workspace.branch}`;
	if ((await worktreesOf(git, project.path)).some((worktree) => worktree.branch === ref)) return false;
	await deleteBranch(git, project.path, workspace.branch, tip);
	return true;
}
