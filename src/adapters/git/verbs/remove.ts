// Removing a workspace: only what is clean and merged, unless somebody insists; and never without a way back.
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Removed, RemoveWish, Stay } from "#engine/workspaces.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { isOurs } from "../layout/mark.ts";
import { commitOf } from "../run/given.ts";
import { worktreeAt, worktreesOf } from "../run/worktrees.ts";
import { deleteBranch } from "../snapshot/destroy.ts";
import { runCommand } from "../workspace/command.ts";
import { commandEnvironment, type Ground, tipOf } from "../workspace/ground.ts";
import { bin } from "../workspace/keep.ts";
import { dirtyRefusal, lookAt, markAt } from "../workspace/look.ts";
import { ownAt, wantsRoom } from "../workspace/room.ts";
import { settingsOf } from "../workspace/settings.ts";
import { mergeTrees, treeOfCommit } from "./merge.ts";
import { isMerged, readable } from "./standing.ts";

export async function removeWorkspace(ground: Ground, stay: Stay, wish: RemoveWish): Promise<Removed | Refusal> {
	const { git } = ground;
	const { project, workspace } = stay;
	if (workspace.kind === "main") return refuse("CONFLICT", `${project.path} is the project itself and is never removed.`, { details: { path: project.path } });
	const there = await exists(workspace.path);
	// a folder is only moved if its mark says that it is this agent's
	if (there && !isOurs(await markAt(workspace.path), stay)) return inTheWay(workspace.path);
	const locked = (await worktreeAt(git, project.path, workspace.path))?.locked ?? null;
	if (locked !== null)
		return refuse("CONFLICT", `Somebody has locked ${workspace.path}${locked === "" ? "" : `: ${locked}`}.`, { details: { path: workspace.path } });
	const tip = there || workspace.kind === "worktree" ? await tipOf(ground, stay) : null;
	if (wish.force !== true) {
		const dirty = there ? await readable(stay, async () => dirtyRefusal(await lookAt(git, workspace.path), { folder: workspace.path, stay })) : null;
		if (dirty !== null) return dirty;
		if (tip !== null && !(await isSafe(ground, stay, tip, wish.merged ?? []))) return notMerged(stay, tip);
	}
	const teardown = there ? await tearDown(ground, stay, wish) : null;
	const binned = await bin(ground, stay);
	if (isRefusal(binned)) return binned;
	const branchRemoved = wish.branch === true && tip !== null && workspace.kind === "worktree" && (await removeBranch(ground, stay, tip));
	return { ...binned, branchRemoved, teardown };
}

/** Merged by ancestry, by a merge that was recorded, or because base would not change if it were merged. */
export async function isSafe(ground: Ground, stay: Stay, tip: string, merged: readonly string[]): Promise<boolean> {
	if (merged.includes(tip) || (await isMerged(ground, stay, tip))) return true;
	const { git } = ground;
	const base = await commitOf(git, stay.project.path, `refs/heads/${stay.workspace.base}`);
	if (base === null) return false;
	const result = await mergeTrees(git, stay.project.path, base, tip);
	return !isRefusal(result) && result.tree === (await treeOfCommit(git, stay.project.path, base));
}

export function notMerged({ project, agent, workspace }: Stay, tip: string): Refusal {
	const whose = `${project.slug}/${agent.handle}`;
	return refuse("CONFLICT", `${workspace.branch} has work that ${workspace.base} lacks.`, {
		details: { tip, branch: workspace.branch, base: workspace.base },
		suggestions: [`brood agent diff ${whose}`, `brood agent approve ${whose}`],
	});
}

export async function tearDown(ground: Ground, stay: Stay, wish: RemoveWish): Promise<Removed["teardown"]> {
	const force = await settingsOf(ground, stay.project, wish.approved);
	if (isRefusal(force) || force.settings.teardown === null) return null;
	// a command that is locked in must not leave anything in a tree that is looked at from outside afterwards
	const locked = await wantsRoom(ground, stay.project);
	if (locked !== false && (await ownAt(ground, stay.project, stay.workspace.path)) === null)
		return { command: force.settings.teardown, exit: null, output: "It was not run: the workspace was made before the project asked for a sandbox." };
	const where = { project: stay.project, folder: stay.workspace.path, environment: commandEnvironment(ground, stay.agent, wish) };
	return await runCommand(ground, force.settings.teardown, where, wish);
}

/** Only as it was looked at, and only if nobody has it checked out. Its commits stay under a ref of ours. */
export async function removeBranch({ git }: Ground, { project, workspace }: Stay, tip: string): Promise<boolean> {
	const ref = `refs/heads/${workspace.branch}`;
	if ((await worktreesOf(git, project.path)).some((worktree) => worktree.branch === ref)) return false;
	await deleteBranch(git, project.path, workspace.branch, tip);
	return true;
}
