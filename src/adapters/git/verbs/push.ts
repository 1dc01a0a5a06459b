// Pushes a branch, never by force. A rejected push is a result, not a fault.
import type { Pushed } from "#contract/workspace.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { pushReason } from "./remote-reason.ts";

const networkTimeoutMs = 10 * 60 * 1000;

/** Pushes `commit`, or the tip of the branch if absent. */
export async function pushBranch(git: Git, folder: string, branch: string, commit?: string): Promise<Pushed> {
	const remote = "origin";
	const known = await git(folder, ["config", "--get", `remote.${remote}.url`], { answers: [1] });
	if (known.exit !== 0) return { remote, branch, pushed: false, error: "there is no remote origin" };
	const refspec = `${commit ?? `refs/heads/${branch}`}:refs/heads/${branch}`;
	try {
		await git(folder, ["push", "--quiet", "--no-verify", "--no-follow-tags", remote, refspec], {
			timeoutMs: networkTimeoutMs,
		});
		return { remote, branch, pushed: true, error: null };
	} catch (error) {
		if (!(error instanceof GitFailed)) throw error;
		return { remote, branch, pushed: false, error: pushReason(error.errors) };
	}
}

/** Whether the remote has commits that were not known here, or got some at the same moment. */
export const wasBehind = ({ error }: Pushed): boolean =>
	/\[rejected\].*\((fetch first|non-fast-forward|stale info)\)|\[remote rejected\].*\((failed to update ref|cannot lock ref|incorrect old value)/.test(
		error ?? "",
	);
