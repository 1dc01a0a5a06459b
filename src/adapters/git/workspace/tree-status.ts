// The status of a working tree, as git reports it.
import { lstat } from "node:fs/promises";
import path from "node:path";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { type ByteName, brief, displayName, isTooLong, listOf } from "../format/names.ts";
import { markerIn, readMarker } from "../layout/marker.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";

export interface StatusEntry {
	/** git's two letters, `??` for untracked */
	status: string;
	path: string;
	/** the path as git printed it */
	raw: ByteName;
	/** the path before a rename */
	from: ByteName | null;
	conflict: boolean;
	/** why no snapshot or commit can hold it; null if one can */
	omitReason: string | null;
}

export interface TreeStatus {
	head: string | null;
	/** null while HEAD is detached */
	branch: string | null;
	changes: StatusEntry[];
	/** a merge, rebase, cherry-pick, revert or bisect in progress */
	operation: string | null;
	gitFolder: string;
}

interface StatusOptions {
	/** lists the files of untracked folders too */
	everyFile?: boolean;
	/** names another index than the tree's own */
	environment?: Readonly<Record<string, string>>;
}

export async function readStatus(
	git: Git,
	folder: string,
	{ everyFile = false, environment = {} }: StatusOptions = {},
): Promise<TreeStatus> {
	const untracked = `--untracked-files=${everyFile ? "all" : "normal"}`;
	const [status, gitFolder] = await Promise.all([
		git(folder, ["status", "--porcelain=v2", "--branch", "-z", untracked, "--renames"], { environment }),
		gitFolderOf(folder),
	]);
	const records = status.bytes.toString("latin1").split("\0");
	const operation = await operationIn(gitFolder);
	const tree: TreeStatus = { head: null, branch: null, changes: [], operation, gitFolder };
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
	// git only warns about folders that it cannot open
	for (const raw of unreached(status.errors))
		if (!tree.changes.some((change) => isSame(change.raw, raw))) tree.changes.push(tooLong(raw));
	return tree;
}

/** The paths of a change, for git: a rename has two. */
export const namesOf = ({ from, raw }: StatusEntry): ByteName[] => (from === null ? [raw] : [from, raw]);

/** Whether the path was added to the index and deleted in the tree: no commit knows it. */
export const isAddedAndGone = ({ status }: StatusEntry): boolean => /^[AR]D$/.test(status);

/** `git add` of changes. A path that the index lacks already, of a staged deletion or rename, would be an error. */
export async function addChanges(
	git: Git,
	folder: string,
	option: "-A" | "--intent-to-add",
	changes: readonly StatusEntry[],
	environment: Readonly<Record<string, string>> = {},
): Promise<void> {
	const names = changes.flatMap((change) =>
		change.status.startsWith("D") ? [] : change.status.startsWith("R") ? [change.raw] : namesOf(change),
	);
	// without a name, git would add everything
	if (names.length === 0) return;
	const fromInput = ["--pathspec-from-file=-", "--pathspec-file-nul"];
	await git(folder, ["--literal-pathspecs", "add", option, ...fromInput], { environment, input: listOf(names) });
}

export const tooLongReason = "a path that is too long";

/** git cuts its warnings, and with them the reason */
const cutFrom = 4000;
/** two overlong paths with the same beginning of this length count as one */
const alikeFrom = 1000;

const isSame = (one: string, other: string): boolean =>
	one.slice(0, alikeFrom) === other.slice(0, alikeFrom) && one.length >= alikeFrom;

function unreached(errors: string): string[] {
	const found = new Map<string, string>();
	for (const line of errors.split("\n")) {
		const [, location = "", reason] =
			/^warning: (?:could not open directory|unable to access) '(.*?)(?:': (File name too long))?$/.exec(line) ?? [];
		if (location === "" || location.startsWith("/") || (reason === undefined && line.length < cutFrom)) continue;
		const raw = Buffer.from(location).toString("latin1");
		if (!found.has(raw.slice(0, alikeFrom))) found.set(raw.slice(0, alikeFrom), raw);
	}
	return [...found.values()];
}

const untracked = { status: "??", from: null, conflict: false, omitReason: null };

const tooLong = (raw: string): StatusEntry => ({
	...untracked,
	path: brief(displayName(raw)),
	raw,
	omitReason: tooLongReason,
});

/** By the first letter of a record: changed, renamed, in conflict. */
const fieldsBeforePath: Readonly<Record<string, number>> = { 1: 8, 2: 9, u: 10 };

function changeOf(record: string, folder: string): StatusEntry | null {
	const kind = record[0] ?? "";
	if (kind === "?") {
		const raw = record.slice(2);
		return isTooLong(folder, raw) ? tooLong(raw) : { ...untracked, path: displayName(raw), raw };
	}
	const fieldsBefore = fieldsBeforePath[kind];
	if (fieldsBefore === undefined) return null;
	const fields = record.split(" ");
	const raw = fields.slice(fieldsBefore).join(" ");
	return { ...untracked, status: fields[1] ?? "", path: displayName(raw), raw, conflict: kind === "u" };
}

export async function gitFolderOf(folder: string): Promise<string> {
	const found = await gitFolderAt(folder);
	if (found === null) throw new GitFailed(["status"], null, `${folder} is not a working tree of git`);
	return found;
}

/** Null if the folder is not a working tree. */
export async function gitFolderAt(location: string): Promise<string | null> {
	const { gitFolder } = await repositoryPathsOf(location, {});
	return gitFolder !== null && (await lstat(path.join(gitFolder, "HEAD")).catch(() => null)) !== null
		? gitFolder
		: null;
}

/** The marker of the workspace at a path; null if it is not ours. */
export async function markerAt(location: string): Promise<WorkspaceMarker | null> {
	const gitFolder = await gitFolderAt(location);
	return gitFolder === null ? null : await readMarker(markerIn(gitFolder));
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

/** Null if the tree is clean; else a refusal that lists its changes and suggests what to do. */
export function dirtyRefusal(tree: TreeStatus, where: { folder: string; checkout?: Checkout }): Refusal | null {
	if (tree.changes.length === 0 && tree.operation === null) return null;
	const status = tree.changes.slice(0, excerptMax).map((change) => `${change.status} ${change.path}`);
	const whose = where.checkout === undefined ? where.folder : checkoutName(where.checkout);
	const what =
		tree.operation === null ? "has changes that are not committed" : `is in the middle of a ${tree.operation}`;
	return refuse("WORKTREE_DIRTY", `${whose} ${what}.`, {
		details: { path: where.folder, status, changes: tree.changes.length, operation: tree.operation },
		suggestions:
			where.checkout === undefined
				? [`git -C ${shellWord(where.folder)} status`]
				: [`brood agent diff ${whose}`, `brood agent commit ${whose} --message 'work in progress'`],
	});
}
