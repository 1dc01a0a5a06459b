// `primary/`: a clean checkout of base in which the setup command was run; agents link its folders. Its marker names
// the lockfiles that it was filled for, and none while it is being filled, so that no agent links half of it.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { CommandRun } from "#contract/workspace.ts";
import type { ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import type { Workspaces } from "#engine/ports/workspaces.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMarker, markerIn, readPrimaryMarker, writeMarker } from "../layout/marker.ts";
import { serialized } from "../run/exclusive.ts";
import { commitOf } from "../run/user-input.ts";
import { type PrimaryContent, warmSandboxed } from "../sandbox/primary.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { commandFailed, runProjectCommand } from "../workspace/project-command.ts";
import { wantsSandbox } from "../workspace/sandbox-mounts.ts";
import { addDetachedWorktree } from "../workspace/scratch.ts";
import { projectSettings } from "../workspace/settings.ts";
import { lockfileHash } from "../workspace/shared.ts";
import { dirtyRefusal, gitFolderAt, gitFolderOf, readStatus } from "../workspace/tree-status.ts";
import { notApproved } from "./setup.ts";

export async function warmProject(
	context: GitContext,
	project: ProjectRepository,
	control: StepControl,
): ReturnType<Workspaces["warm"]> {
	const { git } = context;
	const effective = await projectSettings(context, project, control.approved);
	if (isRefusal(effective)) return effective;
	const { settings, unapprovedConfig } = effective;
	if (settings.setup === null && unapprovedConfig?.setup != null) return notApproved(unapprovedConfig, project.slug);
	const location = context.layout.primary(project.slug);
	const commit = await commitOf(git, project.path, `refs/heads/${settings.base}`);
	if (commit === null) return { path: location, commit, filled: false, setup: null };
	const sandboxed = await wantsSandbox(context, project);
	if (typeof sandboxed !== "boolean") return sandboxed;
	const fill = sandboxed ? warmSandboxed : warmPlain;
	const { setup, env } = settings;
	// by its path, not by the repository: the setup command may take minutes, and steps inside lock the repository
	return await serialized(
		`primary ${location}`,
		async () => await fill(context, project, { commit, setup, env }, control),
	);
}

async function warmPlain(
	context: GitContext,
	project: ProjectRepository,
	{ commit, setup, env }: PrimaryContent,
	control: StepControl,
): ReturnType<Workspaces["warm"]> {
	const location = context.layout.primary(project.slug);
	const primary = await checkOutPrimary(context, project, location, commit);
	if (isRefusal(primary)) return primary;
	const { gitFolder } = primary;
	const hash = await lockfileHash(location);
	const isFilled = (await readPrimaryMarker(gitFolder))?.lockfiles === hash;
	const marker = async (lockfiles: string | null): Promise<void> =>
		await writeMarker(markerIn(gitFolder), { project: project.slug, commit, lockfiles });
	let ran: CommandRun | null = null;
	if (!isFilled) {
		await marker(null);
		if (setup !== null) ran = await runProjectCommand(context, setup, { project, folder: location, env }, control);
		if (ran !== null && ran.exit !== 0) return commandFailed("setup", ran);
	}
	await marker(hash);
	return { path: location, commit, filled: !isFilled, setup: ran };
}

/** Makes the checkout, or moves it to the commit if it is ours and clean. */
async function checkOutPrimary(
	context: GitContext,
	project: ProjectRepository,
	location: string,
	commit: string,
): Promise<{ gitFolder: string } | Refusal> {
	const { git, layout } = context;
	const wrong = await layout.makeParent(location);
	if (wrong !== null) return wrong;
	// files that were made in a sandbox are not read
	if (await exists(layout.primaryMarker(project.slug))) {
		await discard(context, location);
		await dropMarker(layout.primaryMarker(project.slug));
	}
	const intent = layout.primaryIntent(project.slug);
	// an unfinished checkout is ours, and nobody has used it
	if (await exists(intent)) await discardWorktree(context, project.path, location);
	const found = await gitFolderAt(location);
	if ((await exists(location)) && (found === null || (await readPrimaryMarker(found))?.project !== project.slug))
		return inTheWay(location);
	if (found === null) {
		const empty = { project: project.slug, commit: null, lockfiles: null };
		await writeMarker(intent, empty);
		await addDetachedWorktree(context, project.path, location, commit);
		const gitFolder = await gitFolderOf(location);
		await writeMarker(markerIn(gitFolder), empty);
		await dropMarker(intent);
		return { gitFolder };
	}
	const tree = await readStatus(git, location);
	const changed = { ...tree, changes: tree.changes.filter((change) => change.status !== "??") };
	const dirty = dirtyRefusal(changed, { folder: location });
	if (dirty !== null) return dirty;
	const options = ["--quiet", "--detach", "--no-recurse-submodules"];
	await git(location, ["-c", "checkout.workers=0", "checkout", ...options, commit, "--"]);
	return { gitFolder: found };
}
