// Recovers a workspace with its own git folder, converts an older workspace into one, and removes one.
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "#adapters/system/errors.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout, Removed, RemoveRequest, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { markerIn, writeMarker } from "../layout/marker.ts";
import { commitOf } from "../run/user-input.ts";
import { type Accept, afterPipes, workspaceRemade } from "../verbs/recover.ts";
import { isSafe, notMerged, removeBranch, tearDown } from "../verbs/remove.ts";
import { removePipes } from "../verbs/remove-pipes.ts";
import { movedWith } from "../verbs/sync.ts";
import { nullIfDamaged } from "../worker/faults.ts";
import { steps } from "../worker/steps.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { moveToTrash, noteOf, numberOf, trashName } from "../workspace/keep.ts";
import { forkStart, makeSandboxedTree, registerBranch, sandboxRefusal } from "./make.ts";
import { recoverInside } from "./move.ts";
import { makeOwnRepository } from "./own-repository.ts";
import { snapshotSandboxed } from "./snapshot.ts";
import { sandboxedDirty, sandboxedTip } from "./verbs.ts";
import { borrow, clientFor, type SandboxedCheckout, workRef } from "./worker-client.ts";

export async function recoverSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	control: StepControl,
	accept?: Accept,
): Promise<UpdateResult | Refusal> {
	const { project, workspace, marker } = checkout;
	const recovered = await recover(context, checkout, control, accept);
	if (!isRefusal(recovered) && !marker.ready)
		await writeMarker(context.layout.ownMarker(project.slug, workspace.path), { ...marker, ready: true });
	return recovered;
}

async function recover(
	context: GitContext,
	checkout: SandboxedCheckout,
	control: StepControl,
	asked?: Accept,
): Promise<UpdateResult | Refusal> {
	const { project, agent, workspace, marker } = checkout;
	if (!(await exists(workspace.path))) {
		await trashGitFolder(context, checkout);
		const start = await lastKnownTip(context, checkout);
		await makeSandboxedTree(context, project, agent, { ...marker, branch: workspace.branch, start });
		return movedWith(workspaceRemade, await recoverInside(context, checkout, control));
	}
	const client = await clientFor(context, checkout);
	if (isRefusal(client)) return client;
	const unblocked = await client.ask(steps.removePipes, {}).catch(nullIfDamaged);
	const accept = afterPipes(unblocked?.removed ?? false, asked);
	// asked before the recovery: one whose result cannot be imported would have moved the files for nothing
	const refused = (await client.refusedCommits().catch(nullIfDamaged)) ?? null;
	if (refused === null && (await exists(context.layout.ownGit(project.slug, workspace.path)))) {
		const recovered = await recoverInside(context, checkout, control, accept).catch(nullIfDamaged);
		if (recovered !== null) return recovered;
	}
	// the git folder is unusable; the files are there, and everything that was imported
	await trashGitFolder(context, checkout);
	const unmade = await remakeGitFolder(context, checkout);
	if (unmade !== null) return unmade;
	const why = refused ?? "Your git folder could not be read";
	const text = `${why.charAt(0).toUpperCase()}${why.slice(1)}; your git folder is in the trash, and a new one was made.`;
	return movedWith(text, await recoverInside(context, checkout, control));
}

/** The newest commit that the project knows of the branch, else base, else where the branch began. */
async function lastKnownTip(
	{ git }: GitContext,
	{ project, agent, workspace, marker }: SandboxedCheckout,
): Promise<string | null> {
	const { branch, base } = workspace;
	for (const ref of [workRef(agent.id, branch), `refs/heads/${branch}`, `refs/heads/${base}`]) {
		const commit = await commitOf(git, project.path, ref);
		if (commit !== null) return commit;
	}
	return marker.start;
}

/** A new git folder for existing files. */
async function remakeGitFolder(context: GitContext, checkout: SandboxedCheckout): Promise<Refusal | null> {
	const { project, agent, workspace } = checkout;
	const { branch, base } = workspace;
	const gitFolder = context.layout.ownGit(project.slug, workspace.path);
	const start = await lastKnownTip(context, checkout);
	await makeOwnRepository(context.git, { project, agent, gitFolder, branch, base, start });
	const client = await clientFor(context, checkout);
	if (isRefusal(client)) return client;
	await client.ask(steps.reindex, {});
	return null;
}

async function trashGitFolder(context: GitContext, checkout: SandboxedCheckout): Promise<void> {
	const { project, workspace } = checkout;
	await context.workers?.leave(workspace.path);
	const gitFolder = context.layout.ownGit(project.slug, workspace.path);
	if (!(await exists(gitFolder))) return;
	await intoTrash(await trashEntry(context, checkout, "-git"), { git: gitFolder });
}

/** A new folder in the trash, with a note that says whose it is. */
async function trashEntry(context: GitContext, checkout: Checkout, suffix = ""): Promise<string> {
	const entry = trashName(context, checkout) + suffix;
	await mkdir(entry, { recursive: true, mode: 0o700 });
	await writeMarker(markerIn(entry), noteOf(checkout));
	return entry;
}

