// A workspace that begins as a copy of another agent's: commit, index and files. Between two worktrees the tree is copied;
// between repositories, or from an older state, a snapshot is used.
import type { ProjectSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { ForkRequest, ProjectRepository, Provisioned } from "#engine/ports/workspace-requests.ts";
import { sharesBlocks } from "../copy/blocks.ts";
import { forkTree } from "../copy/fork-tree.ts";
import { materialize } from "../copy/materialize.ts";
import { branchRef } from "../format/refs.ts";
import { commitOf } from "../run/user-input.ts";
import { type Built, forkSandboxed, forkStart, inProject, type Start, sandboxRefusal } from "../sandbox/make.ts";
import { fillTree, leftOut, readParts } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/snapshot.ts";
import type { StoredSnapshot as Taken } from "../snapshot/snapshots.ts";
import { onBranch } from "../tree/operation.ts";
import { openTree } from "../tree/tree.ts";
import { makeClone } from "../workspace/clone.ts";
import { fetchRef, type GitContext, repositoryOf } from "../workspace/git-context.ts";
import { fetchSnapshot, find, notHeld, requestFor } from "../workspace/keep.ts";
import { sandboxMarkAt, wantsSandbox } from "../workspace/sandbox-mounts.ts";

/** The commit that the child's branch begins at. */
export async function startOf(context: GitContext, request: ForkRequest): Promise<Begin | Refusal> {
	const { parent, snapshot, project } = request;
	const sandboxed = await wantsSandbox(context, project);
	if (typeof sandboxed !== "boolean") return sandboxed;
	const own = (await sandboxMarkAt(context, parent.project, parent.workspace.path)) !== null;
	if (sandboxed || own) {
		const refused = sandboxed ? sandboxRefusal(context, request) : null;
		const begin = refused ?? (await forkStart(context, request));
		return isRefusal(begin) ? begin : { start: begin.start, own: begin };
	}
	if (snapshot === undefined) return { start: await commitOf(context.git, parent.workspace.path, "HEAD") };
	const taken = await find(context, parent, snapshot);
	return isRefusal(taken) ? taken : { start: taken.manifest.head.commit };
}

export interface Begin {
	start: string | null;
	/** set if the parent or the child is in a sandbox */
	own?: Start;
}

/** Makes the tree that the mark describes. */
export async function fork(
	context: GitContext,
	request: ForkRequest,
	mark: WorkspaceMarker,
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
		const from = { folder: parent.workspace.path };
		const copied = { from, to, repository: project.path, copy: settings.copy, sharesBlocks: ignored };
		return (await forkTree(context.git, copied, signal)) ?? { missing: [], ignored };
	}
	const taken =
		request.snapshot === undefined
			? await takeSnapshot(context.git, requestFor(context, parent, "a fork"))
			: await find(context, parent, request.snapshot);
	if (isRefusal(taken)) return taken;
	if (mark.kind === "clone") return { missing: await intoClone(context, request, mark, taken), ignored: false };
	await fetchSnapshot(context, parent, taken.ref, project.path);
	return await intoWorktree(context, project, mark, taken);
}

/** From a sandbox into a tree without one: the project has the snapshot, and the parent's tree is not read. */
async function outOfSandbox(
	context: GitContext,
	request: ForkRequest,
	mark: WorkspaceMarker,
	{ snapshot }: Start,
): Promise<Built | Refusal> {
	const options = { operations: false };
	if (mark.kind !== "clone") return await intoWorktree(context, request.project, mark, snapshot, options);
	const parent = inProject(request.parent);
	return { missing: await intoClone(context, { ...request, parent }, mark, snapshot, options), ignored: false };
}

async function intoWorktree(
	{ git }: GitContext,
	project: ProjectRepository,
	{ path: folder, branch }: WorkspaceMarker,
	snapshot: Taken,
	options?: { operations: boolean },
): Promise<Built | Refusal> {
	const made = await materialize(git, snapshot, { folder, branch, repository: project.path }, options);
	return isRefusal(made) ? made : { missing: notHeld(made.left), ignored: false };
}

async function intoClone(
	context: GitContext,
	{ parent, project, agent }: ForkRequest,
	mark: WorkspaceMarker,
	taken: Taken,
	{ operations = true } = {},
): Promise<Provisioned["missing"]> {
	const { git } = context;
	await makeClone(context, project, agent, { ...mark, start: null });
	// the clone has only what branches reach; the snapshot brings the rest, HEAD's commit included
	await fetchRef(git, mark.path, repositoryOf(parent), `+${taken.ref}:${taken.ref}`);
	if (mark.start !== null) await git(mark.path, ["update-ref", branchRef(mark.branch), mark.start]);
	const parts = await readParts(git, mark.path, taken);
	const operation = operations ? onBranch(parts.operation, branchRef(mark.branch)) : new Map<string, Buffer>();
	await fillTree(git, await openTree(mark.path), taken, { index: parts.index, operation });
	return notHeld(leftOut(taken));
}
