// A temporary git folder next to the real one: the same objects, its own index, and no configuration or attributes of
// the repository. Files are stored and written as raw bytes, without filters, line-end or encoding conversion.
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { temporaryFolder } from "#adapters/system/temporary.ts";
import type { Git, GitOptions, GitResult } from "../run/git.ts";
import type { Tree } from "../tree/tree.ts";

export interface Shadow extends AsyncDisposable {
	/** for files that are removed with it */
	folder: string;
	git(args: readonly string[], options?: GitOptions): Promise<GitResult>;
}

export async function openShadow(git: Git, tree: Tree, indexFile?: string): Promise<Shadow> {
	const folder = await temporaryFolder("shadow");
	await Promise.all(["info", "objects", "refs"].map((name) => mkdir(path.join(folder, name))));
	await Promise.all([
		writeFile(path.join(folder, "HEAD"), "ref: refs/heads/none\n"),
		writeFile(path.join(folder, "config"), configuration(tree)),
		writeFile(path.join(folder, "info", "attributes"), "* -text !eol !crlf !ident !filter !working-tree-encoding\n"),
	]);
	const environment = {
		GIT_DIR: folder,
		GIT_WORK_TREE: tree.folder,
		GIT_INDEX_FILE: indexFile ?? path.join(folder, "index"),
		GIT_OBJECT_DIRECTORY: path.join(tree.commonFolder, "objects"),
	};
	return {
		folder,
		git: async (args, options = {}) =>
			await git(tree.folder, args, { ...options, environment: { ...options.environment, ...environment } }),
		[Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
	};
}

const configuration = ({ hashLength }: Tree): string => `[core]
	repositoryformatversion = ${hashLength === 32 ? 1 : 0}
	bare = false
	filemode = true
	symlinks = true
	ignorecase = false
	precomposeunicode = false
	protectntfs = false
	protecthfs = false
	checkstat = default
	trustctime = true
	autocrlf = false
	safecrlf = false
	untrackedcache = false
	splitindex = false
	sparsecheckout = false
${hashLength === 32 ? "[extensions]\n\tobjectformat = sha256\n" : ""}`;
