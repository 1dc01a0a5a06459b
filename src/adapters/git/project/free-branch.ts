// The branch of a new workspace: `brood/NAME`, or `brood-NAME` if there is a branch `brood`.
//
// A branch of that name may be left from an agent of a removed project, or be somebody's own. If nothing is lost, it is
// replaced: its commits are all in base, and it is not checked out. Else the name gets a number, and the branch stays.
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import type { Git } from "../run/git.ts";
import { worktreesOf } from "../run/worktrees.ts";
import { deleteBranch } from "../snapshot/destroy.ts";
import { isAncestor } from "../workspace/git-context.ts";

export interface BranchNames {
	/** the name that an agent's branch has unless it is taken */
	wanted: string;
	/** the tips of the branches that there are, by name */
	tips: ReadonlyMap<string, string>;
}

export async function branchNames(git: Git, repository: string, handle: string): Promise<BranchNames> {
	const patterns = ["refs/heads/brood", `refs/heads/brood-${handle}`, `refs/heads/brood-${handle}-*`];
	const { text } = await git(repository, ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", ...patterns]);
	const lines = text.split("\n").filter((line) => line !== "");
	const tips = new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
	return { wanted: tips.has("brood") ? `brood-${handle}` : `brood/${handle}`, tips };
}

/** A name without a branch, and a note if it is not the usual one. */
export async function freeBranch(
	git: Git,
	{ path: repository }: ProjectRepository,
	{ wanted, tips }: BranchNames,
	base: { branch: string; commit: string | null },
): Promise<{ name: string; notes: readonly string[] }> {
	const tip = tips.get(wanted);
	if (tip === undefined) return { name: wanted, notes: [] };
	const isIn = base.commit !== null && (await isAncestor(git, repository, tip, base.commit));
	const trees = isIn ? await worktreesOf(git, repository) : [];
	if (isIn && !trees.some(({ branch }) => branch === `refs/heads/${wanted}`)) {
		await deleteBranch(git, repository, wanted, tip);
		return { name: wanted, notes: [] };
	}
	let number = 2;
	while (tips.has(`${wanted}-${number}`)) number++;
	const name = `${wanted}-${number}`;
	const why = isIn ? "is checked out" : `has commits that ${base.branch} lacks`;
	return { name, notes: [`Your branch is ${name}: there is a branch ${wanted} already, and it ${why}.`] };
}
