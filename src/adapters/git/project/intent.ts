// What an earlier call made at the path of a workspace: found, refused as another agent's, or discarded.
import type { Refusal } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { ProvisionRequest } from "#engine/ports/workspace-requests.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMark, readMark } from "../layout/mark.ts";
import { commitOf } from "../run/user-input.ts";
import { discardSandboxed } from "../sandbox/make.ts";
import { discardNewBranch } from "../snapshot/destroy.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { sandboxMarkAt } from "../workspace/sandbox-mounts.ts";
import { markAt } from "../workspace/tree-status.ts";

/** What an earlier call for the same agent left. Anything else at the path is refused. */
export async function findExisting(
	context: GitContext,
	request: ProvisionRequest,
	place: string,
	intent: string,
): Promise<ExistingWorkspace | Refusal> {
	const wrong = await context.layout.parent(place);
	if (wrong !== null) return wrong;
	const begun = await readMark(intent);
	if (begun !== null && begun.agent !== request.agent.id) return inTheWay(place);
	const mark = (await sandboxMarkAt(context, request.project, place)) ?? (await markAt(place));
	if (mark?.agent === request.agent.id && mark.path === place) return { mark, anew: false };
	if (begun !== null) await takeBack(context, request, intent);
	return (await exists(place)) ? inTheWay(place) : { mark: null, anew: begun !== null };
}

interface ExistingWorkspace {
	mark: WorkspaceMark | null;
	/** an unfinished workspace was discarded */
	anew: boolean;
}

/** Removes only what the intent names; the branch only if all of its commits are reachable elsewhere. */
export async function takeBack(context: GitContext, { project }: ProvisionRequest, intent: string): Promise<void> {
	const mark = await readMark(intent);
	if (mark === null) return;
	if (mark.kind === "clone" && mark.own !== true) await discard(context, mark.path);
	else {
		if (mark.own === true) await discardSandboxed(context, project, mark);
		else await discardWorktree(context, project.path, mark.path);
		const ref = `refs/heads/${mark.branch}`;
		const tip = await commitOf(context.git, project.path, ref);
		const elsewhere = ["--not", `--exclude=${ref}`, "--all", "--"];
		const own =
			tip === null || tip === mark.start
				? ""
				: (await context.git(project.path, ["rev-list", "--max-count=1", tip, ...elsewhere])).text;
		if (tip !== null && own === "")
			await discardNewBranch(context.git, { repository: project.path, branch: mark.branch, commit: tip });
	}
	await dropMark(intent);
}
