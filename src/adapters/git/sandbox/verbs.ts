// The verbs of the work cycle for an agent in a sandbox. No file of its tree and no file of its git folder is opened here: each verb
// asks the program in its room, and what is new comes out as objects (see quarantine.ts).
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Committed, Diff, Health, HealthIssue, LeftOut, Pushed, SeenCommit, Standing, SyncStrategy } from "#contract/workspace.ts";
import type { AtHome, CommitWish, Live, Stay } from "#engine/workspaces.ts";
import { branchRef } from "../format/refs.ts";
import { exists } from "../layout/layout.ts";
import { commitOf } from "../run/given.ts";
import { findSnapshot, type Snapshot } from "../snapshot/snapshots.ts";
import { drawDiff } from "../tree/draw-diff.ts";
import { notThese } from "../verbs/clean.ts";
import { forkPoint, nameOfStay, theirOwn, treeOf } from "../verbs/diff.ts";
import { pushBranch } from "../verbs/push.ts";
import type { Accept } from "../verbs/recover.ts";
import { treeGone } from "../verbs/standing.ts";
import { isCalledOff } from "../worker/faults.ts";
import { RoomFault } from "../worker/rooms.ts";
import { type Step, steps } from "../worker/steps.ts";
import type { Ground } from "../workspace/ground.ts";
import { numberOf } from "../workspace/keep.ts";
import { ask, borrow, bringOut, bringSnapshotOut, bringTree, longMs, type OwnStay, type Sight, sightOf } from "./ask.ts";

export async function healthOfOwn(ground: Ground, stay: OwnStay, seen: { commit: string | null }): Promise<Health> {
	const fix = `brood agent recover ${stay.project.slug}/${stay.agent.handle}`;
	const issues = await issuesOf(ground, stay, seen, fix).catch((error: unknown): HealthIssue[] => {
		if (isCalledOff(error)) throw error;
		return [{ code: "NOT_OURS", text: error instanceof Error ? error.message : String(error), fix }];
	});
	return { healthy: issues.length === 0, issues };
}

async function issuesOf(ground: Ground, stay: OwnStay, seen: { commit: string | null }, fix: string): Promise<HealthIssue[]> {
	const { path: folder } = stay.workspace;
	if (!(await exists(folder))) return [{ code: "PATH_GONE", text: `${folder} is gone.`, fix }];
	if (!stay.mark.ready) return [{ code: "UNFINISHED", text: "It was never made ready.", fix }];
	const sight = await sightOf(ground, stay);
	if (isRefusal(sight)) return [{ code: "NOT_OURS", text: sight.message, fix: `brood project settings ${stay.project.slug}` }];
	return await ask(ground, stay, steps.health, sight, { seen: seen.commit });
}

export async function standingOfOwn(ground: Ground, stay: OwnStay): Promise<Standing | Refusal> {
	return await looked(ground, stay, steps.standing, {});
}

export async function commitsOfOwn(ground: Ground, stay: OwnStay, seen: string | null): Promise<SeenCommit[] | Refusal> {
	return await looked(ground, stay, steps.commitsSince, { seen });
}

export async function broughtOwn(ground: Ground, stay: OwnStay, type: string): Promise<{ files: string[]; fingerprint: string } | null> {
	const sight = await ready(ground, stay);
	if (isRefusal(sight)) throw new Error(sight.message);
	return await ask(ground, stay, steps.brings, sight, { type });
}

export async function areInsideOwn(ground: Ground, stay: OwnStay, places: readonly string[]): Promise<boolean> {
	const answer = await looked(ground, stay, steps.inside, { places: [...places] });
	return !isRefusal(answer) && answer.inside;
}

/** A step that changes nothing. */
async function looked<W, A extends object>(ground: Ground, stay: OwnStay, step: Step<W, A>, wish: W): Promise<A | Refusal> {
	const sight = await ready(ground, stay);
	return isRefusal(sight) ? sight : await ask(ground, stay, step, sight, wish);
}

async function ready(ground: Ground, stay: OwnStay): Promise<Sight | Refusal> {
	return (await treeGone(stay)) ?? (await sightOf(ground, stay));
}

