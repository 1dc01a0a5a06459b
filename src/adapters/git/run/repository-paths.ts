// The git folder and common folder of a repository, read from disk without running git.
import { lstat, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { NotRegular, readRegular, readRegularText } from "#adapters/system/regular-file.ts";

export interface RepositoryPaths {
	/** null if the folder is not a repository */
	gitFolder: string | null;
	commonFolder: string | null;
	realFolder: string;
	bare: boolean;
	/** the text of each configuration file that git would read, except included ones */
	contents: readonly string[];
	/** why git would block on a file, such as a pipe; null if there is none */
	trap: string | null;
}

export async function repositoryPathsOf(
	folder: string,
	environment: Readonly<Record<string, string>>,
): Promise<RepositoryPaths> {
	const found = await findGitFolder(folder, environment["GIT_DIR"]);
	const gitFolder = found?.gitFolder ?? null;
	const traps: string[] = [];
	const commonFolder = gitFolder === null ? null : await commonFolderOf(gitFolder, traps);
	const read = [
		...(commonFolder === null ? [] : [path.join(commonFolder, "packed-refs")]),
		...(gitFolder === null
			? []
			: [path.join(gitFolder, "HEAD"), environment["GIT_INDEX_FILE"] ?? path.join(gitFolder, "index")]),
	];
	await Promise.all([
		...read.map(async (file) => await notAPipe(file, traps)),
		...(found === null || found.bare
			? []
			: treeFiles.map(async (name) => await noPipe(path.join(folder, name), traps))),
	]);
	const home = environment["HOME"] ?? "/";
	const files = [
		...(commonFolder === null ? [] : [path.join(commonFolder, "config"), path.join(commonFolder, "config.worktree")]),
		...(gitFolder === null ? [] : [path.join(gitFolder, "config.worktree")]),
		path.join(home, ".gitconfig"),
		path.join(environment["XDG_CONFIG_HOME"] ?? path.join(home, ".config"), "git", "config"),
		"/etc/gitconfig",
	];
	// links are followed, as people link their own configuration; the text is only compared
	const contents = await Promise.all(files.map(async (file) => (await textOf(file, traps, { follow: true })) ?? ""));
	return {
		gitFolder,
		commonFolder,
		bare: found?.bare ?? false,
		contents,
		trap: traps[0] ?? null,
		realFolder: await realpath(folder).catch(() => path.resolve(folder)),
	};
}

/**
 * Only the two folders, for what needs no git. Null if the folder is not a repository, or its git folder has a trap.
 */
export async function gitFoldersOf(folder: string): Promise<{ gitFolder: string; commonFolder: string } | null> {
	const gitFolder = (await findGitFolder(folder, undefined))?.gitFolder;
	if (gitFolder === undefined) return null;
	const traps: string[] = [];
	const commonFolder = await commonFolderOf(gitFolder, traps);
	return traps.length === 0 ? { gitFolder, commonFolder } : null;
}

/** For files that git opens in every repository. `stat` does not block on a pipe. */
async function notAPipe(file: string, traps: string[]): Promise<void> {
	const about = await stat(file).catch(() => null);
	if (about !== null && !about.isFile() && !about.isDirectory()) traps.push(new NotRegular(file).message);
}

/** What git opens in every folder of a tree. Looking into all folders would cost too much here; `recover` does. */
export const treeFiles: readonly string[] = [".gitattributes", ".gitignore", ".gitmodules"];

/** For files that git does not follow if they are links. */
async function noPipe(file: string, traps: string[]): Promise<void> {
	if ((await lstat(file).catch(() => null))?.isFIFO() === true) traps.push(new NotRegular(file).message);
}

async function textOf(file: string, traps: string[], options: { follow?: boolean }): Promise<string | null> {
	const bytes = await readRegular(file, options).catch((error: unknown) => {
		if (error instanceof NotRegular) traps.push(error.message);
		return null;
	});
	return bytes?.toString("latin1") ?? null;
}

async function findGitFolder(
	folder: string,
	given: string | undefined,
): Promise<{ gitFolder: string; bare: boolean } | null> {
	if (given !== undefined) return { gitFolder: path.resolve(folder, given), bare: false };
	const inside = path.join(folder, ".git");
	const kind = await stat(inside).catch(() => null);
	if (kind?.isDirectory() === true) return { gitFolder: inside, bare: false };
	if (kind?.isFile() === true) {
		const link = /^gitdir: (.*?)\r?\n?$/s.exec(await readRegularText(inside, { follow: true }).catch(() => ""))?.[1];
		if (link !== undefined) return { gitFolder: path.resolve(folder, link), bare: false };
	}
	const parts = await Promise.all(
		["HEAD", "objects", "refs"].map((name) => stat(path.join(folder, name)).catch(() => null)),
	);
	return parts.every((part) => part !== null) ? { gitFolder: path.resolve(folder), bare: true } : null;
}

/** The folder that all worktrees of a repository share. */
async function commonFolderOf(gitFolder: string, traps: string[]): Promise<string> {
	const link = await textOf(path.join(gitFolder, "commondir"), traps, {});
	return link === null ? gitFolder : path.resolve(gitFolder, Buffer.from(link, "latin1").toString().trimEnd());
}
