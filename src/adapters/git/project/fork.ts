// A workspace that begins as another agent's is: with its commit, its index and its files. From worktree to worktree the tree is
// copied; where repositories differ, or an older state is asked for, a snapshot is the vehicle.

import type { ProjectSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { ForkWish, Provisioned } from "#engine/workspaces.ts";
import { sharesBlocks } from "../copy/blocks.ts";
import { forkTree } from "../copy/fork-tree.ts";
import { materialize } from "../copy/materialize.ts";
import { branchRef } from "../format/refs.ts";
import { commitOf } from "../run/given.ts";
import { type Built, cannotHold, forkOwn, ownStart, type Start } from "../sandbox/make.ts";
import { leftOut, putBackRest, readParts, refresh, writeFiles } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/snapshot.ts";
import type { Snapshot as Taken } from "../snapshot/snapshots.ts";
import { onBranch } from "../tree/operation.ts";
import { openTree } from "../tree/tree.ts";
import { makeClone } from "../workspace/clone.ts";
import { type Ground, repositoryOf } from "../workspace/ground.ts";
import { bringSnapshot, find, nameOf, requestFor } from "../workspace/keep.ts";
import { ownAt, wantsRoom } from "../workspace/room.ts";

/** The commit that the child's branch begins at. */
export async function startOf(ground: Ground, wish: ForkWish): Promise<Begin | Refusal> {
	const { parent, snapshot, project } = wish;
	const sandboxed = await wantsRoom(ground, project);
	if (typeof sandboxed !== "boolean") return sandboxed;
	const own = (await ownAt(ground, parent.project, parent.workspace.path)) !== null;
	if (sandboxed || own) {
		const unheld = sandboxed ? cannotHold(ground, wish) : null;
		const begin = unheld ?? (await ownStart(ground, wish));
		return isRefusal(begin) ? begin : { start: begin.start, own: begin, into: sandboxed };
	}
	if (snapshot === undefined) return { start: await commitOf(ground.git, parent.workspace.path, "HEAD") };
	const taken = await find(ground, parent, snapshot);
	return isRefusal(taken) ? taken : { start: taken.manifest.head.commit };
}

export interface Begin {
	start: string | null;
	/** the parent, the child or both are in a sandbox */
	own?: Start;
	/** the child is */
	into?: boolean;
}

/** Makes the tree that the mark describes. */
export async function fork(
	ground: Ground,
	wish: ForkWish,
	mark: WorkspaceMark,
	settings: ProjectSettings,
	begin: Begin,
	signal?: AbortSignal,
): Promise<Built | Refusal> {
	const { parent, project } = wish;
	const to = { folder: mark.path, branch: mark.branch };
	if (begin.own !== undefined && mark.own === true) return await forkOwn(ground, wish, mark, settings, begin.own, signal);
	if (begin.own !== undefined) return await outOfRoom(ground, wish, mark, begin.own);
	if (wish.snapshot === undefined && mark.kind === "worktree" && parent.workspace.kind !== "clone") {
		const ignored = await sharesBlocks(parent.workspace.path, mark.path);
		const request = { from: { folder: parent.workspace.path }, to, repository: project.path, copy: settings.copy, sharesBlocks: ignored };
		return (await forkTree(ground.git, request, signal)) ?? { missing: [], ignored };
	}
	const taken = wish.snapshot === undefined ? await takeSnapshot(ground.git, requestFor(ground, parent, "a fork")) : await find(ground, parent, wish.snapshot);
	if (isRefusal(taken)) return taken;
	if (mark.kind === "clone") return { missing: await intoClone(ground, wish, mark, taken), ignored: false };
	await bringSnapshot(ground, parent, taken.ref, project.path);
	const made = await materialize(ground.git, taken, { ...to, repository: project.path });
	return isRefusal(made) ? made : { missing: missing(made.left), ignored: false };
}

/** From a sandbox into a tree without one: the project has the snapshot, and nothing of the parent's tree is touched. */
async function outOfRoom(ground: Ground, wish: ForkWish, mark: WorkspaceMark, { snapshot }: Start): Promise<Built | Refusal> {
	const { project } = wish;
	const home = { ...wish, parent: { ...wish.parent, workspace: { ...wish.parent.workspace, kind: "worktree" as const } } };
	if (mark.kind === "clone") return { missing: await intoClone(ground, home, mark, snapshot, { operations: false }), ignored: false };
	const made = await materialize(ground.git, snapshot, { folder: mark.path, branch: mark.branch, repository: project.path }, { operations: false });
	return isRefusal(made) ? made : { missing: missing(made.left), ignored: false };
}

async function intoClone(
	ground: Ground,
	{ parent, project, agent }: ForkWish,
	mark: WorkspaceMark,
	taken: Taken,
	{ operations = true } = {},
): Promise<Provisioned["missing"]> {
	const { git } = ground;
	await makeClone(ground, project, agent, { ...mark, start: null });
	// the clone has only what branches lead to; the snapshot brings the rest, HEAD's commit included
	await git(mark.path, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", repositoryOf(parent), `+${taken.ref}:${taken.ref}`]);
	if (mark.start !== null) await git(mark.path, ["update-ref", branchRef(mark.branch), mark.start]);
	const tree = await openTree(mark.path);
	await writeFiles(git, tree, taken.tree);
	const { index, operation } = await readParts(git, mark.path, taken);
	await putBackRest(tree, taken, { index, operation: operations ? onBranch(operation, branchRef(mark.branch)) : new Map() }, null);
	await refresh(git, tree);
	return missing(leftOut(taken));
}

const missing = (left: readonly Parameters<typeof nameOf>[0][]): Provisioned["missing"] =>
	left.map((name) => ({ path: nameOf(name), reason: "not in the snapshot" }));
