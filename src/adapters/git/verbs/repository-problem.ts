// Why a project's repository cannot be used, and how to fix it. Costs one git command for a healthy one.
import { stat } from "node:fs/promises";
import type { HealthIssue } from "#contract/workspace.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import type { Git } from "../run/git.ts";
import { isCalledOff } from "../worker/faults.ts";

/** These commands read a file or two. */
const timeoutMs = 15_000;

/** Null if its repository can be used. Never throws. */
export async function repositoryProblem(
	git: Git,
	{ slug, path: folder, base }: ProjectRepository,
): Promise<HealthIssue | null> {
	const problem = (text: string, fix: string): HealthIssue => ({ code: "PROJECT_GONE", text: `${slug}: ${text}`, fix });
	const look = `git -C ${folder} status`;
	try {
		const away = await notThere(folder);
		if (away !== null) return problem(away, `put it back, or forget the project: brood project remove ${slug}`);
		// a folder without git
		if (base === null) return null;
		const found = await git(
			folder,
			["rev-parse", "--git-dir", ...(base === undefined ? [] : [`refs/heads/${base}^{commit}`])],
			{ answers: [128], timeoutMs },
		);
		if (found.code === 0) return null;
		const opened = await git(folder, ["symbolic-ref", "--quiet", "HEAD"], { answers: [1, 128], timeoutMs });
		if (opened.code === 128)
			return problem(`git cannot use its repository ${folder}: ${lastLine(opened.errors)}`, look);
		// a repository without commits has its first branch by name only
		const branches = await git(folder, ["for-each-ref", "--count=1", "refs/heads"], { answers: [128], timeoutMs });
		if (opened.text === `refs/heads/${base}` && branches.code === 0 && branches.text === "") return null;
		return problem(
			`its base branch ${base} is gone or damaged in ${folder}`,
			`git -C ${folder} branch --list --verbose ${base}`,
		);
	} catch (error) {
		// the next daemon looks
		if (isCalledOff(error)) return null;
		return problem(
			`git cannot use its repository ${folder}: ${lastLine(error instanceof Error ? error.message : String(error))}`,
			look,
		);
	}
}

async function notThere(folder: string): Promise<string | null> {
	try {
		return (await stat(folder)).isDirectory() ? null : `its folder ${folder} is no folder any more`;
	} catch (error) {
		const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
		return missing
			? `its folder ${folder} is gone`
			: `its folder ${folder} cannot be looked at: ${error instanceof Error ? error.message : String(error)}`;
	}
}

/** What git says last is why it failed. */
export const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";
