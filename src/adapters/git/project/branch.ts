// Branches that belong to a piece of work and not to one agent.
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { CommandRun } from "#contract/workspace.ts";
import type { Checkout, ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { commitOf } from "../run/user-input.ts";
import { worktreeOfBranch, worktreesOf } from "../run/worktrees.ts";
import { goToBranchAndUpdate } from "../verbs/go-to-branch.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { projectSettings } from "../workspace/settings.ts";
import { runInCheckTree } from "./check-tree.ts";

/**
 * Takes a branch that only the remote has from there, and moves one that is behind the remote's forward. A new branch
 * begins at base.
 */
export async function switchBranch(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
): Promise<UpdateResult | Refusal> {
	const { git } = context;
	const { path, branch } = checkout.workspace;
	const local = `refs/heads/${branch}`;
	const [ours, theirs] = [await commitOf(git, path, local), await commitOf(git, path, `refs/remotes/origin/${branch}`)];
	const behind = theirs !== null && ours !== theirs && (ours === null || (await isAncestor(git, path, ours, theirs)));
	await detachOthers(context, checkout);
	const inUse = ours !== null && behind && (await worktreeOfBranch(git, checkout.project.path, local)) !== undefined;
	// unless somebody made or moved it meanwhile
	if (behind && !inUse)
		await git(path, ["update-ref", local, theirs, ours ?? "0".repeat(theirs.length)], { answers: [1, 128] });
	return await goToBranchAndUpdate(context, checkout, control);
}

/**
 * Detaches HEAD of other agents' trees that still have the branch checked out; their files do not change. In a person's
 * tree nothing changes: there git refuses, and says where the branch is checked out.
 */
async function detachOthers({ git, layout }: GitContext, { project, workspace }: Checkout): Promise<void> {
	const agents = (await realpath(layout.agents(project.slug)).catch(() => layout.agents(project.slug))) + sep;
	const mine = await realpath(workspace.path).catch(() => workspace.path);
	for (const other of await worktreesOf(git, project.path)) {
		const inTheWay =
			other.branch === `refs/heads/${workspace.branch}` &&
			!other.prunable &&
			other.path !== mine &&
			other.path.startsWith(agents);
		if (inTheWay) await git(other.path, ["checkout", "--quiet", "--detach"], { answers: [1, 128] });
	}
}

export async function runAtCommit(
	context: GitContext,
	project: ProjectRepository,
	{ commit, command }: { commit: string; command: string },
	control: StepControl,
): Promise<CommandRun | Refusal> {
	const effective = await projectSettings(context, project, control.approved);
	if (isRefusal(effective)) return effective;
	return await runInCheckTree(context, command, { project, commit, settings: effective.settings }, control);
}
