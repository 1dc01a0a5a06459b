// What removes an agent's work: files, branches and worktrees. A function that takes files an agent may have worked on
// requires a snapshot that can restore them, or takes one; the others take only what Brood itself has made, or names of
// commits that are kept elsewhere. Folders are moved into the trash, and deleted only after their time there.
//
// Elsewhere only this goes without a snapshot: files that a failed checkout or merge has just written
// (`verbs/put-back.ts`), pipes, which have no content (`verbs/remove-pipes.ts`), and a `.git` pointer whose text was
// kept (`verbs/reattach.ts`).
import { lstat, mkdir, readdir, realpath, rename, rmdir, unlink } from "node:fs/promises";
import path from "node:path";
import { codeOf, nullIfMissing } from "#adapters/system/errors.ts";
import { removeFolder } from "#adapters/system/remove.ts";
import { expected } from "#contract/log.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import { abbreviated } from "../format/abbreviated.ts";
import { type ByteName, brief, displayName, namesIn, parentFolders, pathOf, toFileName } from "../format/names.ts";
import { branchRef, commitId } from "../format/refs.ts";
import { markerIn, writeMarker } from "../layout/marker.ts";
import { exclusively } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { operationFolders, readOperation } from "../tree/operation.ts";
import { openTree, type Tree } from "../tree/tree.ts";
import { copyAside } from "./copy-aside.ts";
import { notResettable } from "./not-held.ts";
import { type SnapshotRequest, takeSnapshot, takeSnapshotDetailed } from "./snapshot.ts";
import type { StoredSnapshot } from "./snapshots.ts";
import { makeWritable } from "./writable.ts";

export function incomplete(found: readonly ByteName[]): Refusal {
	return refuse(
		"SNAPSHOT_INCOMPLETE",
		`Files that no snapshot can hold would be overwritten: ${abbreviated(found.map((name) => brief(displayName(name))))}. Move them away first.`,
		{ details: { paths: found.slice(0, 50).map(toFileName) }, suggestions: ["git status --ignored"] },
	);
}

/** Deletes files that the snapshot holds, and the folders that are empty afterwards. */
export async function removeFiles(tree: Tree, _held: StoredSnapshot, names: readonly ByteName[]): Promise<void> {
	const root = await realpath(tree.folder);
	const folders = new Set<ByteName>();
	for (const name of names) {
		const file = pathOf(tree.folder, name);
		const parent = await realpath(pathOf(tree.folder, parentFolders(name).at(-1) ?? "."), { encoding: "latin1" }).catch(
			nullIfMissing,
		);
		const inside = parent !== null && `${parent}/`.startsWith(`${Buffer.from(root).toString("latin1")}/`);
		if (!inside) continue;
		await unlink(file).catch(nullIfMissing);
		for (const folder of parentFolders(name)) folders.add(folder);
	}
	await removeEmpty(tree, folders);
}

export async function removeEmpty(tree: Tree, folders: Iterable<ByteName>): Promise<void> {
	for (const folder of [...folders].sort((a, b) => b.length - a.length))
		await rmdir(pathOf(tree.folder, folder)).catch(expected("a folder that is not empty stays"));
}

/** Removes the operation's files, which the snapshot has. */
export async function removeOperation(tree: Tree, _held: StoredSnapshot): Promise<void> {
	for (const name of (await readOperation(tree)).keys())
		await unlink(path.join(tree.gitFolder, name)).catch(nullIfMissing);
	for (const folder of operationFolders) await removeFolder(path.join(tree.gitFolder, folder));
}

export async function removeIndex(tree: Tree, _held: StoredSnapshot): Promise<void> {
	await unlink(path.join(tree.gitFolder, "index")).catch(nullIfMissing);
}

/** Deletes a branch and keeps its commits under a ref of ours. Fails if the branch is not at `commit`. */
export async function deleteBranch(
	git: Git,
	repository: string,
	branch: string,
	commit: string,
): Promise<{ keptAs: string }> {
	const ref = branchRef(branch);
	const keptAs = `refs/brood/branches/${branch}/${commitId(commit)}`;
	await git(repository, ["update-ref", keptAs, commit]);
	await git(repository, ["update-ref", "-d", ref, commit]);
	return { keptAs };
}

/**
 * Takes a snapshot, then resets HEAD, its branch and the files to `commit`. Ignored files stay. What the snapshot
 * cannot hold and a reset would lose or leave behind is moved into the folder `aside` first; if one of them cannot be
 * moved, nothing has changed.
 */
