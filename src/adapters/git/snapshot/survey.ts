// What is in a working tree: the files that a snapshot should hold, and all that it cannot.
import type { Dirent } from "node:fs";
import { readdirSync } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { gitlink } from "../format/index-file.ts";
import { type ByteName, isTooLong, namesIn, pathOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { Links, staysInside } from "../tree/links.ts";
import { codeOf, notThere, type ReadIndex, type Tree } from "../tree/tree.ts";

export interface Submodule {
	path: ByteName;
	state: "absent" | "empty" | "repository";
	commit: string | null;
	dirty: boolean;
}

export interface Survey {
	/** tracked or untracked, not ignored; those that are gone are among them */
	wanted: Set<ByteName>;
	/** files, and folders with a slash at the end */
	ignored: ByteName[];
	nestedRepositories: ByteName[];
	submodules: Submodule[];
	special: ByteName[];
	emptyDirectories: ByteName[];
	/** folders that nobody can look into: the path is too long, or the user may not */
	tooLong: ByteName[];
	closed: ByteName[];
}

export async function surveyTree(git: Git, tree: Tree, index: ReadIndex | null): Promise<Survey> {
	const [others, ignored] = await Promise.all([
		git(tree.folder, ["ls-files", "-o", "-z", "--exclude-standard"]),
		git(tree.folder, ["ls-files", "-o", "-i", "-z", "--exclude-standard", "--directory"]),
	]);
	const entries = index?.entries ?? [];
	const gitlinks = new Set(
		entries.filter(({ mode }) => mode === gitlink).map((entry) => entry.path.toString("latin1")),
	);
	const tracked = entries
		.filter(({ mode, skipWorktree }) => mode !== gitlink && mode !== 0o40000 && !skipWorktree)
		.map((entry) => entry.path.toString("latin1"));
	const untracked = namesIn(others.bytes);
	const nested = untracked.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1));
	const ignoredNames = namesIn(ignored.bytes);
	const closed = new Set([
		...nested,
		...gitlinks,
		...ignoredNames.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
	]);
	const walked = await walk(tree.folder, closed);
	return {
		wanted: new Set([...tracked, ...untracked.filter((name) => !name.endsWith("/"))]),
		ignored: ignoredNames,
		nestedRepositories: nested.filter((name) => !gitlinks.has(name)),
		submodules: await Promise.all([...gitlinks].map((name) => lookAtSubmodule(git, tree, name, idOf(entries, name)))),
		...walked,
	};
}

const idOf = (entries: ReadIndex["entries"], name: ByteName): string | null =>
	entries.find((entry) => entry.mode === gitlink && entry.path.toString("latin1") === name)?.id.toString("hex") ?? null;

/** Git sees neither empty folders nor sockets, pipes and devices. */
async function walk(
	folder: string,
	apart: ReadonlySet<ByteName>,
): Promise<Pick<Survey, "special" | "emptyDirectories" | "tooLong" | "closed">> {
	const [special, emptyDirectories, tooLong, closed]: [ByteName[], ByteName[], ByteName[], ByteName[]] = [
		[],
		[],
		[],
		[],
	];
	const waiting: ByteName[] = [""];
	for (let count = 1; waiting.length > 0; count++) {
		const name = waiting.pop() ?? "";
		const inside = isTooLong(folder, name) ? "too long" : entriesOf(folder, name);
		if (inside === "too long") tooLong.push(name);
		else if (inside === "closed") closed.push(name);
		if (typeof inside === "string") continue;
		if (inside.length === 0 && name !== "") emptyDirectories.push(name);
		for (const entry of inside) {
			const below = `${name === "" ? "" : `${name}/`}${entry.name.toString("latin1")}`;
			if (entry.isDirectory()) {
				if (!apart.has(below) && below !== ".git") waiting.push(below);
			} else if (!entry.isFile() && !entry.isSymbolicLink()) special.push(below);
		}
		// others have work to do as well
		if (count % 64 === 0) await breathe();
	}
	return {
		special: special.sort(),
		emptyDirectories: emptyDirectories.sort(),
		tooLong: tooLong.sort(),
		closed: closed.sort(),
	};
}

function entriesOf(folder: string, name: ByteName): Dirent<Buffer>[] | "closed" {
	try {
		return readdirSync(name === "" ? folder : pathOf(folder, name), { withFileTypes: true, encoding: "buffer" });
	} catch (error) {
		if (name !== "" && codeOf(error) === "EACCES") return "closed";
		notThere(error);
		return [];
	}
}

async function lookAtSubmodule(git: Git, { folder }: Tree, name: ByteName, staged: string | null): Promise<Submodule> {
	const inside = path.join(folder, Buffer.from(name, "latin1").toString());
	if (!staysInside(name) || (await new Links(folder).leavesFolder(name)))
		return { path: name, state: "absent", commit: null, dirty: false };
	if ((await lstat(pathOf(folder, name)).catch(notThere))?.isDirectory() !== true)
		return { path: name, state: "absent", commit: null, dirty: false };
	if ((await lstat(path.join(inside, ".git")).catch(notThere)) === null)
		return { path: name, state: "empty", commit: null, dirty: false };
	const head = await git(inside, ["rev-parse", "-q", "--verify", "HEAD^{commit}"], { answers: [1, 128] });
	const status = await git(inside, ["status", "--porcelain=v2", "-z", "--untracked-files=normal"]);
	const commit = head.code === 0 ? head.text : null;
	return { path: name, state: "repository", commit, dirty: status.bytes.length > 0 || commit !== staged };
}
