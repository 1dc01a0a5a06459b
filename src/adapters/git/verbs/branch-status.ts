// How an agent's branch stands against its base, and what has happened on it.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { BranchStatus, SeenCommit } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { codeOf } from "../tree/tree.ts";
import { baseCommit, type GitContext, identityOf, isAncestor } from "../workspace/git-context.ts";
import { readStatus } from "../workspace/tree-status.ts";
import { recordedMerge } from "./record.ts";

export async function branchStatus(context: GitContext, checkout: Checkout): Promise<BranchStatus | Refusal> {
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	return await readable(checkout, async () => await readBranchStatus(context, checkout));
}

async function readBranchStatus(context: GitContext, checkout: Checkout): Promise<BranchStatus> {
	const [base, tree] = [await baseCommit(context, checkout), await readStatus(context.git, checkout.workspace.path)];
	const head = await commitOf(context.git, checkout.workspace.path, `refs/heads/${checkout.workspace.branch}`);
	const counts = await count(context.git, checkout.workspace.path, base, head);
	const merged = head !== null && counts.ahead > 0 && (await isMerged(context, checkout, head));
	return {
		head,
		base,
		ahead: merged ? 0 : counts.ahead,
		behind: counts.behind,
		dirty: tree.changes.length > 0 || tree.operation !== null,
	};
}

/** What `look` sees; a tree that is damaged so that it cannot be read is a refusal with git's words. */
export async function readable<T>(
	{ project, agent, workspace }: Checkout,
	look: () => Promise<T>,
): Promise<T | Refusal> {
	try {
		return await look();
	} catch (error) {
		if (!(error instanceof GitFailed) && codeOf(error) === null) throw error;
		const whose = `${project.slug}/${agent.handle}`;
		return refuse(
			"CONFLICT",
			`The workspace of ${whose} cannot be read: ${error instanceof Error ? error.message : ""}`,
			{
				details: { path: workspace.path },
				suggestions: [`brood agent health ${whose}`, `brood agent recover ${whose}`],
			},
		);
	}
}

export async function treeGone({ project, agent, workspace }: Checkout): Promise<Refusal | null> {
	if (await exists(workspace.path)) return null;
	return refuse("NOT_FOUND", `The workspace of ${project.slug}/${agent.handle} is not at ${workspace.path} any more.`, {
		details: { path: workspace.path },
		suggestions: [
			`brood agent health ${project.slug}/${agent.handle}`,
			`brood agent recover ${project.slug}/${agent.handle}`,
		],
	});
}

/** Commits that only one of the two has. */
export async function count(
	git: Git,
	folder: string,
	base: string | null,
	head: string | null,
): Promise<{ ahead: number; behind: number }> {
	const range =
		base !== null && head !== null
			? [`${base}...${head}`]
			: head !== null
				? [head]
				: base !== null
					? [`^${base}`, base]
					: null;
	if (range === null) return { ahead: 0, behind: 0 };
	const { text } = await git(folder, ["rev-list", "--count", "--left-right", ...range, "--"]);
	const [left = 0, right = 0] = text.split("\t").map(Number);
	return base !== null && head !== null ? { ahead: right, behind: left } : { ahead: left + right, behind: 0 };
}

/**
 * Everything on this commit is in base: by ancestry, by a merge in another form that we recorded, or because base has
 * the same content.
 */
export async function isMerged(
	context: GitContext,
	{ project, agent, workspace }: Checkout,
	tip: string,
): Promise<boolean> {
	const base = await commitOf(context.git, project.path, `refs/heads/${workspace.base}`);
	if (base === null || (await commitOf(context.git, project.path, tip)) === null) return false;
	if (await isAncestor(context.git, project.path, tip, base)) return true;
	const recorded = await recordedMerge(context.git, project.path, agent.id, tip);
	return recorded !== null && (await isAncestor(context.git, project.path, recorded.commit, base));
}

const seenMax = 200;

/** Since the last one that was seen; all that base lacks if that one is gone. */
export async function commitsSince(
	context: GitContext,
	checkout: Checkout,
	seen: string | null,
): Promise<SeenCommit[] | Refusal> {
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	const { git } = context;
	const { path, branch } = checkout.workspace;
	const head = await commitOf(git, path, `refs/heads/${branch}`);
	if (head === null || head === seen) return [];
	const base = await baseCommit(context, checkout);
	const known = seen === null ? null : await commitOf(git, path, seen);
	// what came with base is no news of this agent's
	const not = [known, base].flatMap((commit) => (commit === null ? [] : [`^${commit}`]));
	const { text } = await git(path, [
		"log",
		"--reverse",
		"-z",
		`--max-count=${seenMax}`,
		"--format=%H%n%an%n%s",
		head,
		...not,
		"--",
	]);
	const name = identityOf(checkout.agent)["GIT_AUTHOR_NAME"];
	return text
		.split("\0")
		.filter((record) => record !== "")
		.map((record) => {
			const [commit = "", author = "", ...subject] = record.split("\n");
			return { commit, author, subject: subject.join("\n"), byAgent: author === name };
		});
}
