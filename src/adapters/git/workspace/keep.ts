// Snapshots and the trash, for the verbs of the work cycle.
import { cp, mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { AgentId } from "#contract/ids.ts";
import { nearestSnapshot } from "#contract/nearest-snapshot.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { FileName } from "#contract/snapshot.ts";
import type { Diff, WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout, DiffExtent, SnapshotState } from "#engine/ports/workspace-requests.ts";
import { abbreviated } from "../format/abbreviated.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { displayName, fromFileName } from "../format/names.ts";
import { exists } from "../layout/layout.ts";
import { isOurs, markerIn, readMarker, writeMarker } from "../layout/marker.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf } from "../run/user-input.ts";
import { registeredFor, worktreeAt } from "../run/worktrees.ts";
import { forgetWorktree, removeWorktree, resetTree } from "../snapshot/destroy.ts";
import { restoreSnapshot } from "../snapshot/restore.ts";
import { type SnapshotRequest, takeSnapshot, takeSnapshotDetailed } from "../snapshot/snapshot.ts";
import {
	emptyTree,
	findSnapshot,
	findSnapshots,
	keptSnapshots,
	refsOf,
	type StoredSnapshot,
} from "../snapshot/snapshots.ts";
import { renderDiff } from "../tree/render-diff.ts";
import { repairIndex, withBroken } from "../tree/repair-index.ts";
import { fetchRef, type GitContext, repositoryOf } from "./git-context.ts";
import { sandboxMarkerAt } from "./sandbox-mounts.ts";
import { gitFolderAt, markerAt, tooLongReason } from "./tree-status.ts";

/** manifests that one process reads */
const manifestsMax = 500;

export function requestFor(
	{ clock, given }: GitContext,
	{ agent, workspace }: Checkout,
	reason: string,
	turn: number | null = null,
): SnapshotRequest {
	return { folder: workspace.path, agent: agent.id, reason, turn, at: clock.now(), ...(given && { last: given.last }) };
}

/** The last snapshot again, not `fresh`, if nothing changed since. */
export async function take(
	context: GitContext,
	checkout: Checkout,
	reason: string,
	turn: number | null,
): Promise<{ snapshot: SnapshotState; fresh: boolean }> {
	const { snapshot, fresh } = await takeSnapshotDetailed(context.git, requestFor(context, checkout, reason, turn));
	return { snapshot: toSnapshot(snapshot), fresh };
}

/** The number of a snapshot among its agent's, which people use as its name. */
export const numberOf = ({ ref }: { ref: string }): string => ref.slice(ref.lastIndexOf("/") + 1);

export function toSnapshot({ ref, commit, manifest }: StoredSnapshot): SnapshotState {
	const [agent] = ref.split("/").slice(-2);
	const { at, reason, turn, head, missing } = manifest;
	const dirtySubmodules = missing.submodules.filter(({ dirty }) => dirty).map((submodule) => submodule.path);
	return {
		...{ id: numberOf({ ref }), commit, agent: AgentId.parse(agent), at, reason, turn, head: head.commit },
		missing: [
			...withReason(missing.nestedRepositories, "a repository of its own"),
			...withReason(dirtySubmodules, "a submodule with changes"),
			...withReason(missing.tooLarge, "too large"),
			...withReason(missing.special, "neither a file nor a link"),
			...withReason(missing.unreadable, "not readable"),
			...withReason(missing.tooLong ?? [], tooLongReason),
			...withReason(missing.names, "a name that git cannot hold"),
		],
		ignored: missing.ignoredCount,
	};
}

const withReason = (names: readonly FileName[], reason: string): { path: string; reason: string }[] =>
	names.map((name) => ({ path: displayName(fromFileName(name)), reason }));

/** The files of a tree that were not in the snapshot it was made from. */
export const notHeld = (names: readonly FileName[]): { path: string; reason: string }[] =>
	withReason(names, "not in the snapshot");

/** Newest first. */
export async function list(context: GitContext, checkout: Checkout): Promise<SnapshotState[]> {
	const folder = await snapshotRepository(checkout);
	const refs = (await keptSnapshots(context.git, folder, checkout.agent.id)).map(({ ref }) => ref).reverse();
	const found: SnapshotState[] = [];
	// a manifest may name thousands of files
	for (let from = 0; from < refs.length; from += manifestsMax)
		found.push(...(await findSnapshots(context.git, folder, refs.slice(from, from + manifestsMax))).map(toSnapshot));
	return found;
}

export async function has(context: GitContext, checkout: Checkout, id: string): Promise<boolean> {
	return (
		/^\d+$/.test(id) &&
		(await findSnapshot(context.git, await snapshotRepository(checkout), `${refsOf(checkout.agent.id)}/${id}`)) !== null
	);
}

/** The repository with an agent's snapshots: the project's, or that of a clone that still exists. */
async function snapshotRepository(checkout: Checkout): Promise<string> {
	return checkout.workspace.kind === "clone" && (await gitFolderAt(checkout.workspace.path)) !== null
		? checkout.workspace.path
		: checkout.project.path;
}

/** By its number or its commit; the refusal names the nearest one. */
export async function find(context: GitContext, checkout: Checkout, id: string): Promise<StoredSnapshot | Refusal> {
	const folder = await snapshotRepository(checkout);
	const all = await keptSnapshots(context.git, folder, checkout.agent.id);
	const wanted = all.find((one) => numberOf(one) === id || one.commit === id);
	const taken = wanted === undefined ? null : await findSnapshot(context.git, folder, wanted.ref);
	if (taken !== null && wanted !== undefined) return { ...taken, ref: wanted.ref };
	const left = all.map((one) => ({ id: numberOf(one) }));
	const { nearest, sentence } = nearestSnapshot(left, Number.parseInt(id, 10) || Number.MAX_SAFE_INTEGER);
	const whose = checkoutName(checkout);
	return refuse("SNAPSHOT_GONE", `There is no snapshot ${JSON.stringify(id)} of ${whose}. ${sentence}`, {
		details: { snapshot: id, nearest: nearest?.id ?? null },
		suggestions: [`brood snapshot list ${whose}`],
	});
}

export async function show(
	context: GitContext,
	checkout: Checkout,
	id: string,
	against?: string,
	what?: DiffExtent,
): Promise<Diff | Refusal> {
	const taken = await find(context, checkout, id);
	if (isRefusal(taken)) return taken;
	const folder = await snapshotRepository(checkout);
	if (against !== undefined && against !== "start") {
		const earlier = await find(context, checkout, against);
		return isRefusal(earlier)
			? earlier
			: await renderDiff({ git: context.git, folder }, [earlier.tree, taken.tree], `snapshot ${against}`, what);
	}
	const began = against === "start" ? await startIn(context, checkout, folder) : null;
	const from = began?.from ?? taken.manifest.head.commit ?? (await emptyTree(context.git, folder));
	return await renderDiff({ git: context.git, folder }, [from, taken.tree], began?.name ?? from, what);
}

/**
 * The files that the agent began with: a fork's are in a snapshot of its parent, while that is kept; else those of the
 * commit at which its branch began. Null if neither was recorded, or if the repository with the snapshots lacks them.
 */
async function startIn(
	context: GitContext,
	{ project, workspace }: Checkout,
	folder: string,
): Promise<{ from: string; name: string } | null> {
	const marker = (await sandboxMarkerAt(context, project, workspace.path)) ?? (await markerAt(workspace.path));
	const { start = null, forkedFrom } = marker ?? {};
	const forked =
		forkedFrom === undefined
			? null
			: await findSnapshot(context.git, folder, `${refsOf(forkedFrom.agent)}/${forkedFrom.snapshot}`);
	if (forked !== null) return { from: forked.tree, name: "the fork" };
	const commit = start === null ? null : await commitOf(context.git, folder, start);
	return commit === null ? null : { from: commit, name: commit };
}

export async function restore(
	context: GitContext,
	checkout: Checkout,
	id: string,
): Promise<{ snapshot: string | null; broken: string | null } | Refusal> {
	const { kind, path: folder } = checkout.workspace;
	// a snapshot is never restored into a person's own checkout
	if (kind === "main")
		return refuse(
			"CONFLICT",
			`${folder} is the repository itself. Snapshots are restored only into worktrees and clones.`,
			{
				details: { path: folder },
			},
		);
	const taken = await find(context, checkout, id);
	if (isRefusal(taken)) return taken;
	const broken = await repairIndex(context.git, checkout.workspace.path);
	const restored = await restoreSnapshot(context.git, {
		...requestFor(context, checkout, withBroken("before a restore", broken)),
		snapshot: taken.commit,
	});
	return isRefusal(restored) ? restored : { snapshot: numberOf(restored.before), broken };
}

/** A snapshot, then the tree as HEAD has it, ignored files left alone. `aside` says what was moved, and where to. */
export async function clean(
	context: GitContext,
	checkout: Checkout,
	reason: string,
): Promise<{ snapshot: string | null; aside: string | null } | Refusal> {
	const head = await commitOf(context.git, checkout.workspace.path, "HEAD");
	if (head === null)
		return refuse("CONFLICT", "The workspace has no commit yet, so there is nothing to go back to.", {
			details: { path: checkout.workspace.path },
		});
	const entry = await asideFolder(context, checkout);
	const request = requestFor(context, checkout, reason);
	const reset = await resetTree(context.git, request, head, path.join(entry, "files"));
	if (isRefusal(reset)) return reset;
	const { taken, moved } = reset;
	if (moved.length === 0) return { snapshot: numberOf(taken), aside: null };
	if (context.given === undefined) await writeMarker(markerIn(entry), noteOf(checkout));
	const names = abbreviated(moved.map(displayName));
	const submodules = new Set(taken.manifest.missing.submodules.map((submodule) => fromFileName(submodule.path)));
	const again = moved.some((name) => submodules.has(name))
		? " `git submodule update --init` fills the folder of a submodule again."
		: "";
	const aside = `No snapshot can hold ${names}: moved to ${path.join(entry, "files")}.${again}`;
	return { snapshot: numberOf(taken), aside };
}

/** In the trash; inside a sandbox, which cannot reach the trash, in the workspace's own git folder. */
export async function asideFolder(context: GitContext, checkout: Checkout): Promise<string> {
	const name = `${trashName(context, checkout)}-aside`;
	if (context.given === undefined) return name;
	const gitFolder = await gitFolderAt(checkout.workspace.path);
	return path.join(gitFolder ?? checkout.workspace.path, "brood-aside", path.basename(name));
}

/** Takes a snapshot, moves the folder into the trash and removes the worktree's entry. A missing folder is fine. */
export async function moveToTrash(
	context: GitContext,
	checkout: Checkout,
): Promise<{ snapshot: string | null; trash: string | null } | Refusal> {
	const { layout, git } = context;
	const { project, workspace } = checkout;
	const name = trashName(context, checkout);
	await mkdir(layout.trash, { recursive: true, mode: 0o700 });
	if (!(await exists(workspace.path))) {
		const aside =
			workspace.kind === "worktree"
				? await exclusively(project.path, async () => await trashWorktreeEntry(context, checkout, name))
				: null;
		return { snapshot: null, trash: aside };
	}
	const request = requestFor(context, checkout, withBroken("before a removal", await repairIndex(git, workspace.path)));
	if (workspace.kind === "clone") {
		const taken = await takeSnapshot(git, request);
		await fetchSnapshot(context, checkout, taken.ref, project.path);
		await mkdir(name, { mode: 0o700 });
		await writeMarker(markerIn(name), noteOf(checkout));
		await rename(workspace.path, path.join(name, "files"));
		return { snapshot: numberOf(taken), trash: name };
	}
	const removed = await removeWorktree(git, { ...request, trash: layout.trash, note: noteOf(checkout) });
	if (isRefusal(removed)) return removed;
	await rename(removed.trashed, name);
	return { snapshot: numberOf(removed.taken), trash: name };
}

export const trashName = ({ layout, clock }: GitContext, { project, agent }: Checkout): string =>
	path.join(layout.trash, `${clock.now()}-${project.slug}-${agent.handle}`);

/** The marker of a folder in the trash, which says whose it was. */
export const noteOf = ({ project, agent, workspace }: Checkout): WorkspaceMarker => ({
	agent: agent.id,
	project: project.slug,
	...workspace,
	start: null,
	ready: true,
});

/** Fetches a clone's snapshot into another repository. */
export async function fetchSnapshot({ git }: GitContext, from: Checkout, ref: string, to: string): Promise<void> {
	const own = repositoryOf(from);
	if (own !== to) await fetchRef(git, to, own, `+${ref}:${refsOf(from.agent.id)}/${numberOf({ ref })}`);
}

/** Copies git's entry of a worktree that is gone, with its index, into the trash, and removes the entry. */
export async function trashWorktreeEntry(
	{ git }: GitContext,
	checkout: Checkout,
	name: string,
): Promise<string | null> {
	const { project, workspace } = checkout;
	const known = await worktreeAt(git, project.path, workspace.path);
	if (known === null) return null;
	const folder = await registeredFor(git, project.path, workspace.path);
	const ours = folder !== null && isOurs(await readMarker(markerIn(folder)), checkout);
	if (ours) {
		await cp(folder, path.join(name, "git"), { recursive: true });
		await writeMarker(markerIn(name), noteOf(checkout));
	}
	await forgetWorktree(git, project.path, known.path, { locked: known.locked !== null });
	return ours ? name : null;
}
