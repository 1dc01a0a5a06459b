// Making a workspace with a git folder of its own, and taking one back that nobody has used.
import path from "node:path";
import type { ProjectSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { ForkWish, ProjectPlace, Provisioned, ProvisionWish, Stay } from "#engine/workspaces.ts";
import { sharesBlocks } from "../copy/blocks.ts";
import { dropMark } from "../layout/mark.ts";
import { readParts } from "../snapshot/restore.ts";
import { takeSnapshot } from "../snapshot/snapshot.ts";
import type { Snapshot } from "../snapshot/snapshots.ts";
import { undertaking } from "../tree/operation.ts";
import { steps } from "../worker/steps.ts";
import { discard } from "../workspace/discard.ts";
import type { Ground } from "../workspace/ground.ts";
import { makeInert } from "../workspace/inert.ts";
import { bringSnapshot, find, requestFor } from "../workspace/keep.ts";
import { ownAt } from "../workspace/room.ts";
import { ask, borrow, longMs, type OwnStay, roomsOf, seeTip, sightOf } from "./ask.ts";
import { checkOutOwn, makeOwn } from "./own.ts";
import { takeOwn } from "./verbs.ts";

/** What did not come along, and whether what git ignores did. */
export interface Built {
	missing: Provisioned["missing"];
	ignored: boolean;
}

/** Null if such a workspace can be made here. */
export function cannotHold(ground: Ground, { kind, project }: Pick<ProvisionWish, "kind" | "project">): Refusal | null {
	if (kind === "main")
		return refuse("VALIDATION_ERROR", `${project.slug} wants a sandbox (sandbox: on), which cannot hold the repository itself. Use a worktree or a clone.`);
	const rooms = roomsOf(ground);
	return isRefusal(rooms) ? rooms : null;
}

/** The folder for git, and the files of its start. Nobody has written anything there yet. */
export async function makeOwnTree(ground: Ground, project: ProjectPlace, agent: Stay["agent"], mark: WorkspaceMark): Promise<void> {
	const gitFolder = await makeRepository(ground, project, agent, mark);
	await checkOutOwn(ground.git, mark.path, gitFolder, mark.start);
}

async function makeRepository(ground: Ground, project: ProjectPlace, agent: Stay["agent"], mark: WorkspaceMark): Promise<string> {
	const gitFolder = ground.layout.ownGit(project.slug, path.basename(mark.path));
	await makeInert(mark.path);
	await makeOwn(ground.git, { project, agent, gitFolder, branch: mark.branch, base: mark.base, start: mark.start });
	return gitFolder;
}

/** From now on the project knows its branch, and keeps what it borrows. */
export async function enterBooks(ground: Ground, stay: Stay, start: string | null): Promise<void> {
	if (start !== null) await seeTip(ground, stay, null, start);
	await borrow(ground, stay, { base: start });
}

export async function discardOwn(ground: Ground, project: ProjectPlace, mark: Pick<WorkspaceMark, "path">): Promise<void> {
	const { layout } = ground;
	const name = path.basename(mark.path);
	await ground.rooms?.leave(mark.path);
	await discard(ground, mark.path);
	await discard(ground, layout.ownGit(project.slug, name));
	await dropMark(layout.ownMark(project.slug, name));
}

/** The snapshot that a fork comes from, in the project's repository, and whether the parent's files can be copied as they are. */
export async function ownStart(ground: Ground, { parent, snapshot, project }: ForkWish): Promise<Start | Refusal> {
	const mark = await ownAt(ground, parent.project, parent.workspace.path);
	if (mark !== null) {
		const own = { ...parent, mark };
		const taken = snapshot === undefined ? await takeOwn(ground, own, { reason: "a fork", turn: null }) : await findOwn(ground, parent, snapshot);
		if (isRefusal(taken)) return taken;
		const found = "snapshot" in taken ? taken.snapshot : taken;
		return { snapshot: found, start: await beginning(ground, project, found), from: snapshot === undefined ? own : null };
	}
	const taken = snapshot === undefined ? await takeSnapshot(ground.git, requestFor(ground, parent, "a fork")) : await find(ground, parent, snapshot);
	if (isRefusal(taken)) return taken;
	await bringSnapshot(ground, parent, taken.ref, project.path);
	return { snapshot: taken, start: await beginning(ground, project, taken), from: null };
}

export interface Start {
	snapshot: Snapshot;
	start: string | null;
	/** the parent, if its files are to be copied */
	from: OwnStay | null;
}

/** A rebase in progress belongs to the child's branch, which begins where the parent's did. */
async function beginning({ git }: Ground, project: ProjectPlace, snapshot: Snapshot): Promise<string | null> {
	const { head } = snapshot.manifest;
	if (head.branch !== null) return head.commit;
	const { operation } = await readParts(git, project.path, snapshot);
	return undertaking(operation)?.commit ?? head.commit;
}

/** Its snapshots are the project's, whatever its kind is. */
export const inProject = <T extends Stay>(stay: T): Stay => ({ ...stay, workspace: { ...stay.workspace, kind: "worktree" } });

export async function findOwn(ground: Ground, stay: Stay, id: string): Promise<Snapshot | Refusal> {
	return await find(ground, inProject(stay), id);
}

/** A fork into a workspace with a git folder of its own: inside of its room, which may see the parent's tree and change nothing there. */
export async function forkOwn(
	ground: Ground,
	{ project, agent }: ForkWish,
	mark: WorkspaceMark,
	settings: ProjectSettings,
	begin: Start,
	signal?: AbortSignal,
): Promise<Built | Refusal> {
	const { kind, path: folder, branch, base } = mark;
	const stay: OwnStay = { project, agent, workspace: { kind, path: folder, branch, base }, mark };
	await makeRepository(ground, project, agent, mark);
	// before anything in it depends on it
	await borrow(ground, stay, { start: begin.snapshot.commit });
	const sight = await sightOf(ground, stay);
	if (isRefusal(sight)) return sight;
	const { from } = begin;
	if (from === null) {
		const filled = await ask(ground, stay, steps.fill, sight, { commit: begin.snapshot.commit }, { timeoutMs: longMs, signal });
		return isRefusal(filled) ? filled : { ...filled, ignored: false };
	}
	const everything = await sharesBlocks(from.workspace.path, folder);
	const scene = { ...sight.scene, given: { ...sight.scene.given, settings } };
	const copied = await ask(
		ground,
		stay,
		steps.copy,
		{ ...sight, scene },
		{ from: from.workspace.path, everything },
		{ timeoutMs: longMs, signal, beside: from.mark },
	);
	// that room saw another agent's files
	await ground.rooms?.leave(folder);
	return isRefusal(copied) ? copied : { ...copied, ignored: everything };
}

/** Links and copies of what the project shares, made where the tree is. */
export async function shareOwn(ground: Ground, stay: OwnStay, settings: ProjectSettings): Promise<Provisioned["shared"] | Refusal> {
	// most projects share nothing, and need no room for it
	if (settings.shared.length === 0 && settings.copy.length === 0) return [];
	const sight = await sightOf(ground, stay);
	return isRefusal(sight) ? sight : await ask(ground, stay, steps.share, sight, {}, { timeoutMs: longMs });
}
