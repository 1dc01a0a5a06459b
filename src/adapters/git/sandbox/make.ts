// Making a workspace with a git folder of its own, and taking one back that nobody has used.
import path from "node:path";
import type { ProjectSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type {
	Checkout,
	ForkRequest,
	ProjectRepository,
	Provisioned,
	ProvisionRequest,
} from "#engine/ports/workspace-requests.ts";
import { sharesBlocks } from "../copy/blocks.ts";
import { dropMark } from "../layout/mark.ts";
import { readParts } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/snapshot.ts";
import type { Snapshot } from "../snapshot/snapshots.ts";
import { operationBranch } from "../tree/operation.ts";
import { steps } from "../worker/steps.ts";
import { discard } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { makeInert } from "../workspace/inert.ts";
import { fetchSnapshot, find, requestFor } from "../workspace/keep.ts";
import { sandboxMarkAt } from "../workspace/sandbox-mounts.ts";
import { ask, borrow, longMs, projectView, recordTip, type SandboxedCheckout, workersOf } from "./ask.ts";
import { checkOutOwn, makeOwnRepository } from "./own-repository.ts";
import { snapshotSandboxed } from "./snapshot.ts";

/** What did not come along, and whether what git ignores did. */
export interface Built {
	missing: Provisioned["missing"];
	ignored: boolean;
}

/** Null if such a workspace can be made here. */
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

/** The folder for git, and the files of its start. Nobody has written anything there yet. */
export async function makeSandboxedTree(
	context: GitContext,
	project: ProjectRepository,
	agent: Checkout["agent"],
	mark: WorkspaceMark,
): Promise<void> {
	const gitFolder = await makeRepository(context, project, agent, mark);
	await checkOutOwn(context.git, mark.path, gitFolder, mark.start);
}

async function makeRepository(
	context: GitContext,
	project: ProjectRepository,
	agent: Checkout["agent"],
	mark: WorkspaceMark,
): Promise<string> {
	const gitFolder = context.layout.ownGit(project.slug, path.basename(mark.path));
	await makeInert(mark.path);
	await makeOwnRepository(context.git, {
		project,
		agent,
		gitFolder,
		branch: mark.branch,
		base: mark.base,
		start: mark.start,
	});
	return gitFolder;
}

/** From now on the project knows its branch, and keeps what it borrows. */
export async function registerBranch(context: GitContext, checkout: Checkout, start: string | null): Promise<void> {
	if (start !== null) await recordTip(context, checkout, null, start);
	await borrow(context, checkout, { base: start });
}

export async function discardSandboxed(
	context: GitContext,
	project: ProjectRepository,
	mark: Pick<WorkspaceMark, "path">,
): Promise<void> {
	const { layout } = context;
	const name = path.basename(mark.path);
	await context.workers?.leave(mark.path);
	await discard(context, mark.path);
	await discard(context, layout.ownGit(project.slug, name));
	await dropMark(layout.ownMark(project.slug, name));
}

/**
 * The snapshot that a fork comes from, in the project's repository, and whether the parent's files can be copied as
 * they are.
 */
export async function forkStart(
	context: GitContext,
	{ parent, snapshot, project }: ForkRequest,
): Promise<Start | Refusal> {
	const mark = await sandboxMarkAt(context, parent.project, parent.workspace.path);
	if (mark !== null) {
		const own = { ...parent, mark };
		const taken =
			snapshot === undefined
				? await snapshotSandboxed(context, own, { reason: "a fork", turn: null })
				: await findSandboxedSnapshot(context, parent, snapshot);
		if (isRefusal(taken)) return taken;
		const found = "snapshot" in taken ? taken.snapshot : taken;
		return {
			snapshot: found,
			start: await beginning(context, project, found),
			from: snapshot === undefined ? own : null,
		};
	}
	const taken =
		snapshot === undefined
			? await takeSnapshot(context.git, requestFor(context, parent, "a fork"))
			: await find(context, parent, snapshot);
	if (isRefusal(taken)) return taken;
	await fetchSnapshot(context, parent, taken.ref, project.path);
	return { snapshot: taken, start: await beginning(context, project, taken), from: null };
}

export interface Start {
	snapshot: Snapshot;
	start: string | null;
	/** the parent, if its files are to be copied */
	from: SandboxedCheckout | null;
}

/** A rebase in progress belongs to the child's branch, which begins where the parent's did. */
async function beginning({ git }: GitContext, project: ProjectRepository, snapshot: Snapshot): Promise<string | null> {
	const { head } = snapshot.manifest;
	if (head.branch !== null) return head.commit;
	const { operation } = await readParts(git, project.path, snapshot);
	return operationBranch(operation)?.commit ?? head.commit;
}

/** Its snapshots are the project's, whatever its kind is. */
export const inProject = <T extends Checkout>(checkout: T): Checkout => ({
	...checkout,
	workspace: { ...checkout.workspace, kind: "worktree" },
});

export async function findSandboxedSnapshot(
	context: GitContext,
	checkout: Checkout,
	id: string,
): Promise<Snapshot | Refusal> {
	return await find(context, inProject(checkout), id);
}

/**
 * A fork into a workspace with a git folder of its own: inside of its sandbox, which mounts the parent's tree
 * read-only.
 */
export async function forkSandboxed(
	context: GitContext,
	{ project, agent }: ForkRequest,
	mark: WorkspaceMark,
	settings: ProjectSettings,
	begin: Start,
	signal?: AbortSignal,
): Promise<Built | Refusal> {
	const { kind, path: folder, branch, base } = mark;
	const checkout: SandboxedCheckout = { project, agent, workspace: { kind, path: folder, branch, base }, mark };
	await makeRepository(context, project, agent, mark);
	// before anything in it depends on it
	await borrow(context, checkout, { start: begin.snapshot.commit });
	const view = await projectView(context, checkout);
	if (isRefusal(view)) return view;
	const { from } = begin;
	if (from === null) {
		const filled = await ask(
			context,
			checkout,
			steps.fill,
			view,
			{ commit: begin.snapshot.commit },
			{ timeoutMs: longMs, signal },
		);
		return isRefusal(filled) ? filled : { ...filled, ignored: false };
	}
	const everything = await sharesBlocks(from.workspace.path, folder);
	const scene = { ...view.scene, given: { ...view.scene.given, settings } };
	const copied = await ask(
		context,
		checkout,
		steps.copy,
		{ ...view, scene },
		{ from: from.workspace.path, everything },
		{ timeoutMs: longMs, signal, alsoReadable: from.mark },
	);
	// that sandbox had another agent's files mounted
	await context.workers?.leave(folder);
	return isRefusal(copied) ? copied : { ...copied, ignored: everything };
}

/** Links and copies of what the project shares, made where the tree is. */
export async function shareSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	settings: ProjectSettings,
): Promise<Provisioned["shared"] | Refusal> {
	// most projects share nothing, and need no sandbox for it
	if (settings.shared.length === 0 && settings.copy.length === 0) return [];
	const view = await projectView(context, checkout);
	return isRefusal(view) ? view : await ask(context, checkout, steps.share, view, {}, { timeoutMs: longMs });
}
