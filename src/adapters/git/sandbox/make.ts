// Makes a workspace with its own git folder, and discards one that was never used.
import type { RepositorySettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type {
	Checkout,
	ForkRequest,
	ProjectRepository,
	Provisioned,
	ProvisionRequest,
} from "#engine/ports/workspace-requests.ts";
import { sharesBlocks } from "../copy/blocks.ts";
import { dropMarker, workspaceOf } from "../layout/marker.ts";
import { readParts } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/snapshot.ts";
import type { StoredSnapshot } from "../snapshot/snapshots.ts";
import { operationBranch } from "../tree/operation.ts";
import { steps } from "../worker/steps.ts";
import { discard } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { makeInert } from "../workspace/inert.ts";
import { fetchSnapshot, find, requestFor } from "../workspace/keep.ts";
import { sandboxMarkerAt } from "../workspace/sandbox-mounts.ts";
import { checkOutOwn, makeOwnRepository } from "./own-repository.ts";
import { snapshotSandboxed } from "./snapshot.ts";
import { borrow, clientFor, recordTip, type SandboxedCheckout, workersOf } from "./worker-client.ts";

export interface Built {
	/** files that were not copied */
	missing: Provisioned["missing"];
	/** ignored files were copied */
	copiedIgnored: boolean;
}

/** Null if a sandboxed workspace can be made here. */
export function sandboxRefusal(
	context: GitContext,
	{ kind, project }: Pick<ProvisionRequest, "kind" | "project">,
): Refusal | null {
	if (kind === "main")
		return refuse(
			"VALIDATION_ERROR",
			`${project.slug} wants a sandbox (sandbox: on), which cannot hold the repository itself. Use a worktree or a clone.`,
		);
	const workers = workersOf(context);
	return isRefusal(workers) ? workers : null;
}

/** The git folder and the files of the start commit, before any agent has access. */
export async function makeSandboxedTree(
	context: GitContext,
	project: ProjectRepository,
	agent: Checkout["agent"],
	marker: WorkspaceMarker,
): Promise<void> {
	const gitFolder = await makeRepository(context, project, agent, marker);
	await checkOutOwn(context.git, marker.path, gitFolder, marker.start);
}

async function makeRepository(
	{ git, layout }: GitContext,
	project: ProjectRepository,
	agent: Checkout["agent"],
	{ path: folder, branch, base, start }: WorkspaceMarker,
): Promise<string> {
	const gitFolder = layout.ownGit(project.slug, folder);
	await makeInert(folder);
	await makeOwnRepository(git, { project, agent, gitFolder, branch, base, start });
	return gitFolder;
}

/** Makes the branch known to the project, and keeps the objects that it borrows. */
export async function registerBranch(context: GitContext, checkout: Checkout, start: string | null): Promise<void> {
	if (start !== null) await recordTip(context, checkout, null, start);
	await borrow(context, checkout, { base: start });
}

export async function discardSandboxed(
	context: GitContext,
	project: ProjectRepository,
	marker: Pick<WorkspaceMarker, "path">,
): Promise<void> {
	await context.workers?.leave(marker.path);
	await discard(context, marker.path);
	await discard(context, context.layout.ownGit(project.slug, marker.path));
	await dropMarker(context.layout.ownMarker(project.slug, marker.path));
}

/** The snapshot that a fork starts from, in the project's repository. */
export async function forkStart(
	context: GitContext,
	{ parent, snapshot: id, project }: ForkRequest,
): Promise<ForkStart | Refusal> {
	const marker = await sandboxMarkerAt(context, parent.project, parent.workspace.path);
	const sandboxed = marker === null ? null : { ...parent, marker };
	const snapshot = await parentSnapshot(context, parent, sandboxed, id);
	if (isRefusal(snapshot)) return snapshot;
	if (sandboxed === null) await fetchSnapshot(context, parent, snapshot.ref, project.path);
	return { snapshot, start: await branchStart(context, project, snapshot), from: id === undefined ? sandboxed : null };
}

async function parentSnapshot(
	context: GitContext,
	parent: Checkout,
	sandboxed: SandboxedCheckout | null,
	id: string | undefined,
): Promise<StoredSnapshot | Refusal> {
	if (id !== undefined) return await find(context, sandboxed === null ? parent : asKeptInProject(parent), id);
	if (sandboxed === null) return await takeSnapshot(context.git, requestFor(context, parent, "a fork"));
	const taken = await snapshotSandboxed(context, sandboxed, "a fork");
	return isRefusal(taken) ? taken : taken.snapshot;
}

export interface ForkStart {
	snapshot: StoredSnapshot;
	start: string | null;
	/** the parent, if its files can be copied as they are */
	from: SandboxedCheckout | null;
}

/** During a rebase the child's branch starts where the parent's was before it. */
async function branchStart(
	{ git }: GitContext,
	project: ProjectRepository,
	snapshot: StoredSnapshot,
): Promise<string | null> {
	const { head } = snapshot.manifest;
	if (head.branch !== null) return head.commit;
	const { operation } = await readParts(git, project.path, snapshot);
	return operationBranch(operation)?.commit ?? head.commit;
}

/** The snapshots of a sandboxed agent are in the project's repository, as a worktree's are. */
export const asKeptInProject = <T extends Checkout>(checkout: T): Checkout => ({
	...checkout,
	workspace: { ...checkout.workspace, kind: "worktree" },
});

/** Fills the child's tree inside its own sandbox, which mounts the parent's tree read-only. */
export async function forkSandboxed(
	context: GitContext,
	{ project, agent }: ForkRequest,
	marker: WorkspaceMarker,
	settings: RepositorySettings,
	{ from, snapshot: { commit } }: ForkStart,
	signal?: AbortSignal,
): Promise<Built | Refusal> {
	const checkout: SandboxedCheckout = { project, agent, workspace: workspaceOf(marker), marker };
	await makeRepository(context, project, agent, marker);
	// before anything in the repository depends on it
	await borrow(context, checkout, { start: commit });
	const client = await clientFor(context, checkout, settings);
	if (isRefusal(client)) return client;
	if (from === null) {
		const filled = await client.ask(steps.fill, { commit }, { signal });
		return isRefusal(filled) ? filled : { ...filled, copiedIgnored: false };
	}
	const everything = await sharesBlocks(from.workspace.path, marker.path);
	const input = { from: from.workspace.path, everything };
	const copied = await client.ask(steps.copy, input, { signal, alsoReadable: from.marker });
	// that sandbox had the parent's files mounted
	await context.workers?.leave(marker.path);
	return isRefusal(copied) ? copied : { ...copied, copiedIgnored: everything };
}

/** Makes links and copies of what the project shares, inside the sandbox. */
export async function shareSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	settings: RepositorySettings,
): Promise<Provisioned["shared"] | Refusal> {
	// most projects share nothing, and need no sandbox for it
	if (settings.shared.length === 0 && settings.copy.length === 0) return [];
	const client = await clientFor(context, checkout);
	return isRefusal(client) ? client : await client.ask(steps.share, {});
}
