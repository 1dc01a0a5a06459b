// What a workspace gets besides its tracked files: folders linked from `primary/`, and copies of ignored files. A
// failure here never fails the workspace, and no existing file is replaced.
import { createHash } from "node:crypto";
import { appendFile, constants, cp, lstat, mkdir, readlink, symlink } from "node:fs/promises";
import path from "node:path";
import { readRegular, readRegularText } from "#adapters/system/regular-file.ts";
import { expected } from "#contract/log.ts";
import type { RepositorySettings } from "#contract/project-config.ts";
import type { PrimaryMarker } from "#contract/workspace.ts";
import type { ProjectRepository, Provisioned } from "#engine/ports/workspace-requests.ts";
import { exists, isInside } from "../layout/layout.ts";
import { readPrimaryMarker } from "../layout/marker.ts";
import { exclusively } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { moveAside } from "../snapshot/destroy.ts";
import type { GitContext } from "./git-context.ts";
import { gitFolderOf } from "./tree-status.ts";

type Shared = Provisioned["shared"];

/** Where two trees differ in one of these, folders of dependencies are not shared between them. */
export const lockfiles = [
	"package-lock.json",
	"npm-shrinkwrap.json",
	"yarn.lock",
	"pnpm-lock.yaml",
	"bun.lock",
	"bun.lockb",
	"deno.lock",
	"Cargo.lock",
	"Gemfile.lock",
	"composer.lock",
	"poetry.lock",
	"uv.lock",
	"Pipfile.lock",
	"requirements.txt",
	"go.sum",
	"mix.lock",
];

export async function lockfileHash(tree: string): Promise<string> {
	const hash = createHash("sha256");
	for (const name of lockfiles) {
		const content = await readRegular(path.join(tree, name)).catch(() => null);
		if (content !== null) hash.update(`${name}\0${content.length}\0`).update(content);
	}
	return hash.digest("hex");
}

export interface ShareFrom {
	/** what is in the place of a link is moved into this folder; it stays if absent */
	aside?: string;
	primary: string;
	projectFolder: string | null;
	/** the marker of primary; read from its git folder if absent */
	filled?: PrimaryMarker | null;
}

/** A project in the home's bare clone has no checkout to copy from. */
export const shareFrom = ({ layout }: GitContext, { slug, path: folder }: ProjectRepository): ShareFrom => ({
	primary: layout.primary(slug),
	projectFolder: folder === layout.bareClone(slug) ? null : folder,
});

/** Links and copies what can be; says for each path what was done. */
export async function share(git: Git, tree: string, from: ShareFrom, settings: RepositorySettings): Promise<Shared> {
	const done: Shared = [];
	for (const name of settings.shared) done.push(await quietly(name, "linked", () => link(git, tree, from, name)));
	const linked = done.filter((each) => each.done === "linked").map((each) => each.path);
	// a pattern like `node_modules/` matches only folders, so git would show the link as untracked
	if (linked.length > 0) await exclude(git, tree, linked).catch(expected("the links only show up as untracked files"));
	const { projectFolder } = from;
	if (projectFolder !== null)
		for (const name of settings.copy)
			done.push(await quietly(name, "copied", () => copy(git, tree, projectFolder, name)));
	return done;
}

async function quietly(
	name: string,
	verb: "linked" | "copied",
	work: () => Promise<string | null>,
): Promise<Shared[number]> {
	const reason = await work().catch((error: Error) => error.message);
	return reason === null ? { path: name, done: verb, reason: null } : { path: name, done: "omitted", reason };
}

/** Null if the link exists now, or why it does not. */
async function link(git: Git, tree: string, from: ShareFrom, name: string): Promise<string | null> {
	const [source, target] = [path.join(from.primary, name), path.join(tree, name)];
	if (!(await isInside(from.primary, source))) return "primary has none: run brood project warm";
	if ((await linkTo(target)) === source) return null;
	const inTheWay = await exists(target);
	if (inTheWay && from.aside === undefined) return "something is there already";
	const reason = await notShared(git, tree, from, name);
	if (reason !== null) return reason;
	if (!(await makeParentInside(tree, target))) return "its folder leads out of the workspace";
	if (inTheWay && from.aside !== undefined) await setAside(target, path.join(from.aside, name));
	await symlink(source, target, "dir");
	return null;
}

