// Bringing a workspace with a git folder of its own back, moving an older one into a git folder of its own, and
// removing one.
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { Checkout, MoveResult, Removed, RemoveRequest, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { markIn, writeMark } from "../layout/mark.ts";
import { commitOf } from "../run/user-input.ts";
import { codeOf } from "../tree/tree.ts";
import type { Accept } from "../verbs/recover.ts";
import { isSafe, notMerged, removeBranch, tearDown } from "../verbs/remove.ts";
import { steps } from "../worker/steps.ts";
import { SandboxFault } from "../worker/workers.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { moveToTrash, noteOf, numberOf } from "../workspace/keep.ts";
import { ask, borrow, longMs, projectView, pullChanges, type SandboxedCheckout, workRef } from "./ask.ts";
import { forkStart, makeSandboxedTree, registerBranch, sandboxRefusal } from "./make.ts";
import { recoverInside } from "./move.ts";
import { makeOwnRepository } from "./own-repository.ts";
import { snapshotSandboxed } from "./snapshot.ts";
import { sandboxedDirty, sandboxedTip } from "./verbs.ts";

export async function recoverSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	control: StepControl,
	accept?: Accept,
): Promise<MoveResult | Refusal> {
	const home = await recovered(context, checkout, control, accept);
	const file = context.layout.ownMark(checkout.project.slug, path.basename(checkout.workspace.path));
	if (!isRefusal(home) && !checkout.mark.ready) await writeMark(file, { ...checkout.mark, ready: true });
	return home;
}

async function recovered(
	context: GitContext,
	checkout: SandboxedCheckout,
	control: StepControl,
	accept?: Accept,
): Promise<MoveResult | Refusal> {
	const { layout } = context;
	const { project, workspace } = checkout;
	const name = path.basename(workspace.path);
	if (!(await exists(workspace.path))) {
		await setGitAside(context, checkout);
		await remake(context, checkout);
		const home = await recoverInside(context, checkout, control, null);
		return isRefusal(home)
			? home
			: { ...home, moved: true, text: `Your workspace was gone and was made again. ${home.text}` };
	}
	const gone = !(await exists(layout.ownGit(project.slug, name)));
	const home = gone ? null : await recoverInside(context, checkout, control, accept ?? null).catch(damaged);
	if (home !== null) return home;
	// its git folder is no use any more; the files are there, and so is all that ever came out
	await setGitAside(context, checkout);
	const wrong = await recreateGitFolder(context, checkout);
	if (wrong !== null) return wrong;
	const again = await recoverInside(context, checkout, control, null);
	return isRefusal(again)
		? again
		: {
				...again,
				moved: true,
				text: `Your git folder could not be read; it is in the trash, and a new one was made. ${again.text}`,
			};
}

/** What git cannot read in there is damage; anything else is not for us to judge. */
function damaged(error: unknown): null {
	if (error instanceof SandboxFault) return null;
	throw error;
}

async function startOf(
	{ git }: GitContext,
	{ project, agent, workspace, mark }: SandboxedCheckout,
): Promise<string | null> {
	const places = [
		workRef(agent.id, workspace.branch),
		`refs/heads/${workspace.branch}`,
		`refs/heads/${workspace.base}`,
	];
	for (const place of places) {
		const commit = await commitOf(git, project.path, place);
		if (commit !== null) return commit;
	}
	return mark.start;
}

async function remake(context: GitContext, checkout: SandboxedCheckout): Promise<void> {
	const start = await startOf(context, checkout);
	await makeSandboxedTree(context, checkout.project, checkout.agent, {
		...checkout.mark,
		branch: checkout.workspace.branch,
		start,
	});
}

/** A git folder for files that are there. */
async function recreateGitFolder(context: GitContext, checkout: SandboxedCheckout): Promise<Refusal | null> {
	const { project, agent, workspace } = checkout;
	const gitFolder = context.layout.ownGit(project.slug, path.basename(workspace.path));
	const start = await startOf(context, checkout);
	await makeOwnRepository(context.git, {
		project,
		agent,
		gitFolder,
		branch: workspace.branch,
		base: workspace.base,
		start,
	});
	const view = await projectView(context, checkout);
	if (isRefusal(view)) return view;
	await ask(context, checkout, steps.reindex, view, {}, { timeoutMs: longMs });
	return null;
}

async function setGitAside(context: GitContext, checkout: SandboxedCheckout): Promise<void> {
	const { layout, clock } = context;
	const { project, agent, workspace } = checkout;
	await context.workers?.leave(workspace.path);
	const gitFolder = layout.ownGit(project.slug, path.basename(workspace.path));
	if (!(await exists(gitFolder))) return;
	const place = path.join(layout.trash, `${clock.now()}-${project.slug}-${agent.handle}-git`);
	await mkdir(place, { recursive: true, mode: 0o700 });
	await writeMark(markIn(place), noteOf(checkout));
	await aside(gitFolder, path.join(place, "git"));
}

/** Renamed and never copied: copying would read what is in it. */
async function aside(from: string, to: string): Promise<void> {
	await rename(from, to).catch((error: unknown) => {
		if (codeOf(error) === "EXDEV")
			throw new Error(
				`${from} and the trash are on different disks, and what a sandbox wrote is not copied. Move one of them.`,
			);
		if (codeOf(error) !== "ENOENT") throw error;
	});
}

