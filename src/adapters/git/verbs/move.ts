// Moving an agent's branch, with its tree, to another commit. Git is asked in the way that keeps every file it did not
// write itself, ignored ones too, and a tip that nothing else would lead to gets a ref.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";

/** One git command moves index, files and branch; if it fails, nothing has moved. */
export async function moveBranch(
	{ git }: GitContext,
	checkout: Checkout,
	from: string | null,
	to: string,
): Promise<Refusal | null> {
	const { path, branch } = checkout.workspace;
	if (from !== null && !(await isAncestor(git, path, from, to))) await keepTip(git, checkout, from);
	const careful = ["--quiet", "--no-track", "--no-overwrite-ignore", "--no-recurse-submodules"];
	return inTheWayOf(checkout, await git(path, ["checkout", ...careful, "-B", branch, to, "--"], { answers: [1, 128] }));
}

/** Goes to the agent's branch from wherever HEAD is. */
export async function goToBranch(
	{ git }: GitContext,
	checkout: Checkout,
	head: string | null,
): Promise<Refusal | null> {
	const { path, branch } = checkout.workspace;
	if (head !== null && !(await isAncestor(git, path, head, `refs/heads/${branch}`))) await keepTip(git, checkout, head);
	return inTheWayOf(
		checkout,
		await git(path, ["checkout", "--quiet", "--no-overwrite-ignore", "--no-recurse-submodules", branch, "--"], {
			answers: [1, 128],
		}),
	);
}

/** No commit becomes unreachable through us. */
export async function keepTip(git: GitContext["git"], { agent, workspace }: Checkout, tip: string): Promise<void> {
	await git(workspace.path, ["update-ref", `refs/brood/left/${agent.id}/${tip}`, tip]);
}

function inTheWayOf(
	{ project, agent, workspace }: Checkout,
	{ code, errors }: { code: number; errors: string },
): Refusal | null {
	if (code === 0) return null;
	const whose = `${project.slug}/${agent.handle}`;
	return refuse("WORKTREE_DIRTY", `Git does not move ${whose}: files are in the way, or locked. Nothing was changed.`, {
		details: {
			path: workspace.path,
			errors: errors.slice(0, 4000),
			status: errors
				.split("\n")
				.filter((line) => line.startsWith("\t"))
				.map((line) => line.trim()),
		},
		suggestions: [`brood agent health ${whose}`, `brood agent diff ${whose}`],
	});
}
