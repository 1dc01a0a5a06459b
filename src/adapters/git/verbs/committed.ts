// Whether the files of a workspace are those of a commit. Every file is read.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { commitOf } from "../run/user-input.ts";
import { withFreshIndex } from "../tree/fresh-index.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { dirtyRefusal, readStatus } from "../workspace/tree-status.ts";
import { noTree } from "./branch-status.ts";
import { treeOfCommit } from "./merge.ts";

/**
 * The tree object of the files; a refusal if they are not committed. The stat cache of the agent's index is not used.
 */
export async function treeIfCommitted({ git }: GitContext, checkout: Checkout): Promise<{ tree: string } | Refusal> {
	const folder = checkout.workspace.path;
	return await withFreshIndex(git, folder, async (environment) => {
		const dirty = dirtyRefusal(await readStatus(git, folder, { environment }), { folder, checkout });
		return dirty ?? { tree: (await git(folder, ["write-tree"], { environment })).text };
	});
}

/** As git's index has it; every file is compared only by its time and size. */
export async function notCommitted({ git }: GitContext, checkout: Checkout): Promise<Refusal | null> {
	const folder = checkout.workspace.path;
	return (await noTree(checkout)) ?? dirtyRefusal(await readStatus(git, folder), { folder, checkout });
}

/** Null if the tree is that of the commit, or if the project does not have the commit. */
export async function differsFromCommit(
	{ git }: GitContext,
	checkout: Checkout,
	tree: string,
	commit: string,
): Promise<Refusal | null> {
	const { project, workspace } = checkout;
	const known = await commitOf(git, project.path, commit);
	if (known === null || (await treeOfCommit(git, project.path, known)) === tree) return null;
	const whose = checkoutName(checkout);
	return refuse(
		"WORKTREE_DIRTY",
		`The files of ${whose} differ from the commit ${commit.slice(0, 10)}, which would be merged.`,
		{
			details: { path: workspace.path, commit, tree },
			suggestions: [`brood agent diff ${whose}`, `brood agent health ${whose}`],
		},
	);
}
