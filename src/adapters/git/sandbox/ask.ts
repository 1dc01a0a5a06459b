// Asking the program inside of an agent's sandbox, and bringing out what it has: the tip of the branch and snapshots, as objects, into refs
// of the project that are named here.
import type { Room } from "#adapters/system/mounts.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { ProjectPlace, Stay } from "#engine/workspaces.ts";
import { branchRef } from "../format/refs.ts";
import { readPrimaryMarkAt } from "../layout/mark.ts";
import { commitOf } from "../run/given.ts";
import { worktreesOf } from "../run/worktrees.ts";
import { emptyTree, findSnapshot, newestOf, readObjects, refsOf, rememberNewest, type Snapshot } from "../snapshot/snapshots.ts";
import { RoomFault, type Rooms } from "../worker/rooms.ts";
import { type Scene, type Step, steps } from "../worker/steps.ts";
import { keepBorrowed } from "../workspace/borrows.ts";
import { type Ground, isAncestor } from "../workspace/ground.ts";
import { gitOf, ownRoom } from "../workspace/room.ts";
import { settingsOf } from "../workspace/settings.ts";
import { bringIn } from "./quarantine.ts";

/** An agent in a workspace with a git folder of its own. */
export interface OwnStay extends Stay {
	mark: WorkspaceMark;
}

/** What the project knows of it, before and after a step. */
export interface Sight {
	scene: Scene;
	/** the tip of its branch, as the project last saw it */
	seen: string | null;
}

/** Steps that write, or that read every file. */
export const longMs = 15 * 60 * 1000;

/** The tip of an agent's branch, as it last came out. A slash would make folders, and one branch may be called like another's folder. */
export const workRef = (agent: string, branch: string): string => `refs/brood/work/${agent}/${branch.replaceAll("%", "%25").replaceAll("/", "%2F")}`;

export function roomsOf({ rooms, containment }: Ground): Rooms | Refusal {
	if (rooms !== undefined && containment === "bubblewrap") return rooms;
	const output = "The project asks for a sandbox (sandbox: on), which needs bubblewrap.";
	return refuse("CONFLICT", output, { details: { output }, suggestions: ["brood doctor"] });
}

export async function sightOf(ground: Ground, { project, agent, workspace, mark }: OwnStay): Promise<Sight | Refusal> {
	const { git, layout, clock } = ground;
	const names = [`refs/heads/${workspace.base}`, branchRef(workspace.branch), `refs/remotes/origin/${workspace.branch}`, workRef(agent.id, workspace.branch)];
	const [force, { snapshot: last, objects }, primary] = await Promise.all([
		settingsOf(ground, project),
		newestOf(
			git,
			{ folder: project.path, commonFolder: project.path },
			agent.id,
			names.map((name) => `${name}^{commit}`),
		),
		readPrimaryMarkAt(layout.primaryMark(project.slug)),
	]);
	if (isRefusal(force)) return force;
	const [base = null, branch = null, theirs = null, seen = null] = objects.map((object) => object?.id ?? null);
	const scene: Scene = {
		now: clock.now(),
		primaryFolder: layout.primary(project.slug),
		checkout: project.path === layout.mirror(project.slug) ? null : project.path,
		project: { slug: project.slug, path: project.path, base: project.base ?? null },
		agent,
		workspace,
		given: { settings: force.settings, base, branch: branch ?? theirs, start: mark.start, last, primary },
	};
	return { scene, seen };
}

interface How {
	timeoutMs?: number | undefined;
	signal?: AbortSignal | undefined;
	/** another workspace that this step may look at */
	beside?: WorkspaceMark | undefined;
	bytes?(chunk: Buffer): Promise<void>;
}

/** Throws a `RoomFault` if it cannot be had. */
export async function ask<W, A>(ground: Ground, stay: OwnStay, step: Step<W, A>, { scene }: Sight, wish: W, how: How = {}): Promise<A> {
	const rooms = roomsOf(ground);
	if (isRefusal(rooms)) throw new Error(rooms.message);
	const room = await roomFor(ground, stay.project, stay.mark, how.beside);
	return await rooms.ask(room, step, {
		...{ scene, wish },
		...(how.timeoutMs !== undefined && { timeoutMs: how.timeoutMs }),
		...(how.signal !== undefined && { signal: how.signal }),
		...(how.bytes !== undefined && { bytes: how.bytes }),
	});
}

async function roomFor(ground: Ground, project: ProjectPlace, mark: WorkspaceMark, beside?: WorkspaceMark): Promise<Room> {
	const room = await ownRoom(ground, project, mark);
	if (isRefusal(room)) throw new RoomFault(room.message);
	if (beside === undefined) return room;
	return { ...room, readable: [...room.readable, beside.path], bound: [...(room.bound ?? []), await gitOf(ground, project, beside, false)] };
}

/** Objects out of the sandbox and into the project's store, whole and checked. */
async function bring(ground: Ground, stay: OwnStay, sight: Sight, want: readonly string[]): Promise<void> {
	const { base, branch, start, last } = sight.scene.given;
	const have = [base, branch, start, last?.commit ?? null, sight.seen].filter((commit) => commit !== null);
	await bringIn({
		git: ground.git,
		repository: stay.project.path,
		salt: ground.ids.salt(),
		...{ want, have },
		send: async (bytes) => void (await ask(ground, stay, steps.pack, sight, { want: [...want], have }, { timeoutMs: longMs, bytes })),
	});
}

