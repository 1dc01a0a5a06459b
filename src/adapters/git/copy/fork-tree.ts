// The dirty fork: a child's worktree made from the parent's as it is at this moment.
//
// The problem. A child begins where its parent stands: the same commit, the same index, the same files, staged,
// unstaged and untracked, in the middle of the same merge or rebase. It must not take longer because the repository is
// large, and it must not change a byte of the parent's tree, index or refs.
//
// What always holds
//   - The parent is only read, and stands still. The fork itself has taken a snapshot (with the parent's processes
//     stopped, for two seconds at most); files are copied only while the parent's workspace is leased to us and nothing
//     has changed since that snapshot (`reactors/provision.ts`). Otherwise the child is made from the snapshot
//     (`materialize.ts`).
//   - The child's branch is its own, and new. A rebase in progress belongs to it from then on (`onBranch`): finishing
//     it moves the child's branch and never the parent's.
//   - git is never told that a file is unchanged unless that is beyond doubt.
//
// The steps
//   1. read HEAD, index and the operation in progress of the parent (`treeStateOf`)
//   2. `worktree add --no-checkout` on the new branch at the parent's tip, one at a time per repository
//   3. copy the files (`copy-tree.ts`), by reference where the disk shares blocks. Ignored files come along there;
//      elsewhere only those that the project's `copy` names. At the same time git says which files differ from the
//      parent's index
//   4. bring the submodules, each with a repository of its own
//   5. write the parent's index with the dates of the copies, and the same for the index that snapshots remember
//      (`brood-index`)
//   6. write the operation's files
//
// Step 5 is the reason why the next `git status` is fast. An index entry holds the date, the inode and the size of the
// file that git last read; copies have other inodes and change times, so that git would read every file again. An entry
// gets the stat of the copy only if git knew the parent's file by its stat (`diff-files` did not name it) and the copy
// has the same size and modification time. Any other entry keeps the parent's stat, which cannot match, and git reads
// that file.
//
// A crash. Before step 2 `provision` has written an intent that names the folder and the branch, so whatever a kill
// leaves is known to be ours: the next call with the same request takes the folder, its registration and the branch
// back and begins anew. The mark that makes a tree usable is written after step 6. An error (a full disk, a signal)
// takes back the same at once (`discardNewWorktree`).
//
// Why not another way
//   - the snapshot, checked out: it writes every file where a copy by reference writes none, and has no ignored files.
//     It is what is done across repositories, for an older state, and for a parent that is at work
//   - `git stash create` or a temporary commit: no untracked files without writing to the parent's index, no half
//     merges
//   - a copy of the whole folder with `.git`: two worktrees with one registration, one index lock and one HEAD
import { lstatSync } from "node:fs";
import { lstat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { type FileStat, gitlink, rewriteIndex, sameFile, writeStat } from "../format/index-file.ts";
import { type ByteName, namesIn, pathOf } from "../format/names.ts";
import { branchRef } from "../format/refs.ts";
import { exclusively } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { discardNewBranch, discardNewWorktree } from "../snapshot/destroy.ts";
import { memoryOf } from "../snapshot/gather.ts";
import { openShadow } from "../snapshot/shadow.ts";
import { emptyTree } from "../snapshot/snapshots.ts";
import {
	type Operation,
	type OperationBranch,
	onBranch,
	operationBranch,
	readOperation,
	writeOperation,
} from "../tree/operation.ts";
import {
	type Head,
	notThere,
	openTree,
	type ReadIndex,
	readHead,
	readIndex,
	readIndexFile,
	type Tree,
} from "../tree/tree.ts";
import { copyTree } from "./copy-tree.ts";
import { copySubmodules } from "./submodules.ts";

export interface ForkTreeRequest {
	from: { folder: string };
	to: { folder: string; branch: string };
	/** any worktree of the repository, or the repository itself */
	repository: string;
	/** ignored files that come along: paths with `*` inside a name and `**` for any folders */
	copy: readonly string[];
	/** the disk shares blocks between copies, so that all ignored files can come along */
	sharesBlocks: boolean;
}

/** Null when the tree is there. */
export async function forkTree(git: Git, request: ForkTreeRequest, signal?: AbortSignal): Promise<Refusal | null> {
	const { from, to, repository } = request;
	const parent = await treeStateOf(git, await openTree(from.folder));
	return await makeWorktree(
		git,
		{ repository, ...to, commit: parent.tip },
		async (child) => await fillFrom(git, parent, child, request, signal),
	);
}

/** A tree as somebody left it: its HEAD, its index, and what it is in the middle of. */
interface TreeState {
	tree: Tree;
	head: Head;
	operation: Operation;
	index: ReadIndex | null;
	begun: OperationBranch | null;
	/** where its branch is, or was when the operation began */
	tip: string | null;
}

export async function treeStateOf(git: Git, tree: Tree): Promise<TreeState> {
	const [head, operation, index] = await Promise.all([readHead(git, tree), readOperation(tree), readIndex(git, tree)]);
	const begun = head.branch === null ? operationBranch(operation) : null;
	const tip = begun === null ? head.commit : (begun.commit ?? (await commitOf(git, tree, begun.branch)) ?? head.commit);
	return { tree, head, operation, index, begun, tip };
}

/** Everything of a parent in a child's tree that is at the parent's tip and has no files yet. */
export async function fillFrom(
	git: Git,
	{ tree: parent, head, operation, index, begun }: TreeState,
	child: Tree,
	request: Pick<ForkTreeRequest, "from" | "to" | "copy" | "sharesBlocks">,
	signal?: AbortSignal,
): Promise<void> {
	const { from, to } = request;
	if (begun !== null && head.commit !== null)
		await git(child.folder, ["update-ref", "--no-deref", "HEAD", head.commit]);
	const leave = new Set([".git", ...(await leftBehind(git, request))]);
	const [changed] = await Promise.all([
		changedIn(git, parent),
		copyTree({ from: from.folder, to: to.folder, leave, ...(signal === undefined ? {} : { signal }) }),
	]);
	if (index !== null) {
		await copySubmodules(git, { from: parent, to: child, index });
		await writeFile(path.join(child.gitFolder, "index"), await movedIndex(child, index, changed.files));
	}
	const memory = await readIndexFile(memoryOf(parent), parent.hashLength);
	if (memory !== null) await writeFile(memoryOf(child), await movedIndex(child, memory, changed.held));
	await writeOperation(child, onBranch(operation, branchRef(to.branch)));
	signal?.throwIfAborted();
}

async function commitOf(git: Git, { folder }: Tree, branch: string): Promise<string | null> {
	const { code, text } = await git(folder, ["rev-parse", "-q", "--verify", `${branch}^{commit}`], {
		answers: [1, 128],
	});
	return code === 0 ? text : null;
}

/**
 * A worktree without files on a new branch at `commit`, filled by `fill`; without a commit, a branch that has none yet.
 */
export async function makeWorktree(
	git: Git,
	{
		repository,
		folder,
		branch,
		commit,
	}: { repository: string; folder: string; branch: string; commit: Head["commit"] },
	fill: (tree: Tree) => Promise<void>,
): Promise<Refusal | null> {
	const place = path.resolve(folder);
	const refusal = await exclusively(
		repository,
		async () => await addWorktree(git, { repository, folder: place, branch, commit }),
	);
	if (refusal !== null) return refusal;
	try {
		await fill(await openTree(place));
		return null;
	} catch (error) {
		await exclusively(
			repository,
			async () => await discardNewWorktree(git, { repository, folder: place, branch, commit }),
		);
		throw error;
	}
}

async function addWorktree(
	git: Git,
	{
		repository,
		folder,
		branch,
		commit,
	}: { repository: string; folder: string; branch: string; commit: Head["commit"] },
): Promise<Refusal | null> {
	const ref = branchRef(branch);
	if ((await lstat(folder).catch(notThere)) !== null) return refuse("PATH_EXISTS", `${folder} exists already.`);
	const taken = await git(repository, ["rev-parse", "-q", "--verify", ref], { answers: [1, 128] });
	if (taken.code === 0) return refuse("CONFLICT", `There is a branch ${branch} already.`);
	const add = ["worktree", "add", "-q", "--no-checkout"];
	if (commit === null) {
		const nothing = await git(repository, ["commit-tree", "-m", "nothing", await emptyTree(git, repository)], {
			environment: nobody,
		});
		await git(repository, [...add, "--detach", "--", folder, nothing.text]);
		await git(folder, ["symbolic-ref", "HEAD", ref]);
		return null;
	}
	try {
		await git(repository, [...add, "--no-track", "-b", branch, "--", folder, commit]);
		return null;
	} catch (error) {
		// git takes the folder back by itself, but not the branch
		await discardNewBranch(git, { repository, branch, commit });
		throw error;
	}
}

const nobody = {
	GIT_AUTHOR_NAME: "brood",
	GIT_AUTHOR_EMAIL: "brood@localhost",
	GIT_COMMITTER_NAME: "brood",
	GIT_COMMITTER_EMAIL: "brood@localhost",
};

/** Ignored files that are not asked for. */
async function leftBehind(
	git: Git,
	{ from, copy, sharesBlocks }: Pick<ForkTreeRequest, "from" | "copy" | "sharesBlocks">,
): Promise<ByteName[]> {
	if (sharesBlocks) return [];
	const collapsed = copy.length === 0 ? ["--directory"] : [];
	const { bytes } = await git(from.folder, ["ls-files", "-o", "-i", "-z", "--exclude-standard", ...collapsed]);
	const wanted = copy.map(pattern);
	const names = namesIn(bytes).filter(
		(name) => !wanted.some((one) => one.test(Buffer.from(name, "latin1").toString())),
	);
	return names.map((name) => name.replace(/\/$/, ""));
}

/** `*` stands for anything inside one name, `**` for any folders; a folder means all that is in it. */
function pattern(glob: string): RegExp {
	const source = glob
		.replace(/^\.?\//, "")
		.replace(/\/$/, "")
		.split(/(\*\*\/|\*\*|\*|\?)/)
		.map((part) =>
			part === "**/"
				? "(?:.*/)?"
				: part === "**"
					? ".*"
					: part === "*"
						? "[^/]*"
						: part === "?"
							? "[^/]"
							: part.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&"),
		)
		.join("");
	return new RegExp(`^${source}(?:/.*)?$`, "s");
}

/** Files whose dates do not prove that git, or our own memory, knows their content. */
async function changedIn(git: Git, parent: Tree): Promise<{ files: Set<ByteName>; held: Set<ByteName> }> {
	await using shadow = await openShadow(git, parent, memoryOf(parent));
	const [files, held] = await Promise.all([
		git(parent.folder, ["diff-files", "--name-only", "-z"]),
		lstat(memoryOf(parent)).then(() => shadow.git(["diff-files", "--name-only", "-z"]), notThere),
	]);
	return { files: new Set(namesIn(files.bytes)), held: new Set(held === null ? [] : namesIn(held.bytes)) };
}

/**
 * The index for a copy of the tree. An entry whose file is not beyond doubt keeps the old dates, and git reads the
 * file.
 */
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
		if (count % 512 === 511) await breathe();
	}
	return rewriteIndex(bytes, index, hashLength);
}

/** At once and not later: asking the thread pool for each of many thousand files takes longer than all the answers. */
function statOf(file: Buffer): FileStat | null {
	try {
		return lstatSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
	} catch (error) {
		return notThere(error);
	}
}
