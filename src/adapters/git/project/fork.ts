// A workspace that begins as another agent's is: with its commit, its index and its files. From worktree to worktree
// the tree is copied; where repositories differ, or an older state is asked for, a snapshot is the vehicle.

import type { ProjectSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { ForkRequest, Provisioned } from "#engine/ports/workspace-requests.ts";
import { sharesBlocks } from "../copy/blocks.ts";
import { forkTree } from "../copy/fork-tree.ts";
import { materialize } from "../copy/materialize.ts";
import { branchRef } from "../format/refs.ts";
import { commitOf } from "../run/user-input.ts";
import { type Built, forkSandboxed, forkStart, type Start, sandboxRefusal } from "../sandbox/make.ts";
import { leftOut, putBackRest, readParts, refresh, writeFiles } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/snapshot.ts";
import type { Snapshot as Taken } from "../snapshot/snapshots.ts";
import { onBranch } from "../tree/operation.ts";
import { openTree } from "../tree/tree.ts";
import { makeClone } from "../workspace/clone.ts";
import { type GitContext, repositoryOf } from "../workspace/git-context.ts";
import { fetchSnapshot, find, nameOf, requestFor } from "../workspace/keep.ts";
import { sandboxMarkAt, wantsSandbox } from "../workspace/sandbox-mounts.ts";

/** The commit that the child's branch begins at. */
export async function startOf(context: GitContext, request: ForkRequest): Promise<Begin | Refusal> {
	const { parent, snapshot, project } = request;
	const sandboxed = await wantsSandbox(context, project);
	if (typeof sandboxed !== "boolean") return sandboxed;
	const own = (await sandboxMarkAt(context, parent.project, parent.workspace.path)) !== null;
	if (sandboxed || own) {
		const notInSnapshot = sandboxed ? sandboxRefusal(context, request) : null;
		const begin = notInSnapshot ?? (await forkStart(context, request));
		return isRefusal(begin) ? begin : { start: begin.start, own: begin, into: sandboxed };
	}
	if (snapshot === undefined) return { start: await commitOf(context.git, parent.workspace.path, "HEAD") };
	const taken = await find(context, parent, snapshot);
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
	context: GitContext,
	request: ForkRequest,
	mark: WorkspaceMark,
	settings: ProjectSettings,
	begin: Begin,
	signal?: AbortSignal,
): Promise<Built | Refusal> {
	const { parent, project } = request;
	const to = { folder: mark.path, branch: mark.branch };
	if (begin.own !== undefined && mark.own === true)
		return await forkSandboxed(context, request, mark, settings, begin.own, signal);
	if (begin.own !== undefined) return await outOfSandbox(context, request, mark, begin.own);
	if (request.snapshot === undefined && mark.kind === "worktree" && parent.workspace.kind !== "clone") {
		const ignored = await sharesBlocks(parent.workspace.path, mark.path);
		const request = {
			from: { folder: parent.workspace.path },
			to,
			repository: project.path,
			copy: settings.copy,
			sharesBlocks: ignored,
		};
		return (await forkTree(context.git, request, signal)) ?? { missing: [], ignored };
	}
	const taken =
		request.snapshot === undefined
			? await takeSnapshot(context.git, requestFor(context, parent, "a fork"))
			: await find(context, parent, request.snapshot);
	if (isRefusal(taken)) return taken;
	if (mark.kind === "clone") return { missing: await intoClone(context, request, mark, taken), ignored: false };
	await fetchSnapshot(context, parent, taken.ref, project.path);
	const made = await materialize(context.git, taken, { ...to, repository: project.path });
	return isRefusal(made) ? made : { missing: missing(made.left), ignored: false };
}

/**
 * From a sandbox into a tree without one: the project has the snapshot, and nothing of the parent's tree is touched.
 */
async function outOfSandbox(
	context: GitContext,
	request: ForkRequest,
	mark: WorkspaceMark,
	{ snapshot }: Start,
): Promise<Built | Refusal> {
	const { project } = request;
	const home = {
		...request,
		parent: { ...request.parent, workspace: { ...request.parent.workspace, kind: "worktree" as const } },
	};
	if (mark.kind === "clone")
		return { missing: await intoClone(context, home, mark, snapshot, { operations: false }), ignored: false };
	const made = await materialize(
		context.git,
		snapshot,
		{ folder: mark.path, branch: mark.branch, repository: project.path },
		{ operations: false },
	);
	return isRefusal(made) ? made : { missing: missing(made.left), ignored: false };
}

async function intoClone(
	context: GitContext,
	{ parent, project, agent }: ForkRequest,
	mark: WorkspaceMark,
	taken: Taken,
	{ operations = true } = {},
): Promise<Provisioned["missing"]> {
	const { git } = context;
	await makeClone(context, project, agent, { ...mark, start: null });
	// the clone has only what branches lead to; the snapshot brings the rest, HEAD's commit included
	await git(mark.path, [
		"fetch",
		"--quiet",
		"--no-tags",
		"--no-write-fetch-head",
		"--",
		repositoryOf(parent),
		`+${taken.ref}:${taken.ref}`,
	]);
	if (mark.start !== null) await git(mark.path, ["update-ref", branchRef(mark.branch), mark.start]);
	const tree = await openTree(mark.path);
	await writeFiles(git, tree, taken.tree);
	const { index, operation } = await readParts(git, mark.path, taken);
	await putBackRest(
		tree,
		taken,
		{ index, operation: operations ? onBranch(operation, branchRef(mark.branch)) : new Map() },
		null,
	);
	await refresh(git, tree);
	return missing(leftOut(taken));
}

const missing = (left: readonly Parameters<typeof nameOf>[0][]): Provisioned["missing"] =>
	left.map((name) => ({ path: nameOf(name), reason: "not in the snapshot" }));
