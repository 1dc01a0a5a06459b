// Computes the base that work is merged into: the branch as it is, with what origin has and it lacks. Nothing moves
// here: one step moves base to the result later, or nothing happens at all.
import type { RepositorySettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { worktreeOfBranch } from "../run/worktrees.ts";
import { personIdentity } from "../verbs/identity.ts";
import { commitTree, mergeTrees, rebased } from "../verbs/merge.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { cannotTakeIn, type Incoming, incoming } from "./origin.ts";

export interface Integrated {
	/** base with what origin has */
	commit: string;
	/** commits that came in */
	took: number;
	/** base's own commits were made anew: it does not move forward to this */
	rewrites: boolean;
}

export async function integrated(
	context: GitContext,
	project: ProjectRepository,
	{ base, before, reviewed }: { base: string; before: string; reviewed: string | null },
	{ integrate }: Pick<RepositorySettings, "integrate">,
): Promise<Integrated | Refusal> {
	const { git } = context;
	const asItIs = { commit: before, took: 0, rewrites: false };
	const there = integrate === "never" ? null : await incoming(context, project, base, before);
	if (there === null) return asItIs;
	const { commit, behind, own, rewrittenFrom } = there;
	if (own === 0 && rewrittenFrom === null) return { commit, took: behind, rewrites: false };
	// somebody has put the two together in the work that is merged now
	if (reviewed !== null && rewrittenFrom === null && (await isAncestor(git, project.path, commit, reviewed)))
		return { ...asItIs, took: behind };
	if (rewrittenFrom !== null || integrate === "rebase")
		return await rebasedBase(context, project, { base, before, there });
	const merged = await mergeTrees(git, project.path, before, commit);
	if (isRefusal(merged)) return inConflict(project, base, there, merged);
	const message = `Merge branch '${base}' of origin\n`;
	const person = await personIdentity(git, project.path);
	const made = await commitTree(git, project.path, merged.tree, [before, commit], message, person);
	return { commit: made, took: behind, rewrites: false };
}

/** Base's own commits again, on top of what origin has. */
async function rebasedBase(
	context: GitContext,
	project: ProjectRepository,
	{ base, before, there }: { base: string; before: string; there: Incoming },
): Promise<Integrated | Refusal> {
	const { git } = context;
	const inUse = await worktreeOfBranch(git, project.path, `refs/heads/${base}`);
	if (inUse !== undefined)
		return cannotTakeIn(project, base, there, {
			why: `it is checked out in ${inUse.path}, where Brood does not rewrite it`,
			suggestions: [
				there.rewrittenFrom === null
					? `git -C ${shellWord(inUse.path)} pull --rebase origin ${base}`
					: `git -C ${shellWord(inUse.path)} rebase --onto origin/${base} ${there.rewrittenFrom.slice(0, 12)} ${base}`,
			],
		});
	if (there.own === 0) return { commit: there.commit, took: there.behind, rewrites: true };
	const person = await personIdentity(git, project.path);
	const since = there.rewrittenFrom === null ? {} : { since: there.rewrittenFrom };
	const made = await rebased(context, project, project.path, {
		...{ tip: before, onto: there.commit, identity: person },
		...since,
	});
	if (isRefusal(made)) return inConflict(project, base, there, made);
	return { commit: made.commit, took: there.behind, rewrites: true };
}

function inConflict(project: ProjectRepository, base: string, there: Incoming, { details }: Refusal): Refusal {
	const files = Array.isArray(details["files"]) ? details["files"].map(String) : [];
	return cannotTakeIn(project, base, there, {
		why: `both sides changed ${files.join(", ")}. Let an agent run \`git merge ${there.commit.slice(0, 12)}\` and approve its work, or set integrate: never`,
		files,
	});
}
