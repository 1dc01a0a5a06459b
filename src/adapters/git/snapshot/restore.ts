// Restores a snapshot, byte for byte: files, index, operation, HEAD. The current state is put into a snapshot first.
// Files that no snapshot can hold are never overwritten, and ignored files are not touched.
import { copyFile, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { expected } from "#contract/log.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { FileName } from "#contract/snapshot.ts";
import { type ByteName, fromFileName, parentFolders, pathOf } from "../format/names.ts";
import { treeEntries } from "../format/tree-object.ts";
import type { Git } from "../run/git.ts";
import { type ReadObjects, withObjects } from "../run/objects.ts";
import { headOf } from "../run/user-input.ts";
import { quickCheckout } from "../tree/checkout.ts";
import { staysInside } from "../tree/links.ts";
import { type GitOperation, writeOperation } from "../tree/operation.ts";
import { changedFiles, type Head, openTree, type Tree } from "../tree/tree.ts";
import { deleteBranch, incomplete, removeEmpty, removeFiles, removeIndex, removeOperation } from "./destroy.ts";
import { gather, shadowIndexOf } from "./gather.ts";
import { collisions, notInSnapshot } from "./not-held.ts";
import { openShadow } from "./shadow.ts";
import { type SnapshotRequest, snapshotFileBytesMax, takeSnapshotDetailed } from "./snapshot.ts";
import { type StoredSnapshot, snapshotsIn } from "./snapshots.ts";

export interface Restored {
	snapshot: StoredSnapshot;
	/** the state before the restore */
	before: StoredSnapshot;
	/** files that the snapshot could not hold, so they were not restored */
	missing: FileName[];
}

export async function restoreSnapshot(
	git: Git,
	request: SnapshotRequest & { snapshot: string },
): Promise<Restored | Refusal> {
	const tree = await openTree(request.folder);
	const found = await readSnapshot(git, request.folder, request.snapshot);
	if (found === null) return refuse("SNAPSHOT_GONE", "That snapshot no longer exists: it expired, or it was deleted.");
	const { snapshot, ...parts } = found;
	const moved = await branchToMove(git, tree, snapshot.manifest.head);
	if (isRefusal(moved)) return moved;
	const { snapshot: before, gathered: now } = await takeSnapshotDetailed(git, {
		...request,
		keep: [...(request.keep ?? []), ...(moved.commit === null ? [] : [moved.commit])],
	});
	const changes = await changedFiles(git, tree.folder, [now.id, snapshot.tree]);
	const remove = changes.filter(({ status }) => status !== "A").map(({ name }) => name);
	const write = changes.filter(({ status }) => status !== "D").map(({ name }) => name);
	const lost = collisions(notInSnapshot(now.survey, now), write);
	if (lost.length > 0) return incomplete(lost);
	await removeOperation(tree, before);
	await removeFiles(tree, before, remove);
	const wantedEmpty = new Set(snapshot.manifest.emptyDirectories.map(fromFileName));
	// a folder that holds only empty folders is removed with them
	const empty = now.survey.emptyDirectories.flatMap((folder) => [folder, ...parentFolders(folder)]);
	await removeEmpty(tree, new Set(empty.filter((folder) => !wantedEmpty.has(folder))));
	if (write.length > 0) await writeFiles(git, tree, snapshot.tree, { from: shadowIndexOf(tree) });
	await restoreParts(tree, snapshot, parts, before);
	await restoreHead(git, tree, snapshot.manifest.head, before.manifest.head);
	await refresh(git, tree);
	const after = await gather(git, tree, request.fileBytesMax ?? snapshotFileBytesMax);
	if (after.id !== snapshot.tree)
		throw new Error(
			`the files in ${request.folder} are not those of ${snapshot.ref}; what was there before is ${before.ref}`,
		);
	return { snapshot, before, missing: missingFrom(snapshot) };
}

/** Files, index and operation of a snapshot, in a tree that has no files yet. */
export async function fillTree(git: Git, tree: Tree, snapshot: StoredSnapshot, parts: SnapshotParts): Promise<void> {
	await writeFiles(git, tree, snapshot.tree);
	await restoreParts(tree, snapshot, parts);
	await refresh(git, tree);
}

/** Directories, the index and the operation of a snapshot, in a tree that has its files. */
async function restoreParts(
	tree: Tree,
	snapshot: StoredSnapshot,
	{ index, operation }: SnapshotParts,
	before?: StoredSnapshot,
): Promise<void> {
	const { emptyDirectories, missing } = snapshot.manifest;
	const submodules = missing.submodules.filter(({ state }) => state !== "absent").map((submodule) => submodule.path);
	for (const name of [...emptyDirectories, ...submodules].map(fromFileName).filter(staysInside)) {
		if (!(await isBlocked(tree, name))) await mkdir(pathOf(tree.folder, name), { recursive: true });
	}
	if (index !== null) await replaceIndex(tree, index);
	else if (before !== undefined) await removeIndex(tree, before);
	await writeOperation(tree, operation);
}

/** Whether a link or a file is in the way of a folder. */
async function isBlocked({ folder }: Tree, name: ByteName): Promise<boolean> {
	const stats = await Promise.all(
		[...parentFolders(name), name].map((part) => lstat(pathOf(folder, part)).catch(nullIfMissing)),
	);
	return stats.some((stat) => stat !== null && !stat.isDirectory());
}

export interface SnapshotParts {
	index: Buffer | null;
	operation: GitOperation;
}

/** A snapshot by its ref or commit, and its parts. */
export async function readSnapshot(
	git: Git,
	folder: string,
	snapshot: string,
): Promise<({ snapshot: StoredSnapshot } & SnapshotParts) | null> {
	return await withObjects(git, folder, async (read) => {
		const [found] = await snapshotsIn(read, [snapshot]);
		return found === undefined ? null : { snapshot: found, ...(await partsIn(read, found)) };
	});
}

/** The index and the operation that a snapshot holds. */
export async function readParts(git: Git, folder: string, snapshot: StoredSnapshot): Promise<SnapshotParts> {
	return await withObjects(git, folder, async (read) => await partsIn(read, snapshot));
}

async function partsIn(read: ReadObjects, { commit }: StoredSnapshot): Promise<SnapshotParts> {
	const [index, top] = await read([`${commit}:index`, `${commit}:operation`]);
	const operation = new Map<string, Buffer>();
	let folders = top == null ? [] : [{ name: "", bytes: top.bytes }];
	// an operation has a few files; a commit that somebody made may have any number
	for (let left = operationFilesMax; folders.length > 0; ) {
		const entries = folders.flatMap(({ name, bytes }) => treeEntries(bytes, commit.length / 2, name));
		left -= entries.length;
		if (left < 0) throw new Error(`the operation in ${commit} has too many files`);
		const objects = await read(entries.map(({ id }) => id));
		const found = entries.flatMap(({ name, mode }, at) => {
			const bytes = objects[at]?.bytes;
			return bytes === undefined ? [] : [{ name, mode, bytes }];
		});
		for (const { name, mode, bytes } of found) if (mode.startsWith("100")) operation.set(name, bytes);
		folders = found.filter(({ mode }) => mode === "40000").map(({ name, bytes }) => ({ name: `${name}/`, bytes }));
	}
	return { index: index?.bytes ?? null, operation };
}

const operationFilesMax = 10_000;

/** Refills the index's stat cache, so that the next `git status` is fast. */
export async function refresh(git: Git, { folder }: Pick<Tree, "folder">): Promise<void> {
	await git(folder, ["update-index", "-q", "--refresh"], { answers: [1] });
}

/** As git does it: only the holder of index.lock may write. */
async function replaceIndex({ gitFolder }: Tree, bytes: Buffer): Promise<void> {
	const lock = path.join(gitFolder, "index.lock");
	const file = await open(lock, "wx");
	try {
		await file.writeFile(bytes);
		await file.sync();
		await file.close();
		await rename(lock, path.join(gitFolder, "index"));
	} catch (error) {
		await file.close().catch(expected("the error that led here is thrown"));
		await rm(lock, { force: true });
		throw error;
	}
}

export function missingFrom({ manifest: { missing } }: StoredSnapshot): FileName[] {
	const submodules = missing.submodules
		.filter(({ state }) => state === "repository")
		.map((submodule) => submodule.path);
	return [
		...missing.nestedRepositories,
		...submodules,
		...missing.tooLarge,
		...missing.special,
		...missing.unreadable,
		...(missing.tooLong ?? []),
		...missing.names,
	];
}

/**
 * Writes the files of a snapshot's tree as raw bytes: those that differ from the index `from`, which are not there any
 * more, or all of them. Git overwrites none that is there.
 */
async function writeFiles(git: Git, tree: Tree, id: string, { from }: { from?: string } = {}): Promise<void> {
	await using shadow = await openShadow(git, tree);
	// a copy, so that the next snapshot reads what was written
	if (from !== undefined) await copyFile(from, path.join(shadow.folder, "index")).catch(nullIfMissing);
	await shadow.git([...quickCheckout, "read-tree", "-m", "-u", id], { timeoutMs: 600_000 });
}

/** The commit of the snapshot's branch, if it has to move. It must not be checked out elsewhere. */
async function branchToMove(git: Git, tree: Tree, then: Head): Promise<{ commit: string | null } | Refusal> {
	if (then.branch === null) return { commit: null };
	const { text } = await git(tree.folder, ["for-each-ref", "--format=%(objectname) %(worktreepath)", then.branch]);
	const [commit = "", ...rest] = text.split(" ");
	const elsewhere = rest.join(" ");
	if (elsewhere !== "" && (await headOf(git, tree.folder)) !== then.branch)
		return refuse(
			"CONFLICT",
			`The branch ${then.branch} of the snapshot is checked out in ${elsewhere}. Check out another branch there first.`,
		);
	return { commit: commit === "" || commit === then.commit ? null : commit };
}

async function restoreHead(git: Git, tree: Tree, { branch, commit }: Head, now: Head): Promise<void> {
	if (branch === now.branch && commit === now.commit) return;
	const why = ["-m", "brood: back to a snapshot"];
	if (branch === null) {
		if (commit !== null) await git(tree.folder, ["update-ref", ...why, "--no-deref", "HEAD", commit]);
		return;
	}
	if (branch !== now.branch) await git(tree.folder, ["symbolic-ref", ...why, "HEAD", branch]);
	if (commit !== null) {
		await git(tree.folder, ["update-ref", ...why, branch, commit]);
		return;
	}
	// to before the first commit: the branch is deleted, its commits stay under a ref of ours
	const { exit, text } = await git(tree.folder, ["rev-parse", "-q", "--verify", branch], { answers: [1] });
	if (exit === 0) await deleteBranch(git, tree.folder, branch.replace(/^refs\/heads\//, ""), text);
}
