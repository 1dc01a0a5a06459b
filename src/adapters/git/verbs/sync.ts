// Bringing base into an agent's branch. The result is computed first, elsewhere; the agent's tree is only moved to a result
// that has no conflicts, in one git command.
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { SyncStrategy } from "#contract/workspace.ts";
import type { AtHome, Live, Stay } from "#engine/workspaces.ts";
import { counted } from "../format/words.ts";
import { baseCommit, type Ground, identityOf, repositoryOf } from "../workspace/ground.ts";
import { dirtyRefusal, lookAt } from "../workspace/look.ts";
import { notOnBranch } from "./commit.ts";
import { commitTree, mergeTrees, rebased } from "./merge.ts";
import { moveBranch } from "./move.ts";
import { count, isMerged, standingOf, treeGone } from "./standing.ts";

export async function syncWork(ground: Ground, stay: Stay, strategy: SyncStrategy, live: Live = {}): Promise<AtHome | Refusal> {
	const { git } = ground;
	const { path, base: baseName } = stay.workspace;
	const gone = await treeGone(stay);
	if (gone !== null) return gone;
	const tree = await lookAt(git, path);
	const unready = dirtyRefusal(tree, { folder: path, stay }) ?? notOnBranch(tree, stay);
	if (unready !== null) return unready;
	const base = await baseCommit(ground, stay);
	const { ahead, behind } = await count(git, path, base, tree.head);
	const words = (came: number): string => `Your files changed: ${counted(came, "commit")} of ${baseName} came in (${strategy}).`;
	if (base === null || (behind === 0 && tree.head !== null)) {
		const before = live.begun?.head;
		// whoever moved it died before telling
		if (base !== null && before != null && before !== tree.head) return await atHome(ground, stay, true, words((await count(git, path, base, before)).behind));
		return await atHome(ground, stay, false, `${baseName} has nothing new.`);
	}
	// work that was merged in another form is in base already
	const own = tree.head !== null && ahead > 0 && !(await isMerged(ground, stay, tree.head));
	const target = own && tree.head !== null ? await combined(ground, stay, strategy, { head: tree.head, base, ahead, behind }) : { commit: base };
	if (isRefusal(target)) return target;
	await live.begin?.({ head: tree.head });
	const stuck = await moveBranch(ground, stay, tree.head, target.commit);
	return stuck ?? (await atHome(ground, stay, true, words(behind)));
}

async function combined(
	ground: Ground,
	stay: Stay,
	strategy: SyncStrategy,
	{ head, base, ahead, behind }: { head: string; base: string; ahead: number; behind: number },
): Promise<{ commit: string } | Refusal> {
	const { project, agent, workspace } = stay;
	const whose = `${project.slug}/${agent.handle}`;
	if (strategy === "ff" || workspace.kind === "main") {
		return refuse("CONFLICT", `${whose} has ${counted(ahead, "commit")} of its own and is ${behind} behind ${workspace.base}.`, {
			details: { ahead, behind },
			suggestions:
				workspace.kind === "main"
					? [`brood agent diff ${whose}`]
					: [`brood agent sync ${whose} --strategy rebase`, `brood agent sync ${whose} --strategy merge`],
		});
	}
	const identity = identityOf(agent);
	if (strategy === "rebase") return await rebased(ground, project, repositoryOf(stay), { tip: head, onto: base, identity });
	const merged = await mergeTrees(ground.git, workspace.path, head, base);
	if (isRefusal(merged)) return merged;
	return { commit: await commitTree(ground.git, workspace.path, merged.tree, [head, base], `Merge ${workspace.base} into ${workspace.branch}\n`, identity) };
}

export async function atHome(ground: Ground, stay: Stay, moved: boolean, text: string, snapshot: string | null = null): Promise<AtHome | Refusal> {
	const standing = await standingOf(ground, stay);
	return isRefusal(standing) ? standing : { standing, moved, snapshot, text };
}
