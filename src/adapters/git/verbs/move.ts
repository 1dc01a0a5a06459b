// Moves an agent's branch, with its tree, to another commit. Git keeps every file that it did not write itself, ignored
// ones too, and a tip that would become unreachable gets a ref.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { filesIn, type Git } from "../run/git.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { putBackAfterFilter } from "./put-back.ts";

/** One git command moves index, files and branch; if it fails, nothing has moved. */
export async function moveBranch(
	{ git }: GitContext,
	checkout: Checkout,
	from: string | null,
	to: string,
): Promise<Refusal | null> {
	const { path, branch } = checkout.workspace;
	if (from !== null && !(await isAncestor(git, path, from, to))) await keepTip(git, checkout, from);
	return await checkOutSafely(git, checkout, { before: from, after: to }, ["--no-track", "-B", branch, to]);
}

/** Checks out the agent's branch, whatever HEAD is on. */
export async function goToBranch(
	{ git }: GitContext,
	checkout: Checkout,
	head: string | null,
): Promise<Refusal | null> {
	const { path, branch } = checkout.workspace;
	if (head !== null && !(await isAncestor(git, path, head, `refs/heads/${branch}`))) await keepTip(git, checkout, head);
	return await checkOutSafely(git, checkout, { before: head, after: `refs/heads/${branch}` }, [branch]);
}

/** Keeps a commit that is about to become unreachable. */
export async function keepTip(git: Git, { agent, workspace }: Checkout, tip: string): Promise<void> {
	await git(workspace.path, ["update-ref", `refs/brood/left/${agent.id}/${tip}`, tip]);
}

async function checkOutSafely(
	git: Git,
	checkout: Checkout,
	move: { before: string | null; after: string },
	to: readonly string[],
): Promise<Refusal | null> {
	const { path } = checkout.workspace;
	const args = ["checkout", "--quiet", "--no-overwrite-ignore", "--no-recurse-submodules", ...to, "--"];
	const { exit, errors } = await git(path, args, { answers: [1, 128] });
	if (exit === 0) return null;
	const whose = checkoutName(checkout);
	const reason = await putBackAfterFilter(git, path, { ...move, errors });
	if (reason !== null)
		return refuse("CONFLICT", `Git could not write the files of ${whose}: ${reason}. They are as they were.`, {
			details: { path, errors: errors.slice(0, 4000) },
		});
	return refuse("WORKTREE_DIRTY", `Git does not move ${whose}: files are in the way, or locked. Nothing was changed.`, {
		details: { path, errors: errors.slice(0, 4000), status: filesIn(errors) },
		suggestions: [`brood agent health ${whose}`, `brood agent diff ${whose}`],
	});
}