export async function commitOwn(ground: Ground, stay: OwnStay, { message, paths, turn, stage }: CommitWish, live: Live): Promise<Committed | Refusal> {
	const sight = await ready(ground, stay);
	if (isRefusal(sight)) return sight;
	if (live.begin !== undefined) await live.begin({ head: (await ask(ground, stay, steps.tips, sight, {})).branch });
	const wish = { begun: live.begun ?? null, message, paths: paths === undefined ? null : [...paths], turn: turn ?? null, stage: stage ?? null };
	const made = await ask(ground, stay, steps.commit, sight, wish, { timeoutMs: longMs });
	if (!isRefusal(made)) await bringOut(ground, stay, sight);
	return made;
}

/** Drawn here, from objects that came out and were checked: what is shown is what can be merged, and nothing that its git folder says. */
export async function diffOfOwn(ground: Ground, stay: OwnStay, against: "base" | "index" | { other: Stay; own: OwnStay | null }): Promise<Diff | Refusal> {
	if (against === "index") return await looked(ground, stay, steps.diff, {});
	const { git } = ground;
	const { project, workspace } = stay;
	const mine = await treeIn(ground, stay, stay);
	if (isRefusal(mine)) return mine;
	if (against === "base") {
		const base = await commitOf(git, project.path, `refs/heads/${workspace.base}`);
		const from = await forkPoint(git, project.path, mine.head === null ? null : base, mine.head ?? "");
		return await drawDiff({ git, folder: project.path, left: mine.left }, [from, mine.tree], from);
	}
	const { other, own } = against;
	const theirs = await treeIn(ground, other, own);
	if (isRefusal(theirs)) return theirs;
	const environment = theirs.objects === null ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: theirs.objects };
	const canvas = { git, folder: project.path, environment, left: [...mine.left, ...theirOwn(other, theirs.left)] };
	return await drawDiff(canvas, [theirs.tree, mine.tree], nameOfStay(other));
}

interface WholeTree {
	tree: string;
	/** the commit that it stands on, which the project has then as well */
	head: string | null;
	/** where its objects are, if not in the project's store */
	objects: string | null;
	/** what is not in it */
	left: readonly LeftOut[];
}

/** The whole tree of a workspace as an object. */
export async function treeIn(ground: Ground, stay: Stay, own: OwnStay | null): Promise<WholeTree | Refusal> {
	const gone = await treeGone(stay);
	if (gone !== null) return gone;
	if (own === null) return { ...(await treeOf(ground, stay.workspace.path)), head: null };
	const sight = await sightOf(ground, own);
	if (isRefusal(sight)) return sight;
	const made = await ask(ground, own, steps.tree, sight, {}, { timeoutMs: longMs });
	if (isRefusal(made)) return made;
	for (const object of [made.head, made.tree]) if (object !== null && object !== sight.seen) await bringTree(ground, own, sight, object);
	return { ...made, objects: null };
}

export const syncOwn = async (ground: Ground, stay: OwnStay, strategy: SyncStrategy, live: Live): Promise<AtHome | Refusal> =>
	await moved(ground, stay, steps.sync, { strategy, begun: live.begun ?? null }, live);
export const releaseOwn = async (ground: Ground, stay: OwnStay, live: Live): Promise<AtHome | Refusal> =>
	await moved(ground, stay, steps.release, { begun: live.begun ?? null }, live);
export const enterOwn = async (ground: Ground, stay: OwnStay, live: Live): Promise<AtHome | Refusal> =>
	await moved(ground, stay, steps.enter, { begun: live.begun ?? null }, live);

/** What its branch is on comes out first: a step of ours loses no commit. */
async function moved<W>(ground: Ground, stay: OwnStay, step: Step<W, AtHome | Refusal>, wish: W, live: Live): Promise<AtHome | Refusal> {
	const before = await ready(ground, stay);
	if (isRefusal(before)) return before;
	const { tip } = await bringOut(ground, stay, before);
	await live.begin?.({ head: tip });
	const sight = await sightOf(ground, stay);
	if (isRefusal(sight)) return sight;
	// its files may need it from this moment on
	await borrow(ground, stay, { base: sight.scene.given.base });
	const home = await ask(ground, stay, step, sight, wish, { timeoutMs: longMs, signal: live.signal });
	const { snapshot } = await bringOut(ground, stay, sight, { keepOld: true });
	if (isRefusal(home) || snapshot === null) return home;
	return { ...home, snapshot: numberOf(snapshot) };
}