export async function resetTree(
	git: Git,
	request: SnapshotRequest,
	commit: string,
	aside: string,
): Promise<{ taken: StoredSnapshot; moved: ByteName[] } | Refusal> {
	const tree = await openTree(request.folder);
	const { snapshot: taken, gathered } = await takeSnapshotDetailed(git, request);
	const listed = namesIn((await git(tree.folder, ["ls-tree", "-r", "-z", "--full-tree", commitId(commit)])).bytes);
	// "<mode> <type> <id>\t<name>"
	const target = new Map(listed.map((line) => [line.slice(line.indexOf("\t") + 1), line.split(/[ \t]/, 3)[2] ?? ""]));
	const leaving = notResettable(gathered, target);
	const untracked = (gathered.held?.entries ?? [])
		.map((entry) => entry.path.toString("latin1"))
		.filter((name) => !target.has(name));
	const changed = namesIn((await git(tree.folder, ["diff-index", "--name-only", "-z", commitId(commit)])).bytes);
	const closed = await makeWritable(tree.folder, { inside: [...untracked, ...changed], whole: leaving });
	if (closed.length > 0) return notWritable(tree.folder, closed);
	const moved = await moveNames(tree, leaving, aside);
	await removeOperation(tree, taken);
	await removeFiles(tree, taken, untracked);
	await git(tree.folder, ["reset", "-q", "--hard", commitId(commit)]);
	return { taken, moved };
}

const notWritable = (folder: string, closed: readonly ByteName[]): Refusal =>
	refuse(
		"CONFLICT",
		`Brood may not write in ${abbreviated(closed.map((name) => brief(displayName(name))))} of ${folder}, which belongs to another user. Nothing was changed. Change the owner with chown, or delete it.`,
		{ details: { path: folder, paths: closed.slice(0, 50).map(toFileName) } },
	);

/** All of them or none. */
async function moveNames(tree: Tree, names: readonly ByteName[], aside: string): Promise<ByteName[]> {
	const moved: ByteName[] = [];
	try {
		for (const name of names) {
			const parent = parentFolders(name).at(-1);
			await mkdir(parent === undefined ? aside : pathOf(aside, parent), { recursive: true, mode: 0o700 });
			await moveAside(pathOf(tree.folder, name), pathOf(aside, name));
			moved.push(name);
		}
		await removeEmpty(tree, moved.flatMap(parentFolders));
		return moved;
	} catch (error) {
		for (const name of moved.toReversed()) await moveAside(pathOf(aside, name), pathOf(tree.folder, name));
		throw error;
	}
}

/** Takes a snapshot and moves the worktree, with git's entry of it, into the trash. */
export async function removeWorktree(
	git: Git,
	request: SnapshotRequest & { trash: string; note?: WorkspaceMarker },
): Promise<{ taken: StoredSnapshot; trashed: string } | Refusal> {
	const tree = await openTree(request.folder);
	if (tree.gitFolder === tree.commonFolder)
		return refuse("FORBIDDEN", "This is the repository itself and not a worktree of it.");
	const taken = await takeSnapshot(git, request);
	return { taken, trashed: await exclusively(tree.commonFolder, async () => await intoTrash(tree, request)) };
}

async function intoTrash(
	tree: Tree,
	{ trash, at, note }: { trash: string; at: number; note?: WorkspaceMarker },
): Promise<string> {
	const trashed = path.join(trash, `${at}-${path.basename(tree.folder)}-${path.basename(tree.gitFolder)}`);
	await mkdir(trashed, { recursive: true });
	if (note !== undefined) await writeMarker(markerIn(trashed), note);
	await moveAside(tree.folder, path.join(trashed, "files"));
	await moveAside(tree.gitFolder, path.join(trashed, "git"));
	return trashed;
}

/** Copies where the two are on different disks or mounts: inside a sandbox, the tree and its git folder are. */
export async function moveAside(from: string | Buffer, to: string | Buffer): Promise<void> {
	try {
		await rename(from, to);
	} catch (error) {
		if (codeOf(error) !== "EXDEV") throw error;
		await copyAside(Buffer.from(from), Buffer.from(to));
		await removeFolder(from.toString());
	}
}

