// Commits in the project's own repository, for review on a server: what they change, what they say, and pushing them.
// The objects of sandboxed agents are there already (`workTip`), so no file of an agent's is read.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Diff, Pushed } from "#contract/workspace.ts";
import type { CommitRange, CommitsAhead, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { commitOf } from "../run/user-input.ts";
import { renderDiff } from "../tree/render-diff.ts";
import { mergeBase } from "../verbs/diff.ts";
import { pushBranch } from "../verbs/push.ts";
import { recordedMerge } from "../verbs/record.ts";
import type { GitContext } from "../workspace/git-context.ts";

/** messages that are read, and bytes of each */
const messagesMax = 200;
const messageMax = 20_000;

/** From where the commit left base; for one that was merged, from where it had left base then. */
export async function diffOfCommit(
	{ git }: GitContext,
	{ path }: ProjectRepository,
	{ base, commit, mergedFor, what }: CommitRange,
): Promise<Diff | Refusal> {
	if ((await commitOf(git, path, commit)) === null) return commitGone(commit);
	const merge = mergedFor === undefined ? null : await recordedMerge(git, path, mergedFor, commit);
	const before = merge === null ? await commitOf(git, path, `refs/heads/${base}`) : merge.before;
	const from = await mergeBase(git, path, before, commit);
	return await renderDiff({ git, folder: path }, [from, commit], from, what);
}

export async function commitsAhead(
	{ git }: GitContext,
	{ path }: ProjectRepository,
	{ base, commit }: CommitRange,
): Promise<CommitsAhead | Refusal> {
	if ((await commitOf(git, path, commit)) === null) return commitGone(commit);
	const before = await commitOf(git, path, `refs/heads/${base}`);
	const range = before === null ? [commit] : [commit, `^${before}`];
	const total = Number((await git(path, ["rev-list", "--count", ...range, "--"])).text);
	// merges of base into the branch say nothing about the work
	const newest = ["-z", "--format=%B", "--no-merges", `--max-count=${messagesMax}`, "--encoding=UTF-8"];
	const { text } = await git(path, ["log", "--no-color", "--no-show-signature", ...newest, ...range, "--"]);
	const messages = text
		.split("\0")
		.map((message) => message.trim().slice(0, messageMax))
		.filter((message) => message !== "")
		.toReversed();
	const address = async (remote: string): Promise<string | null> => {
		const found = await git(path, ["remote", "get-url", "--push", remote], { answers: [2, 128] });
		return found.exit === 0 && found.text !== "" ? (found.text.split("\n", 1)[0] ?? null) : null;
	};
	return { total, messages, origin: await address("origin"), upstream: await address("upstream") };
}

export async function pushCommit(
	{ git }: GitContext,
	{ path }: ProjectRepository,
	{ branch, commit }: { branch: string; commit: string },
): Promise<Pushed> {
	return await pushBranch(git, path, branch, commit);
}

export const commitGone = (commit: string): Refusal =>
	refuse("NOT_FOUND", `The repository has no commit ${commit.slice(0, 10)}.`, { details: { commit } });
