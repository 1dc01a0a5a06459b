// Whether the files of a workspace are what a commit has, each of them read.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Stay } from "#engine/workspaces.ts";
import { commitOf } from "../run/given.ts";
import { withFreshIndex } from "../tree/fresh-index.ts";
import type { Ground } from "../workspace/ground.ts";
import { dirtyRefusal, lookAt } from "../workspace/look.ts";

/** The tree that the files are; a refusal if that is not what is committed. What the agent's index says of its files counts for nothing. */
export async function cleanTree({ git }: Ground, stay: Stay): Promise<{ tree: string } | Refusal> {
	const folder = stay.workspace.path;
	return await withFreshIndex(git, folder, async (environment) => {
		const dirty = dirtyRefusal(await lookAt(git, folder, { environment }), { folder, stay });
		return dirty ?? { tree: (await git(folder, ["write-tree"], { environment })).text };
	});
}

/** Null if a tree is that of a commit which the project has. */
export async function notThese({ git }: Ground, { project, agent, workspace }: Stay, tree: string, commit: string): Promise<Refusal | null> {
	const known = await commitOf(git, project.path, commit);
	if (known === null || (await git(project.path, ["rev-parse", "--verify", `${known}^{tree}`])).text === tree) return null;
	const whose = `${project.slug}/${agent.handle}`;
	return refuse("WORKTREE_DIRTY", `The files of ${whose} are not those of the commit ${commit.slice(0, 10)}, which would be merged.`, {
		details: { path: workspace.path, commit, tree },
		suggestions: [`brood agent diff ${whose}`, `brood agent health ${whose}`],
	});
}
