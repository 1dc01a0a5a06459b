// Why a project's repository cannot be used, and how to fix it. Costs one git command for a healthy one.
import { stat } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "#adapters/system/errors.ts";
import { messageOf } from "#contract/message-of.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { HealthProblem } from "#contract/workspace.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import type { Git } from "../run/git.ts";
import { isCancelled } from "../worker/faults.ts";
import { lastCommitIn } from "./restore-branch.ts";

/** These commands read a file or two. */
const timeoutMs = 15_000;

/** Null if its repository can be used. Never throws. */
export async function repositoryProblem(
	git: Git,
	{ slug, path: folder, base }: ProjectRepository,
): Promise<HealthProblem | null> {
	const problem = (text: string, fix: string): HealthProblem => ({
		code: "REPOSITORY_UNUSABLE",
		text: `${slug}: ${text}`,
		fix,
	});
	const unusable = (why: string): HealthProblem =>
		problem(`git cannot use its repository ${folder}: ${lastLine(why)}`, `git -C ${shellWord(folder)} status`);
	try {
		const missing = await folderProblem(folder);
		if (missing !== null) return problem(missing, `put it back, or forget the project: brood project remove ${slug}`);
		// a folder without git
		if (base === null) return null;
		const names = ["--git-dir", ...(base === undefined ? [] : [`refs/heads/${base}^{commit}`])];
		const found = await git(folder, ["rev-parse", ...names], { answers: [128], timeoutMs });
		if (found.exit === 0) return null;
		const location = await git(folder, ["rev-parse", "--git-common-dir"], { answers: [128], timeoutMs });
		if (location.exit === 128) return unusable(location.errors);
		// it fails where HEAD names a branch whose ref is garbage
		const opened = await git(folder, ["symbolic-ref", "--quiet", "HEAD"], { answers: [1, 128], timeoutMs });
		// in a repository without commits the first branch is only a name
		const branches = await git(folder, ["for-each-ref", "--count=1", "refs/heads"], { answers: [128], timeoutMs });
		if (opened.text === `refs/heads/${base}` && branches.exit === 0 && branches.text === "") return null;
		return problem(
			`its base branch ${base} is gone or damaged in ${folder}`,
			await restoring(git, folder, path.resolve(folder, location.text), `refs/heads/${base}`),
		);
	} catch (error) {
		// the next daemon checks it
		return isCancelled(error) ? null : unusable(messageOf(error));
	}
}

/**
 * Git itself does not write over a ref that is garbage. Without a log, git may still find commits that nothing names.
 */
async function restoring(git: Git, folder: string, common: string, ref: string): Promise<string> {
	const commit = await lastCommitIn(git, folder, path.join(common, "logs", ref));
	if (commit === null) return `git -C ${shellWord(folder)} fsck --lost-found`;
	return `echo ${commit} > ${shellWord(path.join(common, ref))}`;
}

async function folderProblem(folder: string): Promise<string | null> {
	try {
		return (await stat(folder)).isDirectory() ? null : `its folder ${folder} is no longer a folder`;
	} catch (error) {
		if (codeOf(error) === "ENOENT") return `its folder ${folder} is gone`;
		return `its folder ${folder} cannot be looked at: ${messageOf(error)}`;
	}
}

/** Git prints the reason of a failure last, or marks it as fatal and gives advice after it. */
export function lastLine(text: string): string {
	const lines = text.trim().split("\n");
	return (lines.find((line) => line.startsWith("fatal: "))?.slice("fatal: ".length) ?? lines.at(-1) ?? "").trim();
}
