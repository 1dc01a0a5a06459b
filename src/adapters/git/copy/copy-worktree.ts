// The dirty fork: a child's worktree made from the parent's as it is at this moment.
//
// The problem. A child begins as its parent is: the same commit, index and files, staged, unstaged and untracked, in
// the middle of the same merge or rebase. The time must not grow with the repository, and not a byte of the parent's
// tree, index or refs may change.
//
// What always holds
//   - The parent is only read, and does not change meanwhile. The fork takes a snapshot first (with the parent's
//     processes frozen, for two seconds at most). Files are copied only while we hold the lease of the parent's
//     workspace and nothing has changed since that snapshot (`reactors/provision.ts`). Otherwise the child is made from
//     the snapshot (`materialize.ts`).
//   - The child's branch is its own, and new. A rebase in progress belongs to it from then on (`onBranch`): finishing
//     it moves the child's branch and never the parent's.
//   - Git is never told that a file is unchanged unless that is certain.
//
// The steps
//   1. read HEAD, index and the operation in progress of the parent (`treeStateOf`)
//   2. `worktree add --no-checkout` on the new branch at the parent's tip, one at a time per repository
//   3. copy the files (`copy-tree.ts`), by reference where the disk shares blocks. There, ignored files are copied too;
//      elsewhere only those in the project's `copy` setting. In parallel git lists the files that differ from the
//      parent's index
//   4. copy the submodules, each with a repository of its own
//   5. write the parent's index with the stat data of the copies, and likewise the index of snapshots (`brood-index`)
//   6. write the operation's files
//
// Step 5 makes the next `git status` fast. An index entry holds times, inode and size of the file that git last read;
// copies have other inodes and change times, so git would read every file again. An entry gets the stat data of the
// copy only if git knew the parent's file by its stat data (`diff-files` did not list it) and the copy has the same
// size and modification time. Any other entry keeps the parent's stat data, which cannot match, and git reads that
// file.
//
// A crash. Before step 2 `provision` writes an intent that names the folder and the branch. The next call with the same
// request discards the folder, its worktree entry and the branch, and begins again. The marker that makes a tree usable
// is written after step 6. An error (a full disk, a signal) discards the same at once (`discardNewWorktree`).
//
// Why not another way
//   - checking out the snapshot: it writes every file, where a copy by reference writes none, and has no ignored files.
//     It is used across repositories, for an older state, and for a parent that is at work
//   - `git stash create` or a temporary commit: no untracked files without writing to the parent's index, no half
//     merges
//   - a copy of the whole folder with `.git`: two worktrees with one registration, one index lock and one HEAD
import { lstatSync } from "node:fs";
import { lstat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { type FileStat, gitlink, rewriteIndex, sameFile, writeStat } from "../format/index-file.ts";
import { type ByteName, namesIn, pathOf } from "../format/names.ts";
import { branchRef } from "../format/refs.ts";
import { exclusively } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { discardNewBranch, discardNewWorktree, type NewWorktree } from "../snapshot/destroy.ts";
import { shadowIndexOf } from "../snapshot/gather.ts";
import { openShadow } from "../snapshot/shadow.ts";
import { emptyTree } from "../snapshot/snapshots.ts";
import {
	type GitOperation,
	type OperationBranch,
	onBranch,
	operationBranch,
	readOperation,
	writeOperation,
} from "../tree/operation.ts";
import { type Head, openTree, type ReadIndex, readHead, readIndex, readIndexFile, type Tree } from "../tree/tree.ts";
import { copyTree } from "./copy-tree.ts";
import { copySubmodules } from "./submodules.ts";

export interface CopyWorktreeRequest {
	from: { folder: string };
	to: { folder: string; branch: string };
	/** any worktree of the repository, or the repository itself */
	repository: string;
	/** paths of ignored files and folders to copy */
	copy: readonly string[];
	/** the disk shares blocks between copies, so all ignored files are copied */
	sharesBlocks: boolean;
}

export async function copyWorktree(
	git: Git,
	request: CopyWorktreeRequest,
	signal?: AbortSignal,
): Promise<Refusal | null> {
	const { from, to, repository } = request;
	const parent = await treeStateOf(git, await openTree(from.folder));
	return await makeWorktree(
		git,
		{ repository, ...to, commit: parent.tip },
		async (child) => await fillFrom(git, parent, child, request, signal),
	);
}

/** The state of a tree: HEAD, index and operation in progress. */
interface TreeState {
	tree: Tree;
	head: Head;
	operation: GitOperation;
	index: ReadIndex | null;
	begun: OperationBranch | null;
	/** the tip of its branch, or its tip when the operation began */
	tip: string | null;
}

export async function treeStateOf(git: Git, tree: Tree): Promise<TreeState> {
	const [head, operation, index] = await Promise.all([readHead(git, tree), readOperation(tree), readIndex(git, tree)]);
	const begun = head.branch === null ? operationBranch(operation) : null;
	const tip =
		begun === null ? head.commit : (begun.commit ?? (await commitOf(git, tree.folder, begun.branch)) ?? head.commit);
	return { tree, head, operation, index, begun, tip };
}

/** Copies everything of the parent into the child's tree, which is at the parent's tip and has no files yet. */
export async function fillFrom(
	git: Git,
	{ tree: parent, head, operation, index, begun }: TreeState,
	child: Tree,
	request: Pick<CopyWorktreeRequest, "from" | "to" | "copy" | "sharesBlocks">,
	signal?: AbortSignal,
): Promise<void> {
	const { from, to } = request;
	if (begun !== null && head.commit !== null)
		await git(child.folder, ["update-ref", "--no-deref", "HEAD", head.commit]);
	const leave = new Set([".git", ...(await leftBehind(git, request))]);
	const [changed] = await Promise.all([
		changedIn(git, parent),
		copyTree({ from: from.folder, to: to.folder, leave, signal }),
	]);
	if (index !== null) {
		await copySubmodules(git, { from: parent, to: child, index });
		await writeFile(path.join(child.gitFolder, "index"), await movedIndex(child, index, changed.files));
	}
	const memory = await readIndexFile(shadowIndexOf(parent), parent.hashLength);
	if (memory !== null) await writeFile(shadowIndexOf(child), await movedIndex(child, memory, changed.held));
	await writeOperation(child, onBranch(operation, branchRef(to.branch)));
	signal?.throwIfAborted();
}

/** A worktree on a new branch at `commit`, filled by `fill`. Without a commit the branch is unborn. */
export async function makeWorktree(
	git: Git,
	request: NewWorktree,
	fill: (tree: Tree) => Promise<void>,
): Promise<Refusal | null> {
	const { repository } = request;
	const worktree = { ...request, folder: path.resolve(request.folder) };
	const refusal = await exclusively(repository, async () => await addWorktree(git, worktree));
	if (refusal !== null) return refusal;
	try {
		await fill(await openTree(worktree.folder));
		return null;
	} catch (error) {
		await exclusively(repository, async () => await discardNewWorktree(git, worktree));
		throw error;
	}
}

async function addWorktree(git: Git, { repository, folder, branch, commit }: NewWorktree): Promise<Refusal | null> {
	const ref = branchRef(branch);
	if ((await lstat(folder).catch(nullIfMissing)) !== null)
		return refuse("PATH_EXISTS", `${folder} exists already. Move it away, or choose another name.`);
	const add = ["worktree", "add", "-q", "--no-checkout"];
	if (commit === null) {
		if (await isTaken(git, repository, ref)) return taken(branch);
		const nothing = await git(repository, ["commit-tree", "-m", "nothing", await emptyTree(git, repository)], {
			environment: nobody,
		});
		await git(repository, [...add, "--detach", "--", folder, nothing.text]);
		await git(folder, ["symbolic-ref", "HEAD", ref]);
		return null;
	}
	// at once, so that a branch which somebody makes meanwhile stays as it is
	try {
		await git(repository, ["update-ref", ref, commit, "0".repeat(commit.length)]);
	} catch (error) {
		if (await isTaken(git, repository, ref)) return taken(branch);
		throw error;
	}
	try {
		await git(repository, [...add, "--", folder, branch]);
		return null;
	} catch (error) {
		// git removes the folder itself, but not the branch
		await discardNewBranch(git, { repository, branch, commit });
		throw error;
	}
}

const isTaken = async (git: Git, repository: string, ref: string): Promise<boolean> =>
	(await git(repository, ["rev-parse", "-q", "--verify", ref], { answers: [1, 128] })).exit === 0;

const taken = (branch: string): Refusal =>
	refuse("CONFLICT", `There is a branch ${branch} already. Delete it, or choose another name.`);

const nobody = {
	GIT_AUTHOR_NAME: "brood",
	GIT_AUTHOR_EMAIL: "brood@localhost",
	GIT_COMMITTER_NAME: "brood",
	GIT_COMMITTER_EMAIL: "brood@localhost",
};

/** Ignored files that are not to be copied. */
async function leftBehind(
	git: Git,
	{ from, copy, sharesBlocks }: Pick<CopyWorktreeRequest, "from" | "copy" | "sharesBlocks">,
): Promise<ByteName[]> {
	if (sharesBlocks) return [];
	const collapsed = copy.length === 0 ? ["--directory"] : [];
	const { bytes } = await git(from.folder, ["ls-files", "-o", "-i", "-z", "--exclude-standard", ...collapsed]);
	const wanted = copy.map((one) => Buffer.from(one.replace(/\/$/, "")).toString("latin1"));
	const names = namesIn(bytes).filter((name) => !wanted.some((one) => name === one || name.startsWith(`${one}/`)));
	return names.map((name) => name.replace(/\/$/, ""));
}

/** Files whose stat data does not prove that git, or the shadow index, knows their content. */
async function changedIn(git: Git, parent: Tree): Promise<{ files: Set<ByteName>; held: Set<ByteName> }> {
	await using shadow = await openShadow(git, parent, shadowIndexOf(parent));
	const [files, held] = await Promise.all([
		git(parent.folder, ["diff-files", "--name-only", "-z"]),
		lstat(shadowIndexOf(parent)).then(() => shadow.git(["diff-files", "--name-only", "-z"]), nullIfMissing),
	]);
	return { files: new Set(namesIn(files.bytes)), held: new Set(held === null ? [] : namesIn(held.bytes)) };
}

/** The index for a copy of the tree. A doubtful entry keeps the old stat data, so that git reads the file. */
async function movedIndex(
	{ folder, hashLength }: Tree,
	index: ReadIndex,
	changed: ReadonlySet<ByteName>,
): Promise<Buffer> {
	const bytes = Buffer.from(index.bytes);
	for (const [count, entry] of index.entries.entries()) {
		const name = entry.path.toString("latin1");
		if (entry.mode === gitlink || entry.stage !== 0 || changed.has(name)) continue;
		const stat = statOf(pathOf(folder, name));
		if (stat !== null && sameFile(bytes, entry, stat)) writeStat(bytes, entry, stat);
		if (count % 512 === 511) await yieldToLoop();
	}
	return rewriteIndex(bytes, index, hashLength);
}

/** Synchronous: the thread pool's overhead for thousands of files is larger than the calls themselves. */
function statOf(file: Buffer): FileStat | null {
	try {
		return lstatSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
	} catch (error) {
		return nullIfMissing(error);
	}
}
