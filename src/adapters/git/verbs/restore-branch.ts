// Makes an agent's branch again that was deleted, or whose ref git cannot read: a power cut may leave an empty file, or
// the name of a commit that was never written.
import { rename } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { markerIn, readMarker } from "../layout/marker.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { gitFolderOf } from "../workspace/tree-status.ts";

/** Says what was done; null if the branch is there. */
export async function restoreBranch(
	{ git, given, clock }: GitContext,
	{ workspace: { path: folder, branch } }: Checkout,
): Promise<string | null> {
	const ref = `refs/heads/${branch}`;
	if ((await commitOf(git, folder, ref)) !== null) return null;
	const gitFolder = await gitFolderOf(folder);
	const common = path.resolve(folder, (await git(folder, ["rev-parse", "--git-common-dir"])).text);
	const commit =
		(await lastCommitIn(git, folder, path.join(common, "logs", ref))) ??
		(await lastCommitIn(git, folder, path.join(gitFolder, "logs", "HEAD"))) ??
		(given === undefined ? (await readMarker(markerIn(gitFolder)))?.start : given.start) ??
		null;
	if (commit === null) return null;
	const value = async (): Promise<string> =>
		(await git(folder, ["rev-parse", "--verify", "--quiet", ref], { answers: [1, 128] })).text;
	// git neither reads nor removes a ref that is garbage; an older value may be packed below it
	if ((await value()) === "")
		await rename(path.join(common, ref), path.join(gitFolder, `brood-left-ref-${clock.now()}`)).catch(nullIfMissing);
	await git(folder, ["update-ref", ref, commit, (await value()) || "0".repeat(commit.length)]);
	return `${branch} was gone or damaged, and is back on ${commit.slice(0, 10)}.`;
}

/** how many lines of a log are tried: the newest may name commits that were never written */
const linesMax = 100;

/** The newest commit in a ref's log that is there. */
export async function lastCommitIn(git: Git, folder: string, log: string): Promise<string | null> {
	const lines = (await readRegularText(log).catch(() => "")).trimEnd().split("\n");
	for (const line of lines.slice(-linesMax).toReversed()) {
		const commit = await commitOf(git, folder, line.split(" ")[1] ?? "");
		if (commit !== null) return commit;
	}
	return null;
}
