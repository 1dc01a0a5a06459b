// Branches that belong to a piece of work and not to one agent: whoever works on it next goes there.
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { CommandRun } from "#contract/workspace.ts";
import type { Checkout, MoveResult, ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { commitOf } from "../run/user-input.ts";
import { worktreesOf } from "../run/worktrees.ts";
import { release } from "../verbs/home.ts";
import { commandEnvironment, type GitContext } from "../workspace/git-context.ts";
import { runProjectCommand } from "../workspace/project-command.ts";
import { settingsOf } from "../workspace/settings.ts";
import { inCheckTree } from "./check-tree.ts";

/** A branch that only the remote has is taken from there; one that nobody has begins at base. */
export async function enterBranch(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
): Promise<MoveResult | Refusal> {
	const { git } = context;
	const { path, branch } = checkout.workspace;
	const local = `refs/heads/${branch}`;
	const theirs =
		(await commitOf(git, path, local)) === null ? await commitOf(git, path, `refs/remotes/origin/${branch}`) : null;
	// only if nobody made it meanwhile
	if (theirs !== null) await git(path, ["update-ref", local, theirs, "0".repeat(theirs.length)], { answers: [1, 128] });
	await detachOthers(context, checkout);
	return await release(context, checkout, control);
}

/**
 * An agent that ended, or could not go home, may still have the branch. Its HEAD is taken off it; no file of its tree
 * changes. Nobody's tree but an agent's is touched: where a person has the branch, git refuses and says where.
 */
async function detachOthers({ git, layout }: GitContext, { project, workspace }: Checkout): Promise<void> {
	const agents = (await realpath(layout.agents(project.slug)).catch(() => layout.agents(project.slug))) + sep;
	const mine = await realpath(workspace.path).catch(() => workspace.path);
	for (const other of await worktreesOf(git, project.path)) {
		const has =
			other.branch === `refs/heads/${workspace.branch}` &&
			!other.prunable &&
			other.path !== mine &&
			other.path.startsWith(agents);
		if (has) await git(other.path, ["checkout", "--quiet", "--detach"], { answers: [1, 128] });
	}
}

export async function runAtCommit(
	context: GitContext,
	project: ProjectRepository,
	request: { commit: string; command: string },
	control: StepControl,
): Promise<CommandRun | Refusal> {
	const effective = await settingsOf(context, project, control.approved);
	if (isRefusal(effective)) return effective;
	return await inCheckTree(context, project, request.commit, effective.settings, async (tree) => {
		return await runProjectCommand(
			context,
			request.command,
			{ project, folder: tree, environment: commandEnvironment(context, null, control) },
			control,
		);
	});
}
