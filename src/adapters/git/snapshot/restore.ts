// Back to a snapshot, byte for byte: files, index, operation, HEAD. What is there now is held by a snapshot first; what
// no snapshot can hold is never written over, and ignored files are not touched.
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { expected } from "#contract/log.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { FileName } from "#contract/snapshot.ts";
import { type ByteName, fromFileName, listOf, parentFolders, pathOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { quickCheckout } from "../tree/checkout.ts";
import { staysInside } from "../tree/links.ts";
import { type Operation, writeOperation } from "../tree/operation.ts";
import { type Head, notThere, openTree, readHead, type Tree } from "../tree/tree.ts";
import {
	collisions,
	deleteBranch,
	incomplete,
	notInSnapshot,
	removeEmpty,
	removeFiles,
	removeIndex,
	removeOperation,
} from "./destroy.ts";
import { gather } from "./gather.ts";
import { openShadow } from "./shadow.ts";
import { fileBytesMaxDefault, type SnapshotRequest, takeSnapshotDetailed } from "./snapshot.ts";
import { findSnapshot, readObjects, type Snapshot } from "./snapshots.ts";

export interface Restored {
	snapshot: Snapshot;
	/** what was there before */
	before: Snapshot;
	/** what the snapshot could not hold and so did not come back */
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
	const changes = await changesBetween(git, tree, now.id, snapshot.tree);
	const lost = collisions(notInSnapshot(now.survey, now), [...changes.write]);
	if (lost.length > 0) return incomplete(lost);
	await removeOperation(tree, before);
	await removeFiles(tree, before, changes.remove);
	const wantedEmpty = new Set(snapshot.manifest.emptyDirectories.map(fromFileName));
	// one that has nothing but an empty one in it is gone with that one
	const empty = now.survey.emptyDirectories.flatMap((folder) => [folder, ...parentFolders(folder)]);
	await removeEmpty(tree, new Set(empty.filter((folder) => !wantedEmpty.has(folder))));
	await writeFiles(git, tree, snapshot.tree, changes.write);
	await putBackRest(tree, snapshot, await readParts(git, tree.folder, snapshot), before);
	await putBackHead(git, tree, snapshot.manifest.head);
	await refresh(git, tree);
	const after = await gather(git, tree, request.fileBytesMax ?? fileBytesMaxDefault);
	if (after.id !== snapshot.tree)
		throw new Error(
			`the files in ${request.folder} are not those of ${snapshot.ref}; what was there before is ${before.ref}`,
		);
	return { snapshot, before, left: leftOut(snapshot) };
}

/** Directories, the index and the operation of a snapshot, for a tree whose files are there already. */
export async function putBackRest(
	tree: Tree,
	snapshot: Snapshot,
	{ index, operation }: Parts,
	before: Snapshot | null,
): Promise<void> {
	const { emptyDirectories, missing } = snapshot.manifest;
	const submodules = missing.submodules.filter(({ state }) => state !== "absent").map((submodule) => submodule.path);
	for (const name of [...emptyDirectories, ...submodules].map(fromFileName).filter(staysInside)) {
		if (!(await linked(tree, name))) await mkdir(pathOf(tree.folder, name), { recursive: true });
	}
	if (index !== null) await replaceIndex(tree, index);
	else if (before !== null) await removeIndex(tree, before);
	await writeOperation(tree, operation);
}

async function linked({ folder }: Tree, name: ByteName): Promise<boolean> {
	const stats = await Promise.all(
		[...parentFolders(name), name].map((part) => lstat(pathOf(folder, part)).catch(notThere)),
	);
	return stats.some((stat) => stat !== null && !stat.isDirectory());
}

export interface Parts {
	index: Buffer | null;
	operation: Operation;
}

/** The index and the operation that a snapshot holds. */
export async function readParts(git: Git, folder: string, { commit }: Snapshot): Promise<Parts> {
	const { bytes } = await git(folder, ["ls-tree", "-r", "--full-tree", "-z", commit, "index", "operation"]);
	const listed = [...bytes.toString().matchAll(/\d+ blob (\w+)\t([^\0]*)\0/g)].map(([, id = "", name = ""]) => ({
		id,
		name,
	}));
	const contents = await readObjects(
		git,
		folder,
		listed.map(({ id }) => id),
	);
	const [operation, parts] = [
		new Map<string, Buffer>(),
		listed.map(({ name }, at) => ({ name, content: contents[at]?.bytes ?? Buffer.alloc(0) })),
	];
	for (const { name, content } of parts)
		if (name.startsWith("operation/")) operation.set(name.slice("operation/".length), content);
	return { index: parts.find(({ name }) => name === "index")?.content ?? null, operation };
}

/** Refills the file dates, so that the next look at the tree is quick. */
export async function refresh(git: Git, { folder }: Tree): Promise<void> {
	await git(folder, ["update-index", "-q", "--refresh"], { answers: [1] });
}

/** The way git does it: whoever holds index.lock may write. */
export async function replaceIndex({ gitFolder }: Tree, bytes: Buffer): Promise<void> {
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

export function leftOut({ manifest: { missing } }: Snapshot): FileName[] {
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

async function changesBetween(
	git: Git,
	{ folder }: Tree,
	now: string,
	then: string,
): Promise<{ remove: ByteName[]; write: ByteName[] }> {
	const { bytes } = await git(folder, ["diff-tree", "-r", "-z", "--no-renames", "--name-status", now, then]);
	const parts = bytes.toString("latin1").split("\0");
	const changes: { remove: ByteName[]; write: ByteName[] } = { remove: [], write: [] };
	for (let at = 0; at + 1 < parts.length; at += 2) {
		const name = parts[at + 1] ?? "";
		if (parts[at] !== "A") changes.remove.push(name);
		if (parts[at] !== "D") changes.write.push(name);
	}
	return changes;
}

/** Files of a snapshot's tree as raw bytes; all of them without names. */
export async function writeFiles(git: Git, tree: Tree, id: string, names?: readonly ByteName[]): Promise<void> {
	if (names?.length === 0) return;
	await using shadow = await openShadow(git, tree);
	await shadow.git(["read-tree", id]);
	const abbreviated = names === undefined ? ["-a"] : ["-z", "--stdin"];
	const input = names === undefined ? {} : { input: listOf(names) };
	await shadow.git([...quickCheckout, "checkout-index", "-q", ...abbreviated], { ...input, timeoutMs: 600_000 });
}

/** The branch that HEAD was on, if it has to move to get there. It must not be in use elsewhere. */
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

async function putBackHead(git: Git, tree: Tree, { branch, commit }: Head): Promise<void> {
	const why = ["-m", "brood: back to a snapshot"];
	if (branch === null) {
		if (commit !== null) await git(tree.folder, ["update-ref", ...why, "--no-deref", "HEAD", commit]);
		return;
	}
	await git(tree.folder, ["symbolic-ref", ...why, "HEAD", branch]);
	if (commit !== null) await git(tree.folder, ["update-ref", ...why, branch, commit]);
	else await unborn(git, tree, branch);
}

/** Back to before the first commit: the branch has to go, its commits stay under a ref of ours. */
async function unborn(git: Git, { folder }: Tree, branch: string): Promise<void> {
	const { code, text } = await git(folder, ["rev-parse", "-q", "--verify", branch], { answers: [1] });
	if (code === 0) await deleteBranch(git, folder, branch.replace(/^refs\/heads\//, ""), text);
}
