// The branch of a new workspace: `brood/NAME`, or `brood-NAME` if there is a branch `brood`.
//
// A branch of that name may be left from an agent of a removed project, or be somebody's own. If nothing is lost, it is
// replaced: its commits are all in base, or in the agent's own work if the agent comes back from another node, and it
// is not checked out. Else the name gets a number, and the branch stays.
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

interface Holders {
	base: { branch: string; commit: string | null };
	/** the commit of an agent that comes from another node, and may have left its branch here before */
	moved?: string | null;
}

/** A name without a branch, and a note if it is not the usual one. */
export async function freeBranch(
	git: Git,
	{ path: repository }: ProjectRepository,
	{ wanted, tips }: BranchNames,
	{ base, moved = null }: Holders,
): Promise<{ name: string; notes: readonly string[] }> {
	const isHeld = async (tip: string, commit: string | null): Promise<boolean> =>
		commit !== null && (await isAncestor(git, repository, tip, commit));
	let why = "";
	for (let number = 1; ; number++) {
		const name = number === 1 ? wanted : `${wanted}-${number}`;
		const notes = number === 1 ? [] : [`Your branch is ${name}: there is a branch ${wanted} already, and it ${why}.`];
		const tip = tips.get(name);
		if (tip === undefined) return { name, notes };
		const isIn = (number === 1 && (await isHeld(tip, base.commit))) || (await isHeld(tip, moved));
		const trees = isIn ? await worktreesOf(git, repository) : [];
		if (isIn && !trees.some(({ branch }) => branch === `refs/heads/${name}`)) {
			await deleteBranch(git, repository, name, tip);
			return { name, notes };
		}
		if (number === 1) why = isIn ? "is checked out" : `has commits that ${base.branch} lacks`;
	}
}
