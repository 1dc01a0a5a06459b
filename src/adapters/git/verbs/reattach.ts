// Attaches the folder of a worktree to its repository again: its `.git` is missing, or names nothing of ours, or
// somebody ran `git worktree prune` while the disk was away. No file of the folder changes but `.git`.
//
// Only a folder with the agent's files is taken for its workspace: one that has a repository of its own, or less than
// half of the tracked files, is somebody else's.
import type { Stats } from "node:fs";
import { lstat, rename, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { isOurs, markerIn, readMarker, writeMarker } from "../layout/marker.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf } from "../run/user-input.ts";
import { registeredFor } from "../run/worktrees.ts";
import { discardWorktree } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { gitFolderOf } from "../workspace/tree-status.ts";
import { hasFilesOf, hasItsFiles } from "./repair-git-folder.ts";

export async function reattach(context: GitContext, checkout: Checkout): Promise<void> {
	const { git, clock } = context;
	const { project, workspace } = checkout;
	const pointer = path.join(workspace.path, ".git");
	const found = await lstat(pointer).catch(nullIfMissing);
	if (workspace.kind !== "worktree" || (found?.isDirectory() && (await exists(path.join(pointer, "HEAD"))))) return;
	const registered = await registeredFor(git, project.path, workspace.path);
	if (registered === null) return found?.isFile() === false ? undefined : await attachAnew(context, checkout, pointer);
	const ours =
		isOurs(await readMarker(markerIn(registered)), checkout) && (await hasItsFiles(git, project.path, workspace.path));
	if (!ours) return;
	if (found?.isFile() === false) await putAside(pointer, found, `${pointer}-left-${clock.now()}`);
	else if (found !== null) {
		await writeFile(path.join(registered, `brood-left-pointer-${clock.now()}`), await readRegularText(pointer));
		await rm(pointer);
	}
	await repairLinks(context, checkout);
}

/**
 * What has content is renamed, and goes with what else the agent left in the tree. A FIFO or an empty folder has none.
 */
async function putAside(pointer: string, found: Stats, to: string): Promise<void> {
	if (found.isDirectory()) await rmdir(pointer).catch(async () => await rename(pointer, to));
	else if (found.isSymbolicLink()) await rename(pointer, to);
	else await rm(pointer);
}

/** The repository has forgotten it: makes an entry beside it, and moves that one's `.git` into the folder. */
async function attachAnew(context: GitContext, checkout: Checkout, pointer: string): Promise<void> {
	const { git, layout } = context;
	const { project, agent, workspace } = checkout;
	if (workspace.path !== layout.agent(project.slug, agent.handle)) return;
	const tip = await commitOf(git, project.path, `refs/heads/${workspace.branch}`);
	const start = tip ?? (await commitOf(git, project.path, `refs/heads/${workspace.base}`));
	if (start === null || !(await hasFilesOf(git, checkout, start))) return;
	const beside = path.join(layout.agents(project.slug), ".attach", path.basename(workspace.path));
	// of an earlier try
	await discardWorktree(context, project.path, beside);
	const branch = tip === null ? ["-b", workspace.branch, beside, start] : [beside, workspace.branch];
	await exclusively(project.path, async () => {
		await git(project.path, ["worktree", "add", "--quiet", "--no-checkout", ...branch]);
	});
	await git(beside, ["read-tree", "HEAD"]);
	const marker: WorkspaceMarker = { agent: agent.id, project: project.slug, ...workspace, start, ready: true };
	await writeMarker(markerIn(await gitFolderOf(beside)), marker);
	// from here on it is ours again, and the next recovery would finish it
	await rename(path.join(beside, ".git"), pointer);
	await repairLinks(context, checkout);
	await rmdir(beside);
	await rmdir(path.dirname(beside)).catch(() => null);
}

const repairLinks = async ({ git }: GitContext, { project, workspace }: Checkout): Promise<void> =>
	void (await git(project.path, ["worktree", "repair", workspace.path], { answers: [1, 128] }));
