// The worktrees of a repository.
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { Git } from "./git.ts";
import { repositoryPathsOf } from "./repository-paths.ts";

export interface Worktree {
	path: string;
	/** the full ref; null if detached or bare */
	branch: string | null;
	head: string | null;
	bare: boolean;
	/** the reason, "" if none was given; null if it is not locked */
	locked: string | null;
	/** its folder is missing */
	prunable: boolean;
}

export async function worktreesOf(git: Git, repository: string): Promise<Worktree[]> {
	const { bytes } = await git(repository, ["worktree", "list", "--porcelain", "-z"]);
	return bytes
		.toString()
		.split("\0\0")
		.filter((block) => block.startsWith("worktree "))
		.map((block) => {
			const lines = block.split("\0").map((line): [string, string] => {
				const space = line.indexOf(" ");
				return space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
			});
			const fields = new Map(lines);
			return {
				path: fields.get("worktree") ?? "",
				branch: fields.get("branch") ?? null,
				head: fields.get("HEAD") ?? null,
				bare: fields.has("bare"),
				locked: fields.get("locked") ?? null,
				prunable: fields.has("prunable"),
			};
		});
}

/** The checkout that a branch (a full ref) is in, of the repository itself or of a worktree. */
export async function worktreeOfBranch(git: Git, repository: string, ref: string): Promise<Worktree | undefined> {
	return (await worktreesOf(git, repository)).find(
		(worktree) => worktree.branch === ref && !worktree.bare && !worktree.prunable,
	);
}

/** The worktree at a path, also through links. */
export async function worktreeAt(git: Git, repository: string, location: string): Promise<Worktree | null> {
	const real = await realpath(location).catch(() => location);
	return (
		(await worktreesOf(git, repository)).find((worktree) => worktree.path === location || worktree.path === real) ??
		null
	);
}

/**
 * Whether a working tree and a repository link to each other. Read from the disk: git would list all worktrees, and the
 * cost of a turn must not grow with their number.
 */
export async function isWorktreeOf(
	repository: string,
	{ folder, gitFolder }: { folder: string; gitFolder: string },
): Promise<boolean> {
	const [theirs, ours, back] = await Promise.all([
		repositoryPathsOf(repository, {}),
		repositoryPathsOf(folder, {}),
		readRegularText(path.join(gitFolder, "gitdir")).catch(() => null),
	]);
	if (back === null || theirs.commonFolder === null || ours.commonFolder === null) return false;
	const [one, other, registered, there] = await Promise.all(
		[theirs.commonFolder, ours.commonFolder, path.dirname(path.resolve(gitFolder, back.trimEnd())), folder].map(
			(location) => realpath(location).catch(() => location),
		),
	);
	return one === other && registered === there;
}

/** The repository's folder for a worktree, whether or not the worktree still exists. */
export async function registeredFor(git: Git, repository: string, tree: string): Promise<string | null> {
	const { text: common } = await git(repository, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
	const all = path.join(common, "worktrees");
	for (const name of await readdir(all).catch(() => [])) {
		const link = await readRegularText(path.join(all, name, "gitdir")).catch(() => "");
		if (path.dirname(link.trimEnd()) === tree) return path.join(all, name);
	}
	return null;
}
