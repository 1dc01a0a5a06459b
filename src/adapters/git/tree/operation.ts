// The files of a merge, rebase, cherry-pick, revert or bisect in progress. They live in the worktree's own git folder.
import { lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { readRegular } from "#adapters/system/regular-file.ts";
import { isCommitId } from "../format/refs.ts";
import { staysInside } from "./links.ts";
import type { Tree } from "./tree.ts";

/** Names relative to the git folder. */
export type GitOperation = ReadonlyMap<string, Buffer>;

const files =
	/^(MERGE_(HEAD|MSG|MODE|RR|AUTOSTASH)|AUTO_MERGE|SQUASH_MSG|ORIG_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|BISECT_[A-Z_]+)$/;
export const operationFolders = [
	"rebase-merge",
	"rebase-apply",
	"sequencer",
	"refs/bisect",
	"refs/rewritten",
	"refs/worktree",
];

export async function readOperation({ gitFolder }: Pick<Tree, "gitFolder">): Promise<GitOperation> {
	const top = (await readdir(gitFolder)).filter((name) => files.test(name));
	const inside = await Promise.all(operationFolders.map((folder) => filesBelow(gitFolder, folder)));
	const names = [...top, ...inside.flat()].sort();
	const operation = new Map<string, Buffer>();
	for (const name of names) {
		const bytes = await readRegular(path.join(gitFolder, name)).catch(nullIfMissing);
		if (bytes !== null) operation.set(name, bytes);
	}
	return operation;
}

async function filesBelow(gitFolder: string, folder: string): Promise<string[]> {
	// not through a link
	if ((await lstat(path.join(gitFolder, folder)).catch(nullIfMissing))?.isDirectory() !== true) return [];
	const entries =
		(await readdir(path.join(gitFolder, folder), { withFileTypes: true, recursive: true }).catch(nullIfMissing)) ?? [];
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(gitFolder, path.join(entry.parentPath, entry.name)));
}

export async function writeOperation({ gitFolder }: Pick<Tree, "gitFolder">, operation: GitOperation): Promise<void> {
	for (const [name, bytes] of operation) {
		const file = path.join(gitFolder, name);
		if (!staysInside(name) || !(files.test(name) || operationFolders.some((folder) => name.startsWith(`${folder}/`)))) {
			throw new Error(`${name} is not a file of an operation`);
		}
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, bytes);
	}
}

const idsInside =
	/^(MERGE_HEAD|ORIG_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|MERGE_AUTOSTASH|BISECT_EXPECTED_REV|rebase-(merge|apply)\/(onto|orig-head|stopped-sha|amend|autostash|squash-onto)|sequencer\/(head|abort-safety)|refs\/.*)$/;

/** Commits that the operation needs and that may be unreachable otherwise. */
export function commitsOf(operation: GitOperation): string[] {
	const found = [...operation]
		.filter(([name]) => idsInside.test(name))
		.flatMap(([, bytes]) => bytes.toString("latin1").match(/^[0-9a-f]{40,64}$/gm) ?? []);
	return [...new Set(found)];
}

export interface OperationBranch {
	/** the branch that the operation returns to */
	branch: string;
	/** the tip of that branch when the operation began */
	commit: string | null;
}

/** A rebase or a bisect leaves HEAD detached and remembers the branch. */
export function operationBranch(operation: GitOperation): OperationBranch | null {
	for (const folder of ["rebase-merge", "rebase-apply"]) {
		const branch = line(operation, `${folder}/head-name`);
		const commit = line(operation, `${folder}/orig-head`);
		if (branch?.startsWith("refs/heads/") === true)
			return { branch, commit: commit !== null && isCommitId(commit) ? commit : null };
	}
	const start = line(operation, "BISECT_START");
	return start === null || /^[0-9a-f]{40,64}$/.test(start) ? null : { branch: `refs/heads/${start}`, commit: null };
}

/** The same operation for another branch, which it moves when it ends. */
export function onBranch(operation: GitOperation, branch: string): GitOperation {
	const renamed = new Map(operation);
	for (const name of ["rebase-merge/head-name", "rebase-apply/head-name"]) {
		if (line(operation, name)?.startsWith("refs/heads/") === true) renamed.set(name, Buffer.from(`${branch}\n`));
	}
	const begun = operationBranch(operation);
	if (operation.has("BISECT_START") && begun !== null)
		renamed.set("BISECT_START", Buffer.from(`${branch.slice("refs/heads/".length)}\n`));
	return renamed;
}

const line = (operation: GitOperation, name: string): string | null => operation.get(name)?.toString().trim() ?? null;
