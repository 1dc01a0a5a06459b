// `primary/`: a clean checkout of base with the setup command run in it, whose folders agents link. Its mark says for
// which lockfiles it was filled, and says nothing while it is being filled, so that nobody links half of it.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { CommandRun } from "#contract/workspace.ts";
import type { ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMark, markIn, readPrimaryMark, writeMark } from "../layout/mark.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf } from "../run/user-input.ts";
import { warmSandboxed } from "../sandbox/primary.ts";
import { checkOut } from "../tree/checkout.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import { commandEnvironment, type GitContext } from "../workspace/git-context.ts";
import { commandFailed, runProjectCommand } from "../workspace/project-command.ts";
import { wantsSandbox } from "../workspace/sandbox-mounts.ts";
import { settingsOf } from "../workspace/settings.ts";
import { lockfileHash } from "../workspace/shared.ts";
import { dirtyRefusal, gitFolderAt, gitFolderOf, readStatus } from "../workspace/tree-status.ts";
import { notApproved } from "./setup.ts";

interface Warmed {
	path: string;
	commit: string | null;
	filled: boolean;
	setup: CommandRun | null;
}

export async function warmProject(
	context: GitContext,
	project: ProjectRepository,
	control: StepControl,
): Promise<Warmed | Refusal> {
	const { git } = context;
	const effective = await settingsOf(context, project, control.approved);
	if (isRefusal(effective)) return effective;
	const { settings, pendingApproval } = effective;
	if (settings.setup === null && pendingApproval?.setup != null) return notApproved(pendingApproval, project.slug);
	const place = context.layout.primary(project.slug);
	const commit = await commitOf(git, project.path, `refs/heads/${settings.base}`);
	if (commit === null) return { path: place, commit, filled: false, setup: null };
	const locked = await wantsSandbox(context, project);
	if (typeof locked !== "boolean") return locked;
	if (locked)
		return await exclusively(
			place,
			async () => await warmSandboxed(context, project, { commit, setup: settings.setup }, control),
		);
	// one filling at a time, and not in the way of what else the repository does
	return await exclusively(place, async () => {
		const folder = await standAt(context, project, place, commit);
		if (isRefusal(folder)) return folder;
		const lockfiles = await lockfileHash(place);
		const mark = await readPrimaryMark(folder.gitFolder);
		if (mark?.lockfiles === lockfiles) {
			await writeMark(markIn(folder.gitFolder), { project: project.slug, commit, lockfiles });
			return { path: place, commit, filled: false, setup: null };
		}
		await writeMark(markIn(folder.gitFolder), { project: project.slug, commit, lockfiles: null });
		const setup =
			settings.setup === null
				? null
				: await runProjectCommand(
						context,
						settings.setup,
						{ project, folder: place, environment: commandEnvironment(context, null, control) },
						control,
					);
		if (setup !== null && setup.exit !== 0) return commandFailed("setup", setup);
		await writeMark(markIn(folder.gitFolder), { project: project.slug, commit, lockfiles });
		return { path: place, commit, filled: true, setup };
	});
}

/** The checkout at that commit: made, or moved on if it is ours and clean. */
async function standAt(
	context: GitContext,
	project: ProjectRepository,
	place: string,
	commit: string,
): Promise<{ gitFolder: string } | Refusal> {
	const { git, layout } = context;
	const wrong = await layout.parent(place);
	if (wrong !== null) return wrong;
	// one that was filled in a sandbox is not looked into
	if (await exists(layout.primaryMark(project.slug))) {
		await discard(context, place);
		await dropMark(layout.primaryMark(project.slug));
	}
	const intent = layout.primaryIntent(project.slug);
	// a checkout that was begun and not finished is ours, and nobody has used it
	if (await exists(intent)) await discardWorktree(context, project.path, place);
	const found = await gitFolderAt(place);
	if ((await exists(place)) && (found === null || (await readPrimaryMark(found))?.project !== project.slug))
		return inTheWay(place);
	if (found === null) {
		const empty = { project: project.slug, commit: null, lockfiles: null };
		await writeMark(intent, empty);
		await exclusively(project.path, () =>
			git(project.path, ["worktree", "add", "--quiet", "--no-checkout", "--detach", place, commit]),
		);
		await checkOut(context, { path: place, start: commit });
		const gitFolder = await gitFolderOf(place);
		await writeMark(markIn(gitFolder), empty);
		await dropMark(intent);
		return { gitFolder };
	}
	const tree = await readStatus(git, place);
	const changed = { ...tree, changes: tree.changes.filter((change) => change.status !== "??") };
	const dirty = dirtyRefusal(changed, { folder: place });
	if (dirty !== null) return dirty;
	await git(place, [
		"-c",
		"checkout.workers=0",
		"checkout",
		"--quiet",
		"--detach",
		"--no-recurse-submodules",
		commit,
		"--",
	]);
	return { gitFolder: found };
}
