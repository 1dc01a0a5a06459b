// A workspace that begins as a copy of another agent's: commit, index and files. Between two worktrees the tree is
// copied; between repositories, or from an older state, a snapshot is used.
import type { RepositorySettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { ForkRequest, ProjectRepository, Provisioned } from "#engine/ports/workspace-requests.ts";
import { sharesBlocks } from "../copy/blocks.ts";
import { copyWorktree } from "../copy/copy-worktree.ts";
import { materialize } from "../copy/materialize.ts";
import { branchRef } from "../format/refs.ts";
import { commitOf } from "../run/user-input.ts";
import {
	asKeptInProject,
	type Built,
	type ForkStart,
	forkSandboxed,
	forkStart,
	sandboxRefusal,
} from "../sandbox/make.ts";
import { fillTree, missingFrom, readParts } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/snapshot.ts";
import type { StoredSnapshot } from "../snapshot/snapshots.ts";
import { onBranch } from "../tree/operation.ts";
import { openTree } from "../tree/tree.ts";
import { makeClone } from "../workspace/clone.ts";
import { fetchRef, type GitContext, repositoryOf } from "../workspace/git-context.ts";
import { fetchSnapshot, find, notHeld, requestFor } from "../workspace/keep.ts";
import { sandboxMarkerAt, wantsSandbox } from "../workspace/sandbox-mounts.ts";

/** The commit that the child's branch begins at. */
export async function startOf(context: GitContext, request: ForkRequest): Promise<Begin | Refusal> {
	const { parent, snapshot, project, agent, forkedAt } = request;
	const isMove = parent.agent.id === agent.id;
	const known = {
		isMove,
		...(!isMove && forkedAt !== undefined && { from: { agent: parent.agent.id, snapshot: forkedAt } }),
	};
	const sandboxed = await wantsSandbox(context, project);
	if (typeof sandboxed !== "boolean") return sandboxed;
	const isParentSandboxed = (await sandboxMarkerAt(context, parent.project, parent.workspace.path)) !== null;
	if (sandboxed || isParentSandboxed) {
		const refused = sandboxed ? sandboxRefusal(context, request) : null;
		const begin = refused ?? (await forkStart(context, request));
		return isRefusal(begin) ? begin : { start: begin.start, ...known, inSandbox: begin };
	}
	if (snapshot === undefined) return { start: await commitOf(context.git, parent.workspace.path, "HEAD"), ...known };
	const taken = await find(context, parent, snapshot);
	return isRefusal(taken) ? taken : { start: taken.manifest.head.commit, ...known };
}

export interface Begin {
	start: string | null;
	/** the agent itself comes from another node */
	isMove: boolean;
	from?: WorkspaceMarker["forkedFrom"];
	/** set if the parent or the child is in a sandbox */
	inSandbox?: ForkStart;
}

/** Makes the tree that the marker describes. */
export async function fork(
	context: GitContext,
	request: ForkRequest,
	marker: WorkspaceMarker,
	settings: RepositorySettings,
	begin: Begin,
	signal?: AbortSignal,
): Promise<Built | Refusal> {
	const { parent, project } = request;
	const to = { folder: marker.path, branch: marker.branch };
	if (begin.inSandbox !== undefined && marker.own === true)
		return await forkSandboxed(context, request, marker, settings, begin.inSandbox, signal);
	if (begin.inSandbox !== undefined) return await outOfSandbox(context, request, marker, begin.inSandbox);
	if (request.snapshot === undefined && marker.kind === "worktree" && parent.workspace.kind !== "clone") {
		const copiedIgnored = await sharesBlocks(parent.workspace.path, marker.path);
		const from = { folder: parent.workspace.path };
		const copied = { from, to, repository: project.path, copy: settings.copy, sharesBlocks: copiedIgnored };
		return (await copyWorktree(context.git, copied, signal)) ?? { missing: [], copiedIgnored };
	}
	const taken =
		request.snapshot === undefined
			? await takeSnapshot(context.git, requestFor(context, parent, "a fork"))
			: await find(context, parent, request.snapshot);
	if (isRefusal(taken)) return taken;
	if (marker.kind === "clone")
		return { missing: await intoClone(context, request, marker, taken), copiedIgnored: false };
	await fetchSnapshot(context, parent, taken.ref, project.path);
	return await intoWorktree(context, project, marker, taken);
}

/** From a sandbox into a tree without one: the project has the snapshot, and the parent's tree is not read. */
async function outOfSandbox(
	context: GitContext,
	request: ForkRequest,
	marker: WorkspaceMarker,
	{ snapshot }: ForkStart,
): Promise<Built | Refusal> {
	const options = { operations: false };
	if (marker.kind !== "clone") return await intoWorktree(context, request.project, marker, snapshot, options);
	const parent = asKeptInProject(request.parent);
	return { missing: await intoClone(context, { ...request, parent }, marker, snapshot, options), copiedIgnored: false };
}

async function intoWorktree(
	{ git }: GitContext,
	project: ProjectRepository,
	{ path: folder, branch }: WorkspaceMarker,
	snapshot: StoredSnapshot,
	options?: { operations: boolean },
): Promise<Built | Refusal> {
	const made = await materialize(git, snapshot, { folder, branch, repository: project.path }, options);
	return isRefusal(made) ? made : { missing: notHeld(made.missing), copiedIgnored: false };
}

async function intoClone(
	context: GitContext,
	{ parent, project, agent }: ForkRequest,
	marker: WorkspaceMarker,
	taken: StoredSnapshot,
	{ operations = true } = {},
): Promise<Provisioned["missing"]> {
	const { git } = context;
	await makeClone(context, project, agent, { ...marker, start: null });
	// the clone has only what branches reach; the snapshot brings the rest, HEAD's commit included
	await fetchRef(git, marker.path, repositoryOf(parent), `+${taken.ref}:${taken.ref}`);
	if (marker.start !== null) await git(marker.path, ["update-ref", branchRef(marker.branch), marker.start]);
	const parts = await readParts(git, marker.path, taken);
	const operation = operations ? onBranch(parts.operation, branchRef(marker.branch)) : new Map<string, Buffer>();
	await fillTree(git, await openTree(marker.path), taken, { index: parts.index, operation });
	return notHeld(missingFrom(taken));
}
