// What a working tree looks like right now, as git tells it.
import { lstat } from "node:fs/promises";
import path from "node:path";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { brief, displayName, isTooLong } from "../format/names.ts";
import { markIn, readMark } from "../layout/mark.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";

export interface Change {
	/** git's two letters, `??` for untracked */
	status: string;
	path: string;
	/** the same as git gave it, a character for each byte: names need not be text */
	raw: string;
	/** before a rename, raw */
	from: string | null;
	conflict: boolean;
	/** why nobody can keep it; null for all that can be */
	left: string | null;
}

export interface TreeStatus {
	head: string | null;
	/** null while HEAD is detached */
	branch: string | null;
	changes: Change[];
	/** a merge, rebase, cherry-pick, revert or bisect that was begun */
	operation: string | null;
	gitFolder: string;
}

interface LookOptions {
	everyFile?: boolean;
	/** with an index that is not the tree's own */
	environment?: Readonly<Record<string, string>>;
}

export async function readStatus(git: Git, folder: string, options: LookOptions = {}): Promise<TreeStatus> {
	const args = [
		"status",
		"--porcelain=v2",
		"--branch",
		"-z",
		`--untracked-files=${options.everyFile === true ? "all" : "normal"}`,
		"--renames",
	];
	const [status, gitFolder] = await Promise.all([
		git(folder, args, { ...(options.environment && { environment: options.environment }) }),
		gitFolderOf(folder),
	]);
	const records = status.bytes.toString("latin1").split("\0");
	const tree: TreeStatus = {
		head: null,
		branch: null,
		changes: [],
		operation: await operationIn(gitFolder),
		gitFolder,
	};
	for (let at = 0; at < records.length; at++) {
		const record = records[at] ?? "";
		const header = /^# branch\.(oid|head) (.*)$/s.exec(record);
		if (header?.[1] === "oid" && header[2] !== "(initial)") tree.head = header[2] ?? null;
		if (header?.[1] === "head" && header[2] !== "(detached)") tree.branch = displayName(header[2] ?? "");
		const change = changeOf(record, folder);
		if (change === null) continue;
		// a rename has the old path in a record of its own
		if (record.startsWith("2 ")) change.from = records[++at] ?? null;
		tree.changes.push(change);
	}
	// what git could not look into it only warns of
	for (const raw of unreached(status.errors))
		if (!tree.changes.some((change) => isSame(change.raw, raw))) tree.changes.push(tooLong(raw));
	return tree;
}

export const tooLongReason = "a path that is too long";

/** git's warnings are cut, and with them the reason */
const cutFrom = 4000;
/** two paths that are too long are told as one if they begin alike for so long */
const alikeFrom = 1000;

const isSame = (one: string, other: string): boolean =>
	one.slice(0, alikeFrom) === other.slice(0, alikeFrom) && one.length >= alikeFrom;

function unreached(errors: string): string[] {
	const found = new Map<string, string>();
	for (const line of errors.split("\n")) {
		const [, place = "", reason] =
			/^warning: (?:could not open directory|unable to access) '(.*?)(?:': (File name too long))?$/.exec(line) ?? [];
		if (place === "" || place.startsWith("/") || (reason === undefined && line.length < cutFrom)) continue;
		const raw = Buffer.from(place).toString("latin1");
		if (!found.has(raw.slice(0, alikeFrom))) found.set(raw.slice(0, alikeFrom), raw);
	}
	return [...found.values()];
}

const tooLong = (raw: string): Change => ({
	status: "??",
	path: brief(displayName(raw)),
	raw,
	from: null,
	conflict: false,
	left: tooLongReason,
});

function changeOf(record: string, folder: string): Change | null {
	const kind = record[0];
	const untracked = record.slice(2);
	if (kind === "?" && isTooLong(folder, untracked)) return tooLong(untracked);
	if (kind === "?")
		return { status: "??", path: displayName(untracked), raw: untracked, from: null, conflict: false, left: null };
	const before = kind === "1" ? 8 : kind === "2" ? 9 : kind === "u" ? 10 : 0;
	if (before === 0) return null;
	const words = record.split(" ");
	const raw = words.slice(before).join(" ");
	return { status: words[1] ?? "", path: displayName(raw), raw, from: null, conflict: kind === "u", left: null };
}

export async function gitFolderOf(folder: string): Promise<string> {
	const found = await gitFolderAt(folder);
	if (found === null) throw new GitFailed(["status"], null, `${folder} is no working tree of git`);
	return found;
}

/** The same for a folder that may be anything; null if it is no working tree. */
export async function gitFolderAt(place: string): Promise<string | null> {
	const { gitFolder } = await repositoryPathsOf(place, {});
	return gitFolder !== null && (await lstat(path.join(gitFolder, "HEAD")).catch(() => null)) !== null
		? gitFolder
		: null;
}

/** What we wrote down about the workspace at a place; null if it is none of ours. */
export async function markAt(place: string): Promise<WorkspaceMark | null> {
	const gitFolder = await gitFolderAt(place);
	return gitFolder === null ? null : await readMark(markIn(gitFolder));
}

const operations = [
	["MERGE_HEAD", "merge"],
	["rebase-merge", "rebase"],
	["rebase-apply", "rebase"],
	["CHERRY_PICK_HEAD", "cherry-pick"],
	["REVERT_HEAD", "revert"],
	["BISECT_LOG", "bisect"],
] as const;

async function operationIn(gitFolder: string): Promise<string | null> {
	for (const [file, name] of operations)
		if ((await lstat(path.join(gitFolder, file)).catch(() => null)) !== null) return name;
	return null;
}

const excerptMax = 20;

/** The refusal for a tree that has to be clean, with what is not and how to go on. */
export function dirtyRefusal(tree: TreeStatus, where: { folder: string; checkout?: Checkout }): Refusal | null {
	if (tree.changes.length === 0 && tree.operation === null) return null;
	const status = tree.changes.slice(0, excerptMax).map((change) => `${change.status} ${change.path}`);
	const whose =
		where.checkout === undefined ? where.folder : `${where.checkout.project.slug}/${where.checkout.agent.handle}`;
	const what =
		tree.operation === null ? "has changes that are not committed" : `is in the middle of a ${tree.operation}`;
	return refuse("WORKTREE_DIRTY", `${whose} ${what}.`, {
		details: { path: where.folder, status, changes: tree.changes.length, operation: tree.operation },
		suggestions:
			where.checkout === undefined
				? [`git -C '${where.folder.replaceAll("'", "'\\''")}' status`]
				: [`brood agent diff ${whose}`, `brood agent commit ${whose} --message 'work in progress'`],
	});
}
