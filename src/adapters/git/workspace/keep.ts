// Snapshots and the trash, as the verbs of the work cycle need them.
import { cp, mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { AgentId } from "#contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Diff, WorkspaceMark } from "#contract/workspace.ts";
import type { Snapshot, Stay } from "#engine/workspaces.ts";
import { exists } from "../layout/layout.ts";
import { isOurs, markIn, readMark, writeMark } from "../layout/mark.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf } from "../run/given.ts";
import { registeredFor, worktreeAt } from "../run/worktrees.ts";
import { forgetWorktree, removeWorktree, resetTree } from "../snapshot/destroy.ts";
import { restoreSnapshot } from "../snapshot/restore.ts";
import { type SnapshotRequest, takeAndTell, takeSnapshot } from "../snapshot/snapshot.ts";
import { emptyTree, findSnapshot, findSnapshots, kept, refsOf, type Snapshot as Taken } from "../snapshot/snapshots.ts";
import { drawDiff } from "../tree/draw-diff.ts";
import { mendIndex, withBroken } from "../tree/mend-index.ts";
import { type Ground, repositoryOf } from "./ground.ts";
import { gitFolderAt, tooLongReason } from "./look.ts";

/** so many manifests are read by one process */
const atOnce = 500;

export function requestFor({ clock, given }: Ground, { agent, workspace }: Stay, reason: string, turn: number | null = null): SnapshotRequest {
	return { folder: workspace.path, agent: agent.id, reason, turn, at: clock.now(), ...(given && { last: given.last }) };
}

/** The last one again, not `fresh`, if the tree is as that has it. */
export async function take(ground: Ground, stay: Stay, reason: string, turn: number | null): Promise<{ snapshot: Snapshot; fresh: boolean }> {
	const { snapshot, fresh } = await takeAndTell(ground.git, requestFor(ground, stay, reason, turn));
	return { snapshot: told(snapshot), fresh };
}

/** The number of a snapshot in its agent's row of them, by which people call it. */
export const numberOf = ({ ref }: { ref: string }): string => ref.slice(ref.lastIndexOf("/") + 1);

export function told({ ref, commit, manifest }: Taken): Snapshot {
	const [agent] = ref.split("/").slice(-2);
	const { nestedRepositories, submodules, tooLarge, special, unreadable, tooLong = [], names, ignoredCount } = manifest.missing;
	const missing = [
		...nestedRepositories.map((name) => ({ path: nameOf(name), reason: "a repository of its own" })),
		...submodules.filter(({ dirty }) => dirty).map((submodule) => ({ path: nameOf(submodule.path), reason: "a submodule with changes" })),
		...tooLarge.map((name) => ({ path: nameOf(name), reason: "too large" })),
		...special.map((name) => ({ path: nameOf(name), reason: "neither a file nor a link" })),
		...unreadable.map((name) => ({ path: nameOf(name), reason: "not readable" })),
		...tooLong.map((name) => ({ path: nameOf(name), reason: tooLongReason })),
		...names.map((name) => ({ path: nameOf(name), reason: "a name that git cannot hold" })),
	];
	const { at, reason, turn, head } = manifest;
	return { id: numberOf({ ref }), commit, agent: AgentId.parse(agent), at, reason, turn, head: head.commit, missing, ignored: ignoredCount };
}

type Name = Taken["manifest"]["emptyDirectories"][number];
export const nameOf = (name: Name): string => (typeof name === "string" ? name : Buffer.from(name.base64, "base64").toString().toWellFormed());

/** Newest first. */
export async function list(ground: Ground, stay: Stay): Promise<Snapshot[]> {
	const folder = await homeOfSnapshots(stay);
	const refs = (await kept(ground.git, folder, stay.agent.id)).map(({ ref }) => ref).reverse();
	const found: Snapshot[] = [];
	// each manifest may name thousands of files
	for (let from = 0; from < refs.length; from += atOnce) found.push(...(await findSnapshots(ground.git, folder, refs.slice(from, from + atOnce))).map(told));
	return found;
}

export async function has(ground: Ground, stay: Stay, id: string): Promise<boolean> {
	return /^\d+$/.test(id) && (await findSnapshot(ground.git, await homeOfSnapshots(stay), `${refsOf(stay.agent.id)}/${id}`)) !== null;
}

/** The repository that an agent's snapshots are in; that of a clone that is gone is the project's. */
async function homeOfSnapshots(stay: Stay): Promise<string> {
	return stay.workspace.kind === "clone" && (await gitFolderAt(stay.workspace.path)) !== null ? stay.workspace.path : stay.project.path;
}

/** By its number or its commit; the refusal names the nearest that is there. */
export async function find(ground: Ground, stay: Stay, id: string): Promise<Taken | Refusal> {
	const folder = await homeOfSnapshots(stay);
	const all = await kept(ground.git, folder, stay.agent.id);
	const wanted = all.find((one) => numberOf(one) === id || one.commit === id);
	const taken = wanted === undefined ? null : await findSnapshot(ground.git, folder, wanted.ref);
	if (taken !== null && wanted !== undefined) return { ...taken, ref: wanted.ref };
	const distance = ({ sequence }: { sequence: number }): number => Math.abs(sequence - (Number.parseInt(id, 10) || Number.MAX_SAFE_INTEGER));
	const nearest = all.toSorted((a, b) => distance(a) - distance(b))[0];
	const whose = `${stay.project.slug}/${stay.agent.handle}`;
	return refuse(
		"SNAPSHOT_GONE",
		`There is no snapshot ${JSON.stringify(id)} of ${whose}${nearest === undefined ? "" : `; the nearest is ${nearest.sequence}`}.`,
		{
			details: { snapshot: id, nearest: nearest === undefined ? null : String(nearest.sequence) },
			suggestions: [`brood snapshot list ${whose}`],
		},
	);
}

export async function show(ground: Ground, stay: Stay, id: string): Promise<Diff | Refusal> {
	const taken = await find(ground, stay, id);
	if (isRefusal(taken)) return taken;
	const folder = await homeOfSnapshots(stay);
	const from = taken.manifest.head.commit ?? (await emptyTree(ground.git, folder));
	return await drawDiff({ git: ground.git, folder }, [from, taken.tree], from);
}

export async function restore(ground: Ground, stay: Stay, id: string): Promise<{ snapshot: string | null; broken: string | null } | Refusal> {
	const { kind, path: folder } = stay.workspace;
	// nothing but an approve writes into a person's own checkout
	if (kind === "main") return refuse("CONFLICT", `${folder} is the project itself; no snapshot is put back there.`, { details: { path: folder } });
	const taken = await find(ground, stay, id);
	if (isRefusal(taken)) return taken;
	const broken = await mendIndex(ground.git, stay.workspace.path);
	const restored = await restoreSnapshot(ground.git, { ...requestFor(ground, stay, withBroken("before a restore", broken)), snapshot: taken.commit });
	return isRefusal(restored) ? restored : { snapshot: numberOf(restored.before), broken };
}

/** A snapshot, then the tree as HEAD has it, ignored files left alone. */
export async function clean(ground: Ground, stay: Stay, reason: string): Promise<{ snapshot: string | null } | Refusal> {
	const head = await commitOf(ground.git, stay.workspace.path, "HEAD");
	if (head === null) return refuse("CONFLICT", "There is no commit yet that the tree could go back to.", { details: { path: stay.workspace.path } });
	const held = await resetTree(ground.git, requestFor(ground, stay, reason), head);
	return isRefusal(held) ? held : { snapshot: numberOf(held) };
}

/** A snapshot, then the folder into the trash and the worktree off the repository's list. What is gone already is no failure. */
export async function bin(ground: Ground, stay: Stay): Promise<{ snapshot: string | null; trash: string | null } | Refusal> {
	const { layout, clock, git } = ground;
	const { project, agent, workspace } = stay;
	const name = path.join(layout.trash, `${clock.now()}-${project.slug}-${agent.handle}`);
	await mkdir(layout.trash, { recursive: true, mode: 0o700 });
	if (!(await exists(workspace.path))) {
		const aside = workspace.kind === "worktree" ? await exclusively(project.path, async () => await setAside(ground, stay, name)) : null;
		return { snapshot: null, trash: aside };
	}
	const request = requestFor(ground, stay, withBroken("before a removal", await mendIndex(git, workspace.path)));
	if (workspace.kind === "clone") {
		const held = await takeSnapshot(git, request);
		await bringSnapshot(ground, stay, held.ref, project.path);
		await mkdir(name, { mode: 0o700 });
		await writeMark(markIn(name), noteOf(stay));
		await rename(workspace.path, path.join(name, "files"));
		return { snapshot: numberOf(held), trash: name };
	}
	const binned = await removeWorktree(git, { ...request, trash: layout.trash, note: noteOf(stay) });
	if (isRefusal(binned)) return binned;
	await rename(binned.trashed, name);
	return { snapshot: numberOf(binned.held), trash: name };
}

/** What is put beside something in the trash, so that it can be told later whose it was: names alone do not say. */
export const noteOf = ({ project, agent, workspace }: Stay): WorkspaceMark => ({
	agent: agent.id,
	project: project.slug,
	...workspace,
	start: null,
	ready: true,
});

/** A clone's snapshot, for when the clone is gone or another repository needs it. */
export async function bringSnapshot({ git }: Ground, from: Stay, ref: string, to: string): Promise<void> {
	const own = repositoryOf(from);
	if (own !== to) await git(to, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", own, `+${ref}:${refsOf(from.agent.id)}/${numberOf({ ref })}`]);
}

/** What git still knows of a tree that is gone, its index above all, goes to the trash before it is forgotten. */
export async function setAside({ git }: Ground, stay: Stay, name: string): Promise<string | null> {
	const { project, workspace } = stay;
	const known = await worktreeAt(git, project.path, workspace.path);
	if (known === null) return null;
	const folder = await registeredFor(git, project.path, workspace.path);
	const ours = folder !== null && isOurs(await readMark(markIn(folder)), stay);
	if (ours) {
		await cp(folder, path.join(name, "git"), { recursive: true });
		await writeMark(markIn(name), noteOf(stay));
	}
	await forgetWorktree(git, project.path, known.path, { locked: known.locked !== null });
	return ours ? name : null;
}