/** Deletes what has been in the trash for longer than this; only the entry `only`, if given. */
export async function emptyTrash(
	trash: string,
	rules: { now: number; olderThanMs: number; dryRun: boolean; only?: string },
): Promise<string[]> {
	const names = (await readdir(trash).catch(nullIfMissing)) ?? [];
	const chosen = names.filter((name) => rules.only === undefined || name === rules.only);
	const old = chosen.filter((name) => /^\d+-/.test(name) && Number.parseInt(name, 10) < rules.now - rules.olderThanMs);
	if (!rules.dryRun) for (const name of old) await removeFolder(path.join(trash, name));
	return old;
}

/** Discards a worktree that is being made and not in use yet. */
export async function discardNewWorktree(git: Git, made: NewWorktree): Promise<void> {
	const tree = await openTree(made.folder).catch(() => null);
	await removeFolder(made.folder);
	if (tree !== null && tree.gitFolder !== tree.commonFolder) await removeFolder(tree.gitFolder);
	if (made.commit !== null) await discardNewBranch(git, { ...made, commit: made.commit });
}

export interface NewWorktree {
	repository: string;
	folder: string;
	branch: string;
	/** null for a branch that has no commit yet */
	commit: string | null;
}

/** Deletes a branch that was just made at this commit. */
export async function discardNewBranch(
	git: Git,
	{ repository, branch, commit }: { repository: string; branch: string; commit: string },
): Promise<void> {
	await git(repository, ["update-ref", "-d", branchRef(branch), commit], { answers: [1, 128] });
}

/** Names in the trash with this prefix need not be kept: no agent has worked in those folders. */
export const discardedPrefix = ".unmade-";

/** Discards a folder that we made. It is renamed first, so that a crash never leaves half a tree in its place. */
export async function discardNewFolder(
	folder: string,
	{ trash, salt }: { trash: string; salt: string },
): Promise<void> {
	if ((await lstat(folder).catch(nullIfMissing)) === null) return;
	await mkdir(trash, { recursive: true, mode: 0o700 });
	const name = `${discardedPrefix}${salt}`;
	await rename(folder, path.join(trash, name));
	await emptyDiscarded(trash, name);
}

export async function emptyDiscarded(trash: string, name: string): Promise<void> {
	if (!name.startsWith(discardedPrefix) || name.includes("/")) throw new Error(`${name} is somebody's`);
	await removeFolder(path.join(trash, name));
}

/** Removes the entry of a worktree whose folder is gone. `git worktree prune` would remove others too. */
export async function forgetWorktree(
	git: Git,
	repository: string,
	folder: string,
	{ locked }: { locked: boolean },
): Promise<void> {
	if ((await lstat(folder).catch(nullIfMissing)) !== null) throw new Error(`${folder} is still there`);
	// git locks a worktree while it makes it, and a killed git leaves the lock
	if (locked) await git(repository, ["worktree", "unlock", folder], { answers: [128] });
	await git(repository, ["worktree", "remove", folder], { answers: [128] });
}

/** Deletes refs of ours, each only if it still has the id that the caller saw. */
export async function dropRefs(
	git: Git,
	repository: string,
	refs: readonly { ref: string; id: string }[],
): Promise<void> {
	for (const { ref } of refs) if (!ref.startsWith("refs/brood/")) throw new Error(`${ref} is not ours`);
	await git(repository, ["update-ref", "-z", "--stdin"], {
		input: refs.map(({ ref, id }) => `delete ${ref}\0${commitId(id)}\0`).join(""),
	});
}

/**
 * Removes unreachable objects older than this. The caller keeps everything else by refs. Reflogs, rerere records and
 * entries of missing worktrees stay, whatever the configuration says.
 */
export async function pruneUnreachable(
	git: Git,
	repository: string,
	{ olderThanSeconds }: { olderThanSeconds: number },
): Promise<void> {
	const never = [
		"gc.reflogExpire",
		"gc.reflogExpireUnreachable",
		"gc.worktreePruneExpire",
		"gc.rerereResolved",
		"gc.rerereUnresolved",
	];
	const args = [...never.flatMap((key) => ["-c", `${key}=never`]), "-c", "pack.threads=1", "-c", "gc.cruftPacks=false"];
	await git(repository, [...args, "gc", "--quiet", `--prune=${olderThanSeconds}.seconds.ago`], {
		timeoutMs: 30 * 60_000,
		background: true,
	});
}

export async function dropQuarantine(folder: string): Promise<void> {
	if (!path.basename(folder).startsWith("tmp_objdir-brood-")) throw new Error(`${folder} is not a quarantine`);
	await removeFolder(folder);
}
