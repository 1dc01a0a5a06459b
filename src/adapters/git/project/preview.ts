// What a merge into base would meet, before anybody approves it. Objects are written, no ref is moved and no checkout
// is touched; the project's check runs in a scratch tree of the result, as approving would run it.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { MergePreview } from "#contract/workspace.ts";
import type { PreviewRequest, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { commitOf } from "../run/user-input.ts";
import { aheadBehind } from "../verbs/branch-status.ts";
import { personIdentity } from "../verbs/identity.ts";
import { commitTree, mergeTrees } from "../verbs/merge.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { projectSettings } from "../workspace/settings.ts";
import { runInCheckTree } from "./check-tree.ts";
import { commitGone } from "./published.ts";
import { notApproved } from "./setup.ts";

export async function previewMerge(
	context: GitContext,
	project: ProjectRepository,
	{ base, commit, check, approved, ...control }: PreviewRequest,
): Promise<MergePreview | Refusal> {
	const { git } = context;
	if ((await commitOf(git, project.path, commit)) === null) return commitGone(commit);
	const effective = await projectSettings(context, project, approved);
	if (isRefusal(effective)) return effective;
	const { settings, unapprovedConfig } = effective;
	const baseCommit = await commitOf(git, project.path, `refs/heads/${base}`);
	const { ahead, behind } = await aheadBehind(git, project.path, baseCommit, commit);
	const merged = baseCommit === null ? null : await mergeTrees(git, project.path, baseCommit, commit);
	const conflicts = merged !== null && isRefusal(merged) ? filesIn(merged) : [];
	const found = { base, commit, baseCommit, ahead, behind, conflicts, hasCheck: settings.check !== null };
	if (!check || conflicts.length > 0) return { ...found, check: null };
	if (settings.check === null)
		return unapprovedConfig?.check == null ? { ...found, check: null } : notApproved(unapprovedConfig, project.slug);
	const result =
		merged === null || isRefusal(merged) || baseCommit === null ? null : { tree: merged.tree, parent: baseCommit };
	// a branch that is only ahead is checked as it is
	const checked =
		result === null || behind === 0
			? commit
			: await commitTree(
					git,
					project.path,
					result.tree,
					[result.parent, commit],
					"What a merge would be",
					await personIdentity(git, project.path),
				);
	const run = await runInCheckTree(context, settings.check, { project, commit: checked, settings }, control);
	return { ...found, check: run };
}

function filesIn({ details }: Refusal): string[] {
	const files: unknown = details["files"];
	return Array.isArray(files) ? files.map(String) : [];
}
