// Bringing a workspace with a git folder of its own back, moving an older one into a git folder of its own, and removing one.
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { AtHome, Live, Removed, RemoveWish, Stay } from "#engine/workspaces.ts";
import { exists } from "../layout/layout.ts";
import { markIn, writeMark } from "../layout/mark.ts";
import { commitOf } from "../run/given.ts";
import { codeOf } from "../tree/tree.ts";
import type { Accept } from "../verbs/recover.ts";
import { isSafe, notMerged, removeBranch, tearDown } from "../verbs/remove.ts";
import { RoomFault } from "../worker/rooms.ts";
import { steps } from "../worker/steps.ts";
import type { Ground } from "../workspace/ground.ts";
import { bin, noteOf, numberOf } from "../workspace/keep.ts";
import { ask, borrow, bringOut, longMs, type OwnStay, sightOf, workRef } from "./ask.ts";
import { cannotHold, enterBooks, makeOwnTree, ownStart } from "./make.ts";
import { makeOwn } from "./own.ts";
import { dirtyOwn, recoverInside, takeOwn, tipOfOwn } from "./verbs.ts";

export async function recoverOwn(ground: Ground, stay: OwnStay, live: Live, accept?: Accept): Promise<AtHome | Refusal> {
	const home = await recovered(ground, stay, live, accept);
	const file = ground.layout.ownMark(stay.project.slug, path.basename(stay.workspace.path));
	if (!isRefusal(home) && !stay.mark.ready) await writeMark(file, { ...stay.mark, ready: true });
	return home;
}

async function recovered(ground: Ground, stay: OwnStay, live: Live, accept?: Accept): Promise<AtHome | Refusal> {
	const { layout } = ground;
	const { project, workspace } = stay;
	const name = path.basename(workspace.path);
	if (!(await exists(workspace.path))) {
		await setGitAside(ground, stay);
		await remake(ground, stay);
		const home = await recoverInside(ground, stay, live, null);
		return isRefusal(home) ? home : { ...home, moved: true, text: `Your workspace was gone and was made again. ${home.text}` };
	}
	const gone = !(await exists(layout.ownGit(project.slug, name)));
	const home = gone ? null : await recoverInside(ground, stay, live, accept ?? null).catch(damaged);
	if (home !== null) return home;
	// its git folder is no use any more; the files are there, and so is all that ever came out
	await setGitAside(ground, stay);
	const wrong = await regit(ground, stay);
	if (wrong !== null) return wrong;
	const again = await recoverInside(ground, stay, live, null);
	return isRefusal(again)
		? again
		: { ...again, moved: true, text: `Your git folder could not be read; it is in the trash, and a new one was made. ${again.text}` };
}

/** What git cannot read in there is damage; anything else is not for us to judge. */
function damaged(error: unknown): null {
	if (error instanceof RoomFault) return null;
	throw error;
}

async function startOf({ git }: Ground, { project, agent, workspace, mark }: OwnStay): Promise<string | null> {
	const places = [workRef(agent.id, workspace.branch), `refs/heads/${workspace.branch}`, `refs/heads/${workspace.base}`];
	for (const place of places) {
		const commit = await commitOf(git, project.path, place);
		if (commit !== null) return commit;
	}
	return mark.start;
}

async function remake(ground: Ground, stay: OwnStay): Promise<void> {
	const start = await startOf(ground, stay);
	await makeOwnTree(ground, stay.project, stay.agent, { ...stay.mark, branch: stay.workspace.branch, start });
}

/** A git folder for files that are there. */
async function regit(ground: Ground, stay: OwnStay): Promise<Refusal | null> {
	const { project, agent, workspace } = stay;
	const gitFolder = ground.layout.ownGit(project.slug, path.basename(workspace.path));
	const start = await startOf(ground, stay);
	await makeOwn(ground.git, { project, agent, gitFolder, branch: workspace.branch, base: workspace.base, start });
	const sight = await sightOf(ground, stay);
	if (isRefusal(sight)) return sight;
	await ask(ground, stay, steps.reindex, sight, {}, { timeoutMs: longMs });
	return null;
}

async function setGitAside(ground: Ground, stay: OwnStay): Promise<void> {
	const { layout, clock } = ground;
	const { project, agent, workspace } = stay;
	await ground.rooms?.leave(workspace.path);
	const gitFolder = layout.ownGit(project.slug, path.basename(workspace.path));
	if (!(await exists(gitFolder))) return;
	const place = path.join(layout.trash, `${clock.now()}-${project.slug}-${agent.handle}-git`);
	await mkdir(place, { recursive: true, mode: 0o700 });
	await writeMark(markIn(place), noteOf(stay));
	await aside(gitFolder, path.join(place, "git"));
}

/** Renamed and never copied: copying would read what is in it. */
async function aside(from: string, to: string): Promise<void> {
	await rename(from, to).catch((error: unknown) => {
		if (codeOf(error) === "EXDEV") throw new Error(`${from} and the trash are on different disks, and what a sandbox wrote is not copied. Move one of them.`);
		if (codeOf(error) !== "ENOENT") throw error;
	});
}