/**
 * An agent's workspace from before its project wanted a sandbox: its files and its unfinished work come along, the old
 * tree goes to the trash.
 */
export async function convert(context: GitContext, checkout: Checkout): Promise<MoveResult | Refusal> {
	const { layout } = context;
	const { project, agent, workspace } = checkout;
	const notPossible = sandboxRefusal(context, { kind: workspace.kind, project });
	if (notPossible !== null) return notPossible;
	const begin = await forkStart(context, { project, agent, kind: workspace.kind, parent: checkout });
	if (isRefusal(begin)) return begin;
	const binned = await moveToTrash(context, checkout);
	if (isRefusal(binned)) return binned;
	const mark: WorkspaceMark = {
		agent: agent.id,
		project: project.slug,
		...workspace,
		start: begin.start,
		ready: true,
		own: true,
	};
	const own = { ...checkout, mark };
	const file = layout.ownMark(project.slug, path.basename(workspace.path));
	await layout.parent(file);
	// whoever dies from here on leaves a workspace that `recover` makes again from its branch
	await writeMark(file, { ...mark, ready: false });
	await makeSandboxedTree(context, project, agent, { ...mark, start: null });
	await resume(context, own, begin.start);
	await borrow(context, checkout, { start: begin.snapshot.commit });
	const view = await projectView(context, own);
	if (isRefusal(view)) return view;
	const filled = await ask(context, own, steps.fill, view, { commit: begin.snapshot.commit }, { timeoutMs: longMs });
	if (isRefusal(filled)) return filled;
	await registerBranch(context, checkout, begin.start);
	await writeMark(file, mark);
	const standing = await ask(context, own, steps.standing, view, {});
	if (isRefusal(standing)) return standing;
	const missing =
		filled.missing.length === 0
			? ""
			: ` ${filled.missing.length} of your files did not come along; they are in ${binned.trash}.`;
	const text = `Your workspace has a git folder of its own now, for the sandbox. Your files came along; what git ignores is in ${binned.trash}.${missing}`;
	return { standing, moved: true, snapshot: null, text };
}

/** The branch, at the commit that it was on. */
async function resume(
	{ git, layout }: GitContext,
	{ project, workspace }: SandboxedCheckout,
	start: string | null,
): Promise<void> {
	const gitFolder = layout.ownGit(project.slug, path.basename(workspace.path));
	if (start !== null)
		await git(gitFolder, ["update-ref", `refs/heads/${workspace.branch}`, start], {
			environment: { GIT_DIR: gitFolder },
		});
}

export async function removeSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	request: RemoveRequest,
): Promise<Removed | Refusal> {
	const { project, agent, workspace } = checkout;
	const there = await exists(workspace.path);
	const tip = there
		? await sandboxedTip(context, checkout).catch(damaged)
		: await commitOf(context.git, project.path, workRef(agent.id, workspace.branch));
	if (tip !== null && typeof tip !== "string") return tip;
	if (request.force !== true) {
		const dirty = there ? await sandboxedDirty(context, checkout) : null;
		if (dirty !== null) return dirty;
		if (tip !== null && !(await isSafe(context, checkout, tip, request.merged ?? []))) return notMerged(checkout, tip);
	}
	const teardown = there ? await tearDown(context, checkout, request) : null;
	const taken = there ? await lastLook(context, checkout, request.force === true) : null;
	if (taken !== null && isRefusal(taken)) return taken;
	const trash = await trashSandboxed(context, checkout);
	// one that somebody else moved is theirs
	const same = tip !== null && (await commitOf(context.git, project.path, `refs/heads/${workspace.branch}`)) === tip;
	const branchRemoved = request.branch === true && same && (await removeBranch(context, checkout, tip));
	return { trash, snapshot: taken === null ? null : numberOf(taken), branchRemoved, teardown };
}

/**
 * The last snapshot, and every commit that only its own repository has. A git folder that is damaged goes to the trash
 * as it is, if somebody insists.
 */
async function lastLook(context: GitContext, checkout: SandboxedCheckout, force: boolean) {
	try {
		const taken = await snapshotSandboxed(context, checkout, { reason: "before a removal", turn: null });
		if (isRefusal(taken)) return taken;
		const view = await projectView(context, checkout);
		if (isRefusal(view)) return view;
		await pullChanges(context, checkout, view, { everything: true });
		return taken.snapshot;
	} catch (error) {
		if (!force) throw error;
		return damaged(error);
	}
}

/** Folders are moved as they are; nobody looks into them. */
async function trashSandboxed(context: GitContext, checkout: SandboxedCheckout): Promise<string | null> {
	const { layout, clock } = context;
	const { project, agent, workspace } = checkout;
	const name = path.basename(workspace.path);
	const place = path.join(layout.trash, `${clock.now()}-${project.slug}-${agent.handle}`);
	const [files, git] = [workspace.path, layout.ownGit(project.slug, name)];
	if (!(await exists(files)) && !(await exists(git))) return null;
	await context.workers?.leave(files);
	await mkdir(place, { recursive: true, mode: 0o700 });
	await writeMark(markIn(place), noteOf(checkout));
	await aside(files, path.join(place, "files"));
	await aside(git, path.join(place, "git"));
	await aside(layout.ownMark(project.slug, name), path.join(place, "own.json"));
	return place;
}
