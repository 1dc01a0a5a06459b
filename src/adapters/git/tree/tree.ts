// A working tree on the disk and the repository behind it.
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { readRegular, readRegularText } from "#adapters/system/regular-file.ts";
import { temporaryFolder } from "#adapters/system/temporary.ts";
import { type IndexFile, isSplit, parseIndex } from "../format/index-file.ts";
import { type ByteName, namesIn } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { commitOf } from "../run/user-input.ts";

export interface Tree {
	folder: string;
	/** the worktree's own part of the repository */
	gitFolder: string;
	/** what all worktrees share */
	commonFolder: string;
	hashLength: 20 | 32;
}

export interface Head {
	/** the full name of the branch, null when detached */
	branch: string | null;
	/** null on a branch without a commit */
	commit: string | null;
}

export async function openTree(folder: string): Promise<Tree> {
	const { gitFolder, commonFolder, bare, contents } = await repositoryPathsOf(folder, {});
	if (gitFolder === null || commonFolder === null || bare) throw new Error(`${folder} is not a working tree of git`);
	return {
		folder,
		gitFolder,
		commonFolder,
		hashLength: /^\s*objectformat\s*=\s*sha256\s*$/im.test(contents[0] ?? "") ? 32 : 20,
	};
}

export async function readHead(git: Git, { folder, gitFolder }: Tree): Promise<Head> {
	const [text, commit] = await Promise.all([
		readRegularText(path.join(gitFolder, "HEAD")),
		commitOf(git, folder, "HEAD"),
	]);
	return { branch: /^ref: (refs\/heads\/.*?)\n?$/.exec(text)?.[1] ?? null, commit };
}

export interface ReadIndex extends IndexFile {
	bytes: Buffer;
}

/** Null if there is none, as in a new repository. */
export async function readIndexFile(file: string, hashLength: number): Promise<ReadIndex | null> {
	const bytes = await readRegular(file).catch(nullIfMissing);
	return bytes === null ? null : { bytes, ...parseIndex(bytes, hashLength) };
}

/** The index of a working tree; a split index is joined. */
export async function readIndex(git: Git, { folder, gitFolder, hashLength }: Tree): Promise<ReadIndex | null> {
	const index = await readIndexFile(path.join(gitFolder, "index"), hashLength);
	if (index === null || !isSplit(index)) return index;
	const whole = await temporaryFolder("index");
	try {
		const file = path.join(whole, "index");
		await writeFile(file, index.bytes);
		await git(folder, ["update-index", "--no-split-index"], { environment: { GIT_INDEX_FILE: file } });
		return await readIndexFile(file, hashLength);
	} finally {
		await rm(whole, { recursive: true, force: true });
	}
}

/** The files that differ between two trees or commits, with git's letter for each. */
export async function changedFiles(
	git: Git,
	folder: string,
	range: readonly string[],
): Promise<{ status: string; name: ByteName }[]> {
	const { bytes } = await git(folder, ["diff-tree", "-r", "-z", "--name-status", "--no-renames", ...range]);
	const fields = namesIn(bytes);
	return fields.flatMap((status, at) => (at % 2 === 0 ? [{ status, name: fields[at + 1] ?? "" }] : []));
}
