// Undoes what git gave up while it was writing files, because a filter of the person's own failed: git-lfs without the
// object, for example. Git leaves the files half written, with its index as it was.
import { rmdir } from "node:fs/promises";
import path from "node:path";
import { type ByteName, listOf, namesIn, toFileName } from "../format/names.ts";
import type { Git } from "../run/git.ts";

/** Git's last word. It had begun to write, so it had made sure before that no uncommitted change is in the way. */
const failedFilter = /^fatal: (.+: smudge filter .+ failed)\s*$(?![\s\S])/m;
/** a command line has a limit, and a path may have 4,096 bytes */
const filesAtOnce = 20;

/** What failed, if a filter did: then the files are as they were. Null if git failed for another reason. */
export async function putBackAfterFilter(
	git: Git,
	folder: string,
	{ before, after, errors }: { before: string | null; after: string; errors: string },
): Promise<string | null> {
	const [, reason] = failedFilter.exec(errors) ?? [];
	if (reason === undefined) return null;
	const listing =
		before === null
			? ["ls-tree", "-r", "-z", "--name-only", "--full-tree", after]
			: ["diff-tree", "-r", "-z", "--no-renames", "--name-only", before, after];
	const files = namesIn((await git(folder, listing)).bytes);
	const known = new Set(namesIn((await git(folder, ["ls-files", "-z", "--cached"])).bytes));
	const input = listOf(files.filter((file) => known.has(file)));
	// a file that cannot be written leaves the others alone
	if (input.length > 0)
		await git(folder, ["checkout-index", "--force", "--quiet", "-z", "--stdin"], { input, answers: [1, 128] });
	// arguments are text: a new file whose name is not valid text stays
	const added = files.filter((file) => !known.has(file)).flatMap((file) => textOf(file) ?? []);
	for (let at = 0; at < added.length; at += filesAtOnce)
		await git(folder, ["--literal-pathspecs", "clean", "-fxq", "--", ...added.slice(at, at + filesAtOnce)]);
	for (const file of added) await removeEmptyFolders(folder, path.posix.dirname(file));
	return reason;
}

/** The folders that were made for a file, from the innermost outwards. */
async function removeEmptyFolders(root: string, inside: string): Promise<void> {
	try {
		for (let at = inside; at !== "."; at = path.posix.dirname(at)) await rmdir(path.join(root, at));
	} catch {
		// something else is in it, or it is gone already
	}
}

function textOf(name: ByteName): string | null {
	const text = toFileName(name);
	return typeof text === "string" ? text : null;
}
