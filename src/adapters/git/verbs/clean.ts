// Whether the files of a workspace are what a commit has, each of them read.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { commitOf } from "../run/user-input.ts";
import { withFreshIndex } from "../tree/fresh-index.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { dirtyRefusal, readStatus } from "../workspace/tree-status.ts";

/**
 * The tree that the files are; a refusal if that is not what is committed. What the agent's index says of its files
 * counts for nothing.
 */
export async function cleanTree({ git }: GitContext, checkout: Checkout): Promise<{ tree: string } | Refusal> {
	const folder = checkout.workspace.path;
	return await withFreshIndex(git, folder, async (environment) => {
		const dirty = dirtyRefusal(await readStatus(git, folder, { environment }), { folder, checkout });
		return dirty ?? { tree: (await git(folder, ["write-tree"], { environment })).text };
	});
}

/** Null if a tree is that of a commit which the project has. */
export async function differsFromCommit(
	{ git }: GitContext,
	{ project, agent, workspace }: Checkout,
	tree: string,
	commit: string,
): Promise<Refusal | null> {
	const known = await commitOf(git, project.path, commit);
	if (known === null || (await git(project.path, ["rev-parse", "--verify", `${known}^{tree}`])).text === tree)
		return null;
	const whose = `${project.slug}/${agent.handle}`;
	return refuse(
		"WORKTREE_DIRTY",
		`The files of ${whose} are not those of the commit ${commit.slice(0, 10)}, which would be merged.`,
		{
			details: { path: workspace.path, commit, tree },
			suggestions: [`brood agent diff ${whose}`, `brood agent health ${whose}`],
		},
	);
}