/** Why a path is not for a link in this tree; null if it is. */
async function notShared(git: Git, tree: string, { primary, filled }: ShareFrom, name: string): Promise<string | null> {
	if (await isTracked(git, tree, name)) return "it is tracked";
	const marker = filled === undefined ? await readPrimaryMarker(await gitFolderOf(primary)) : filled;
	if (marker === null || marker.lockfiles === null) return "primary is not filled: run brood project warm";
	return marker.lockfiles === (await lockfileHash(tree)) ? null : "the lockfile differs from primary's";
}

async function setAside(from: string, to: string): Promise<void> {
	await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
	await moveAside(from, to);
}

/** What is wrong with a path that should be a link of ours; null if nothing is. */
export async function brokenLink(
	git: Git,
	tree: string,
	from: ShareFrom,
	name: string,
): Promise<{ text: string; warm: boolean } | null> {
	const [source, target] = [path.join(from.primary, name), path.join(tree, name)];
	const to = await linkTo(target);
	const there = await isInside(from.primary, source);
	if (to === source) return there ? null : { text: `${name} leads nowhere`, warm: true };
	if (!there || (await notShared(git, tree, from, name).catch(() => "")) !== null) return null;
	const shared = "what the agents share";
	if (to !== null) return { text: `${name} leads to ${to} and not to ${shared}`, warm: false };
	const own = (await exists(target)) ? "is a folder of its own and not linked" : "is not linked";
	return { text: `${name} ${own} to ${shared}`, warm: false };
}

export async function linkTo(target: string): Promise<string | null> {
	return await readlink(target).catch(() => null);
}

async function copy(git: Git, tree: string, projectFolder: string, name: string): Promise<string | null> {
	const [source, target] = [path.join(projectFolder, name), path.join(tree, name)];
	if (!(await isInside(projectFolder, path.dirname(source)))) return "its folder leads out of the project";
	if ((await lstat(source).catch(() => null)) === null) return "the project's checkout has none";
	if (await isTracked(git, projectFolder, name)) return "it is tracked";
	if (await exists(target)) return "something is there already";
	if (!(await makeParentInside(tree, target))) return "its folder leads out of the workspace";
	await cp(source, target, {
		recursive: true,
		errorOnExist: true,
		force: false,
		verbatimSymlinks: true,
		mode: constants.COPYFILE_FICLONE,
		preserveTimestamps: true,
	});
	return null;
}

async function isTracked(git: Git, tree: string, name: string): Promise<boolean> {
	return (await git(tree, ["--literal-pathspecs", "ls-files", "-z", "--", name])).bytes.length > 0;
}

/** Makes the folders above a path. False if one of them is a link or a file. */
async function makeParentInside(tree: string, target: string): Promise<boolean> {
	const folder = path.dirname(target);
	for (let above = folder; above !== tree; above = path.dirname(above)) {
		const kind = await lstat(above).catch(() => null);
		if (kind !== null && !kind.isDirectory()) return false;
	}
	await mkdir(folder, { recursive: true });
	return await isInside(tree, folder);
}

/** Adds paths to the repository's `info/exclude`, which all worktrees share. */
async function exclude(git: Git, tree: string, names: readonly string[]): Promise<void> {
	const common = (await git(tree, ["rev-parse", "--path-format=absolute", "--git-common-dir"])).text;
	await exclusively(common, async () => {
		const file = path.join(common, "info", "exclude");
		const text = await readRegularText(file).catch(() => "");
		const have = new Set(text.split("\n"));
		const missing = names.map((name) => `/${name}`).filter((pattern) => !have.has(pattern));
		if (missing.length === 0) return;
		await mkdir(path.dirname(file), { recursive: true });
		const gap = text === "" || text.endsWith("\n") ? "" : "\n";
		await appendFile(file, `${gap}# shared between Brood's workspaces\n${missing.join("\n")}\n`);
	});
}
