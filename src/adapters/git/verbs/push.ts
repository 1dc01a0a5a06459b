// Pushing, never by force. A remote that says no has answered.
import type { Pushed } from "#contract/workspace.ts";
import { type Git, GitFailed } from "../run/git.ts";

const networkTimeoutMs = 10 * 60 * 1000;

/** `commit` is what is pushed; what the branch is on if absent. */
export async function pushBranch(git: Git, folder: string, branch: string, commit?: string): Promise<Pushed> {
	const remote = "origin";
	const known = await git(folder, ["config", "--get", `remote.${remote}.url`], { answers: [1] });
	if (known.code !== 0) return { remote, branch, pushed: false, error: "there is no remote origin" };
	try {
		await git(
			folder,
			[
				"push",
				"--quiet",
				"--no-verify",
				"--no-follow-tags",
				remote,
				`${commit ?? `refs/heads/${branch}`}:refs/heads/${branch}`,
			],
			{ timeoutMs: networkTimeoutMs },
		);
		return { remote, branch, pushed: true, error: null };
	} catch (error) {
		if (!(error instanceof GitFailed)) throw error;
		return { remote, branch, pushed: false, error: error.errors.trim().slice(0, 2000) };
	}
}