/** A snapshot first, then what the room does; `recover` of a tree that is there. */
export async function recoverInside(ground: Ground, stay: OwnStay, live: Live, accept: Accept | null): Promise<AtHome | Refusal> {
	const taken = await takeOwn(ground, stay, { reason: "before a recovery", turn: null }).catch((error: unknown) => {
		// a broken index is mended in there, and the files are kept then
		if (error instanceof RoomFault) return null;
		throw error;
	});
	const home = await moved(ground, stay, steps.recover, { accept: accept === null ? null : { seen: accept.seen, step: accept.step ?? null } }, live);
	if (isRefusal(home)) return home;
	return {
		...home,
		snapshot: /^\d+$/.test(home.snapshot ?? "") ? home.snapshot : taken !== null && !isRefusal(taken) && taken.fresh ? numberOf(taken.snapshot) : null,
	};
}

export async function restoreOwn(ground: Ground, stay: OwnStay, snapshot: Snapshot): Promise<AtHome | Refusal> {
	const taken = await takeOwn(ground, stay, { reason: "before a restore", turn: null }).catch((error: unknown) => {
		if (error instanceof RoomFault) return null;
		throw error;
	});
	if (taken !== null && isRefusal(taken)) return taken;
	await borrow(ground, stay, { restored: snapshot.commit });
	const home = await moved(ground, stay, steps.restore, { commit: snapshot.commit }, {});
	if (isRefusal(home)) return home;
	return { ...home, snapshot: home.snapshot ?? (taken === null ? null : numberOf(taken.snapshot)) };
}

export async function takeOwn(
	ground: Ground,
	stay: OwnStay,
	{ reason, turn }: { reason: string; turn: number | null },
): Promise<{ snapshot: Snapshot; fresh: boolean } | Refusal> {
	const sight = await ready(ground, stay);
	if (isRefusal(sight)) return sight;
	const { commit, fresh } = await ask(ground, stay, steps.snapshot, sight, { reason, turn }, { timeoutMs: longMs });
	const { last } = sight.scene.given;
	if (fresh || last === null || last.commit !== commit) return { snapshot: await bringSnapshotOut(ground, stay, sight, commit), fresh: true };
	const found = await findSnapshot(ground.git, stay.project.path, last.ref);
	if (found === null) throw new Error(`${last.ref} cannot be read`);
	return { snapshot: found, fresh: false };
}

/** A snapshot, and the branch with it: what a turn has done is then the project's. */
export async function keepOwn(ground: Ground, stay: OwnStay, why: { reason: string; turn: number | null }): ReturnType<typeof takeOwn> {
	const taken = await takeOwn(ground, stay, why);
	if (isRefusal(taken)) return taken;
	const { head } = taken.snapshot.manifest;
	const sight = await sightOf(ground, stay);
	const known = !isRefusal(sight) && head.branch === branchRef(stay.workspace.branch) && head.commit === sight.seen;
	if (!isRefusal(sight) && !known) await bringOut(ground, stay, sight);
	return taken;
}

/** The tip of its branch, in the project's store. */
export async function tipOfOwn(ground: Ground, stay: OwnStay): Promise<string | null | Refusal> {
	const sight = await ready(ground, stay);
	return isRefusal(sight) ? sight : (await bringOut(ground, stay, sight)).tip;
}

/** A refusal if anything is not committed, or if the files are not those of this commit. */
export async function dirtyOwn(ground: Ground, stay: OwnStay, commit?: string): Promise<Refusal | null> {
	const sight = await ready(ground, stay);
	if (isRefusal(sight)) return sight;
	const clean = await ask(ground, stay, steps.clean, sight, {}, { timeoutMs: longMs });
	if (isRefusal(clean)) return clean;
	return commit === undefined ? null : await notThese(ground, stay, clean.tree, commit);
}

/** From the project's own repository, where the credentials are. */
export async function pushOwn(ground: Ground, stay: OwnStay): Promise<Pushed | Refusal> {
	const tip = await tipOfOwn(ground, stay);
	if (tip !== null && typeof tip !== "string") return tip;
	const { branch } = stay.workspace;
	if (tip === null) return { remote: "origin", branch, pushed: false, error: "there is no commit yet" };
	return await pushBranch(ground.git, stay.project.path, branch, tip);
}