/** Renames and never copies: copying would read files that the agent wrote. */
async function intoTrash(entry: string, paths: Readonly<Record<string, string>>): Promise<void> {
	for (const [name, from] of Object.entries(paths))
		await rename(from, path.join(entry, name)).catch((error: unknown) => {
			if (codeOf(error) === "EXDEV")
				throw new Error(
					`${from} and the trash are on different disks, and what a sandbox wrote is not copied. Move one of them.`,
				);
			if (codeOf(error) !== "ENOENT") throw error;
		});
}

/**
 * Moves a workspace from before its project asked for a sandbox into a git folder of its own: its files and uncommitted
 * work come along, the old tree goes to the trash.
 */
export async function convert(context: GitContext, checkout: Checkout): Promise<UpdateResult | Refusal> {
	const { git, layout } = context;
	const { project, agent, workspace } = checkout;
	const refused = sandboxRefusal(context, { kind: workspace.kind, project });
	if (refused !== null) return refused;
	await removePipes(workspace.path);
	const begin = await forkStart(context, { project, agent, kind: workspace.kind, parent: checkout });
	if (isRefusal(begin)) return begin;
	const trashed = await moveToTrash(context, checkout);
	if (isRefusal(trashed)) return trashed;
	const { start } = begin;
	const { commit } = begin.snapshot;
	const marker: WorkspaceMarker = {
		agent: agent.id,
		project: project.slug,
		...workspace,
		start,
		ready: true,
		own: true,
	};
	const file = layout.ownMarker(project.slug, workspace.path);
	const wrong = await layout.makeParent(file);
	if (wrong !== null) return wrong;
	// after a crash from here on, `recover` makes the workspace again from its branch
	await writeMarker(file, { ...marker, ready: false });
	await makeSandboxedTree(context, project, agent, { ...marker, start: null });
	const gitFolder = layout.ownGit(project.slug, workspace.path);
	if (start !== null)
		await git(gitFolder, ["update-ref", `refs/heads/${workspace.branch}`, start], {
			environment: { GIT_DIR: gitFolder },
		});
	await borrow(context, checkout, { start: commit });
	const client = await clientFor(context, { ...checkout, marker });
	if (isRefusal(client)) return client;
	const filled = await client.ask(steps.fill, { commit });
	if (isRefusal(filled)) return filled;
	await registerBranch(context, checkout, start);
	await writeMarker(file, marker);
	const branchStatus = await client.ask(steps.branchStatus, {});
	if (isRefusal(branchStatus)) return branchStatus;
	const missing =
		filled.missing.length === 0
			? ""
			: ` ${filled.missing.length} of your files did not come along; they are in ${trashed.trash}.`;
	const text = `Your workspace has a git folder of its own now, for the sandbox. Your files came along; what git ignores is in ${trashed.trash}.${missing}`;
	return { branchStatus, updated: true, snapshot: null, text };
}

export async function removeSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	request: RemoveRequest,
): Promise<Removed | Refusal> {
	const { project, agent, workspace } = checkout;
	const there = await exists(workspace.path);
	const tip = there
		? await sandboxedTip(context, checkout).catch(nullIfDamaged)
		: await commitOf(context.git, project.path, workRef(agent.id, workspace.branch));
	if (tip !== null && typeof tip !== "string") return tip;
	if (request.force !== true) {
		const dirty = there ? await sandboxedDirty(context, checkout) : null;
		if (dirty !== null) return dirty;
		if (tip !== null && !(await isSafe(context, checkout, tip, request.merged ?? []))) return notMerged(checkout, tip);
	}
	const teardown = there ? await tearDown(context, checkout, request) : null;
	const taken = there ? await lastSnapshot(context, checkout, request.force === true) : null;
	if (taken !== null && isRefusal(taken)) return taken;
	const trash = await trashSandboxed(context, checkout);
	// a branch that somebody else moved is theirs
	const same = tip !== null && (await commitOf(context.git, project.path, `refs/heads/${workspace.branch}`)) === tip;
	const branchRemoved = request.deleteBranch === true && same && (await removeBranch(context, checkout, tip));
	return { trash, snapshot: taken === null ? null : numberOf(taken), branchRemoved, teardown };
}

/**
 * Takes the last snapshot and imports every commit that only this repository has. With `force`, a damaged git folder
 * goes to the trash as it is.
 */
async function lastSnapshot(context: GitContext, checkout: SandboxedCheckout, force: boolean) {
	try {
		const taken = await snapshotSandboxed(context, checkout, "before a removal");
		if (isRefusal(taken)) return taken;
		const client = await clientFor(context, checkout);
		if (isRefusal(client)) return client;
		await client.pullChanges({ everything: true });
		return taken.snapshot;
	} catch (error) {
		if (!force) throw error;
		return nullIfDamaged(error);
	}
}

async function trashSandboxed(context: GitContext, checkout: SandboxedCheckout): Promise<string | null> {
	const { layout, workers } = context;
	const { project, workspace } = checkout;
	const [files, git] = [workspace.path, layout.ownGit(project.slug, workspace.path)];
	if (!(await exists(files)) && !(await exists(git))) return null;
	await workers?.leave(files);
	const entry = await trashEntry(context, checkout);
	await intoTrash(entry, { files, git, "own.json": layout.ownMarker(project.slug, workspace.path) });
	return entry;
}
