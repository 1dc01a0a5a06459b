// What an earlier call made at the path of a workspace: found, refused as another agent's, or discarded.
import type { Refusal } from "#contract/refusal.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { ProvisionRequest, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMarker, readMarker } from "../layout/marker.ts";
import { commitOf } from "../run/user-input.ts";
import { discardSandboxed } from "../sandbox/make.ts";
import { discardNewBranch } from "../snapshot/destroy.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { sandboxMarkerAt } from "../workspace/sandbox-mounts.ts";
import { markerAt } from "../workspace/tree-status.ts";

/**
 * What an earlier call for the same agent left. What was made for an agent that ended before it could use it is
 * discarded. Anything else at the path is refused.
 */
export async function findExisting(
	context: GitContext,
	request: ProvisionRequest,
	{ location, intent }: { location: string; intent: string },
	control: StepControl,
): Promise<ExistingWorkspace | Refusal> {
	const wrong = await context.layout.makeParent(location);
	if (wrong !== null) return wrong;
	const { id } = request.agent;
	const begun = await readMarker(intent);
	const marker = (await sandboxMarkerAt(context, request.project, location)) ?? (await markerAt(location));
	if ((begun === null || begun.agent === id) && marker?.agent === id && marker.path === location)
		return { marker, anew: false };
	const left = begun ?? (marker?.path === location ? marker : null);
	if (left !== null && left.agent !== id && (await control.isUnused?.(left.agent)) !== true) return inTheWay(location);
	if (left !== null && (begun !== null || left.agent !== id)) await discardMade(context, request, left);
	if (begun !== null) await dropMarker(intent);
	return (await exists(location)) ? inTheWay(location) : { marker: null, anew: left !== null };
}

interface ExistingWorkspace {
	marker: WorkspaceMarker | null;
	/** an unfinished workspace was discarded */
	anew: boolean;
}

/** Removes only what the intent names. */
export async function discardBegun(context: GitContext, request: ProvisionRequest, intent: string): Promise<void> {
	const marker = await readMarker(intent);
	if (marker === null) return;
	await discardMade(context, request, marker);
	await dropMarker(intent);
}

/** The branch goes only if all of its commits are reachable elsewhere; that of another agent only if it never moved. */
async function discardMade(
	context: GitContext,
	{ project, agent }: ProvisionRequest,
	marker: WorkspaceMarker,
): Promise<void> {
	if (marker.kind === "clone" && marker.own !== true) return await discard(context, marker.path);
	if (marker.own === true) await discardSandboxed(context, project, marker);
	else await discardWorktree(context, project.path, marker.path);
	const ref = `refs/heads/${marker.branch}`;
	const tip = await commitOf(context.git, project.path, ref);
	if (tip === null) return;
	const elsewhere = ["--not", `--exclude=${ref}`, "--all", "--"];
	const hasOwn = async (): Promise<boolean> =>
		marker.agent !== agent.id ||
		(await context.git(project.path, ["rev-list", "--max-count=1", tip, ...elsewhere])).text !== "";
	if (tip !== marker.start && (await hasOwn())) return;
	await discardNewBranch(context.git, { repository: project.path, branch: marker.branch, commit: tip });
}
