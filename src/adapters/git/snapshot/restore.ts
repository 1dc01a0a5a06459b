// Restores a snapshot, byte for byte: files, index, operation, HEAD. The current state is put into a snapshot first.
// Files that no snapshot can hold are never overwritten, and ignored files are not touched.
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { expected } from "#contract/log.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { FileName } from "#contract/snapshot.ts";
import { type ByteName, fromFileName, listOf, parentFolders, pathOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { quickCheckout } from "../tree/checkout.ts";
import { staysInside } from "../tree/links.ts";
import { type GitOperation, writeOperation } from "../tree/operation.ts";
import { changedFiles, type Head, openTree, readHead, type Tree } from "../tree/tree.ts";
import { deleteBranch, incomplete, removeEmpty, removeFiles, removeIndex, removeOperation } from "./destroy.ts";
import { gather } from "./gather.ts";
import { collisions, notInSnapshot } from "./not-held.ts";
import { openShadow } from "./shadow.ts";
import { fileBytesMaxDefault, type SnapshotRequest, takeSnapshotDetailed } from "./snapshot.ts";
import { findSnapshot, readObjects, type StoredSnapshot } from "./snapshots.ts";

export interface Restored {
	snapshot: StoredSnapshot;
	/** the state before the restore */
	before: StoredSnapshot;
	/** files that the snapshot could not hold, so they were not restored */
	left: FileName[];
}

export async function restoreSnapshot(
	git: Git,
	request: SnapshotRequest & { snapshot: string },
): Promise<Restored | Refusal> {
	const tree = await openTree(request.folder);
	const snapshot = await findSnapshot(git, request.folder, request.snapshot);
	if (snapshot === null) return refuse("SNAPSHOT_GONE", "There is no such snapshot any more.");
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
	await writeFiles(git, tree, snapshot.tree, write);
	await restoreParts(tree, snapshot, await readParts(git, tree.folder, snapshot), before);
	await restoreHead(git, tree, snapshot.manifest.head);
	await refresh(git, tree);
	const after = await gather(git, tree, request.fileBytesMax ?? fileBytesMaxDefault);
	if (after.id !== snapshot.tree)
		throw new Error(
			`the files in ${request.folder} are not those of ${snapshot.ref}; what was there before is ${before.ref}`,
		);
	return { snapshot, before, left: leftOut(snapshot) };
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

/** The index and the operation that a snapshot holds. */
export async function readParts(git: Git, folder: string, { commit }: StoredSnapshot): Promise<SnapshotParts> {
	const { bytes } = await git(folder, ["ls-tree", "-r", "--full-tree", "-z", commit, "index", "operation"]);
	const listed = [...bytes.toString().matchAll(/\d+ blob (\w+)\t([^\0]*)\0/g)];
	const ids = listed.map(([, id = ""]) => id);
	const contents = await readObjects(git, folder, ids);
	const parts = new Map(listed.map(([, , name = ""], at) => [name, contents[at]?.bytes ?? Buffer.alloc(0)]));
	const operation = [...parts].flatMap(([name, content]): [string, Buffer][] =>
		name.startsWith("operation/") ? [[name.slice("operation/".length), content]] : [],
	);
	return { index: parts.get("index") ?? null, operation: new Map(operation) };
}

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

export function leftOut({ manifest: { missing } }: StoredSnapshot): FileName[] {
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

/** Writes files of a snapshot's tree as raw bytes; all of them if no names are given. */
async function writeFiles(git: Git, tree: Tree, id: string, names?: readonly ByteName[]): Promise<void> {
	if (names?.length === 0) return;
	await using shadow = await openShadow(git, tree);
	await shadow.git(["read-tree", id]);
	const which = names === undefined ? ["-a"] : ["-z", "--stdin"];
	const input = names === undefined ? {} : { input: listOf(names) };
	await shadow.git([...quickCheckout, "checkout-index", "-q", ...which], { ...input, timeoutMs: 600_000 });
}

/** The commit of the snapshot's branch, if it has to move. It must not be checked out elsewhere. */
async function branchToMove(git: Git, tree: Tree, then: Head): Promise<{ commit: string | null } | Refusal> {
	if (then.branch === null) return { commit: null };
	const { text } = await git(tree.folder, ["for-each-ref", "--format=%(objectname) %(worktreepath)", then.branch]);
	const [commit = "", ...rest] = text.split(" ");
	const elsewhere = rest.join(" ");
	const now = await readHead(git, tree);
	if (elsewhere !== "" && now.branch !== then.branch)
		return refuse("CONFLICT", `The branch ${then.branch} is checked out in ${elsewhere}.`);
	return { commit: commit === "" || commit === then.commit ? null : commit };
}

async function restoreHead(git: Git, tree: Tree, { branch, commit }: Head): Promise<void> {
	const why = ["-m", "brood: back to a snapshot"];
	if (branch === null) {
		if (commit !== null) await git(tree.folder, ["update-ref", ...why, "--no-deref", "HEAD", commit]);
		return;
	}
	await git(tree.folder, ["symbolic-ref", ...why, "HEAD", branch]);
	if (commit !== null) {
		await git(tree.folder, ["update-ref", ...why, branch, commit]);
		return;
	}
	// to before the first commit: the branch is deleted, its commits stay under a ref of ours
	const { code, text } = await git(tree.folder, ["rev-parse", "-q", "--verify", branch], { answers: [1] });
	if (code === 0) await deleteBranch(git, tree.folder, branch.replace(/^refs\/heads\//, ""), text);
}
