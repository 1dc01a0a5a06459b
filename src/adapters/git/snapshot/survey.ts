// Lists a working tree: the files that a snapshot should hold, and what it cannot hold.
import type { Dirent } from "node:fs";
import { readdirSync } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { codeOf, nullIfMissing } from "#adapters/system/errors.ts";
import { gitlink } from "../format/index-file.ts";
import { type ByteName, isTooLong, namesIn, pathOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { Links, staysInside } from "../tree/links.ts";
import type { ReadIndex, Tree } from "../tree/tree.ts";

export interface Submodule {
	path: ByteName;
	state: "absent" | "empty" | "repository";
	commit: string | null;
	dirty: boolean;
}

export interface Survey {
	/** tracked or untracked, not ignored; includes deleted files */
	wanted: Set<ByteName>;
	/** files, and folders with a trailing slash */
	ignored: ByteName[];
	nestedRepositories: ByteName[];
	submodules: Submodule[];
	special: ByteName[];
	emptyDirectories: ByteName[];
	/** folders whose path is too long, and folders that may not be read */
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
	const apart = new Set([
		...nested,
		...gitlinks,
		...ignoredNames.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
	]);
	const walked = await walk(tree.folder, apart);
	return {
		wanted: new Set([...tracked, ...untracked.filter((name) => !name.endsWith("/"))]),
		ignored: ignoredNames,
		nestedRepositories: nested.filter((name) => !gitlinks.has(name)),
		submodules: await Promise.all([...gitlinks].map((name) => submoduleAt(git, tree, name, idOf(entries, name)))),
		...walked,
	};
}

const idOf = (entries: ReadIndex["entries"], name: ByteName): string | null =>
	entries.find((entry) => entry.mode === gitlink && entry.path.toString("latin1") === name)?.id.toString("hex") ?? null;

type Walked = Pick<Survey, "special" | "emptyDirectories" | "tooLong" | "closed">;

/** Finds empty folders, sockets, pipes and devices, which git does not list. */
export async function walk(folder: string, apart: ReadonlySet<ByteName>): Promise<Walked> {
	const found: Walked = { special: [], emptyDirectories: [], tooLong: [], closed: [] };
	const waiting: ByteName[] = [""];
	for (let count = 1; waiting.length > 0; count++) {
		const name = waiting.pop() ?? "";
		const inside = isTooLong(folder, name) ? "tooLong" : entriesOf(folder, name);
		if (inside === "tooLong" || inside === "closed") {
			found[inside].push(name);
			continue;
		}
		if (inside.length === 0 && name !== "") found.emptyDirectories.push(name);
		for (const entry of inside) {
			const below = `${name === "" ? "" : `${name}/`}${entry.name.toString("latin1")}`;
			if (entry.isDirectory()) {
				if (!apart.has(below) && below !== ".git") waiting.push(below);
			} else if (!entry.isFile() && !entry.isSymbolicLink()) found.special.push(below);
		}
		// yields to other work
		if (count % 64 === 0) await yieldToLoop();
	}
	for (const names of Object.values(found)) names.sort();
	return found;
}

function entriesOf(folder: string, name: ByteName): Dirent<Buffer>[] | "closed" {
	try {
		return readdirSync(name === "" ? folder : pathOf(folder, name), { withFileTypes: true, encoding: "buffer" });
	} catch (error) {
		if (name !== "" && codeOf(error) === "EACCES") return "closed";
		nullIfMissing(error);
		return [];
	}
}

async function submoduleAt(git: Git, { folder }: Tree, name: ByteName, staged: string | null): Promise<Submodule> {
	const inside = path.join(folder, Buffer.from(name, "latin1").toString());
	const absent = { path: name, state: "absent", commit: null, dirty: false } as const;
	if (!staysInside(name) || (await new Links(folder).leavesFolder(name))) return absent;
	if ((await lstat(pathOf(folder, name)).catch(nullIfMissing))?.isDirectory() !== true) return absent;
	if ((await lstat(path.join(inside, ".git")).catch(nullIfMissing)) === null) return { ...absent, state: "empty" };
	const commit = await commitOf(git, inside, "HEAD");
	const status = await git(inside, ["status", "--porcelain=v2", "-z", "--untracked-files=normal"]);
	return { path: name, state: "repository", commit, dirty: status.bytes.length > 0 || commit !== staged };
}