/** An agent's workspace from before its project wanted a sandbox: its files and its unfinished work come along, the old tree goes to the trash. */
export async function convert(ground: Ground, stay: Stay): Promise<AtHome | Refusal> {
	const { layout } = ground;
	const { project, agent, workspace } = stay;
	const unheld = cannotHold(ground, { kind: workspace.kind, project });
	if (unheld !== null) return unheld;
	const begin = await ownStart(ground, { project, agent, kind: workspace.kind, parent: stay });
	if (isRefusal(begin)) return begin;
	const binned = await bin(ground, stay);
	if (isRefusal(binned)) return binned;
	const mark: WorkspaceMark = { agent: agent.id, project: project.slug, ...workspace, start: begin.start, ready: true, own: true };
	const own = { ...stay, mark };
	const file = layout.ownMark(project.slug, path.basename(workspace.path));
	await layout.parent(file);
	// whoever dies from here on leaves a workspace that `recover` makes again from its branch
	await writeMark(file, { ...mark, ready: false });
	await makeOwnTree(ground, project, agent, { ...mark, start: null });
	await resume(ground, own, begin.start);
	await borrow(ground, stay, { start: begin.snapshot.commit });
	const sight = await sightOf(ground, own);
	if (isRefusal(sight)) return sight;
	const filled = await ask(ground, own, steps.fill, sight, { commit: begin.snapshot.commit }, { timeoutMs: longMs });
	if (isRefusal(filled)) return filled;
	await enterBooks(ground, stay, begin.start);
	await writeMark(file, mark);
	const standing = await ask(ground, own, steps.standing, sight, {});
	if (isRefusal(standing)) return standing;
	const missing = filled.missing.length === 0 ? "" : ` ${filled.missing.length} of your files did not come along; they are in ${binned.trash}.`;
	const text = `Your workspace has a git folder of its own now, for the sandbox. Your files came along; what git ignores is in ${binned.trash}.${missing}`;
	return { standing, moved: true, snapshot: null, text };
}

/** The branch, at the commit that it was on. */
async function resume({ git, layout }: Ground, { project, workspace }: OwnStay, start: string | null): Promise<void> {
	const gitFolder = layout.ownGit(project.slug, path.basename(workspace.path));
	if (start !== null) await git(gitFolder, ["update-ref", `refs/heads/${workspace.branch}`, start], { environment: { GIT_DIR: gitFolder } });
}

export async function removeOwn(ground: Ground, stay: OwnStay, wish: RemoveWish): Promise<Removed | Refusal> {
	const { project, agent, workspace } = stay;
	const there = await exists(workspace.path);
	const tip = there ? await tipOfOwn(ground, stay).catch(damaged) : await commitOf(ground.git, project.path, workRef(agent.id, workspace.branch));
	if (tip !== null && typeof tip !== "string") return tip;
	if (wish.force !== true) {
		const dirty = there ? await dirtyOwn(ground, stay) : null;
		if (dirty !== null) return dirty;
		if (tip !== null && !(await isSafe(ground, stay, tip, wish.merged ?? []))) return notMerged(stay, tip);
	}
	const teardown = there ? await tearDown(ground, stay, wish) : null;
	const taken = there ? await lastLook(ground, stay, wish.force === true) : null;
	if (taken !== null && isRefusal(taken)) return taken;
	const trash = await binOwn(ground, stay);
	// one that somebody else moved is theirs
	const same = tip !== null && (await commitOf(ground.git, project.path, `refs/heads/${workspace.branch}`)) === tip;
	const branchRemoved = wish.branch === true && same && (await removeBranch(ground, stay, tip));
	return { trash, snapshot: taken === null ? null : numberOf(taken), branchRemoved, teardown };
}

/** The last snapshot, and every commit that only its own repository has. A git folder that is damaged goes to the trash as it is, if somebody insists. */
async function lastLook(ground: Ground, stay: OwnStay, force: boolean) {
	try {
		const taken = await takeOwn(ground, stay, { reason: "before a removal", turn: null });
		if (isRefusal(taken)) return taken;
		const sight = await sightOf(ground, stay);
		if (isRefusal(sight)) return sight;
		await bringOut(ground, stay, sight, { everything: true });
		return taken.snapshot;
	} catch (error) {
		if (!force) throw error;
		return damaged(error);
	}
}

/** Folders are moved as they are; nobody looks into them. */
async function binOwn(ground: Ground, stay: OwnStay): Promise<string | null> {
	const { layout, clock } = ground;
	const { project, agent, workspace } = stay;
	const name = path.basename(workspace.path);
	const place = path.join(layout.trash, `${clock.now()}-${project.slug}-${agent.handle}`);
	const [files, git] = [workspace.path, layout.ownGit(project.slug, name)];
	if (!(await exists(files)) && !(await exists(git))) return null;
	await ground.rooms?.leave(files);
	await mkdir(place, { recursive: true, mode: 0o700 });
	await writeMark(markIn(place), noteOf(stay));
	await aside(files, path.join(place, "files"));
	await aside(git, path.join(place, "git"));
	await aside(layout.ownMark(project.slug, name), path.join(place, "own.json"));
	return place;
}