/** A tree of files as an object that the project has; nothing leads to it, and nobody needs it for long. */
export async function bringTree(ground: Ground, stay: OwnStay, sight: Sight, tree: string): Promise<void> {
	await bring(ground, stay, sight, [tree]);
}

/** After a step: what is new comes out. Answers where the branch is. */
export async function bringOut(
	ground: Ground,
	stay: OwnStay,
	sight: Sight,
	{ keepOld = false, everything = false } = {},
): Promise<{ tip: string | null; snapshot: Snapshot | null }> {
	const tips = await ask(ground, stay, steps.tips, sight, {});
	const news = tips.taken !== null && (await isNews(ground, stay, sight, tips.taken)) ? tips.taken : null;
	// what somebody else put there stays there
	const snapshot = news === null ? null : await bringSnapshotOut(ground, stay, sight, news).catch(noSnapshot);
	if (tips.branch !== null && tips.branch !== sight.seen) {
		await bring(ground, stay, sight, [tips.branch]);
		await seeTip(ground, stay, sight.seen, tips.branch, { keepOld });
	}
	if (everything) await keepOthers(ground, stay, sight, tips.others);
	return { tip: tips.branch, snapshot };
}

class NoSnapshot extends RoomFault {}

function noSnapshot(error: unknown): null {
	if (error instanceof NoSnapshot) return null;
	throw error;
}

/** The ref inside may be an old one that came out long ago, or anything that somebody put there. */
async function isNews({ git }: Ground, { project }: OwnStay, { scene }: Sight, taken: string): Promise<boolean> {
	return taken !== scene.given.last?.commit && (await commitOf(git, project.path, taken)) === null;
}

/** Other branches of its own repository, before that goes. */
async function keepOthers(ground: Ground, stay: OwnStay, sight: Sight, others: readonly string[]): Promise<void> {
	for (const commit of others) {
		if ((await commitOf(ground.git, stay.project.path, commit)) !== null) continue;
		await bring(ground, stay, sight, [commit]);
		await ground.git(stay.project.path, ["update-ref", `refs/brood/left/${stay.agent.id}/${commit}`, commit]);
	}
}

/** Throws `NoSnapshot` for anything that is not exactly as our own program makes them: whoever is inside can put what they like there. */
export async function bringSnapshotOut(ground: Ground, stay: OwnStay, sight: Sight, commit: string): Promise<Snapshot> {
	const { git } = ground;
	const { project, agent } = stay;
	await bring(ground, stay, sight, [commit]);
	const sequence = (sight.scene.given.last?.sequence ?? 0) + 1;
	const ref = `${refsOf(agent.id)}/${sequence}`;
	const snapshot = await findSnapshot(git, project.path, commit);
	const [object, files] = await readObjects(git, project.path, [commit, `${commit}:tree`]);
	// a line more in the message would be read as a snapshot of somebody else
	const digest = /^(?:[^\n]+\n)+\nSnapshot: [^\n]*\n\nContent: ([0-9a-f]{64})\n$/.exec(object?.bytes.toString() ?? "")?.[1];
	const holds = snapshot !== null && snapshot.tree === (files?.id ?? (await emptyTree(git, project.path)));
	if (!holds || digest === undefined) throw new NoSnapshot(`${commit} in the git folder of ${agent.handle} is no snapshot that Brood has made`);
	await git(project.path, ["update-ref", ref, commit, "0".repeat(commit.length)]);
	const kept = { ref, commit, agent: agent.id, sequence, at: snapshot.manifest.at, digest };
	rememberNewest({ commonFolder: project.path }, kept);
	sight.scene = { ...sight.scene, given: { ...sight.scene.given, last: kept } };
	return { ...snapshot, ref };
}

/**
 * The project's own branch of that name follows, for people who look there and for whoever works on it next: unless somebody else moved
 * it, or has it checked out.
 */
export async function seeTip(
	{ git }: Ground,
	{ project, agent, workspace }: Stay,
	before: string | null,
	tip: string,
	{ keepOld = false } = {},
): Promise<void> {
	const ref = branchRef(workspace.branch);
	const here = await commitOf(git, project.path, ref);
	const theirs = (await worktreesOf(git, project.path)).some(({ branch }) => branch === ref);
	const follows = here === null || here === before || (await isAncestor(git, project.path, here, tip));
	const lost = keepOld && before !== null && !(await isAncestor(git, project.path, before, tip));
	const none = "0".repeat(tip.length);
	const lines = [
		`update ${workRef(agent.id, workspace.branch)}\0${tip}\0\0`,
		...(lost ? [`update refs/brood/left/${agent.id}/${before}\0${before}\0\0`] : []),
		...(follows && !theirs && here !== tip && workspace.branch !== workspace.base ? [`update ${ref}\0${tip}\0${here ?? none}\0`] : []),
	];
	await git(project.path, ["update-ref", "-z", "--stdin"], { input: lines.join("") });
}

/** What it needs of the project's objects from now on. */
export async function borrow({ git }: Ground, { project, agent }: Stay, kept: Parameters<typeof keepBorrowed>[3]): Promise<void> {
	await keepBorrowed(git, project.path, agent.id, kept);
}
