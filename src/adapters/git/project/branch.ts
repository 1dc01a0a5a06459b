// Branches that belong to a piece of work and not to one agent: whoever works on it next goes there.
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { CommandRun } from "#contract/workspace.ts";
import type { AtHome, Live, ProjectPlace, Stay } from "#engine/workspaces.ts";
import { commitOf } from "../run/given.ts";
import { worktreesOf } from "../run/worktrees.ts";
import { release } from "../verbs/home.ts";
import { runCommand } from "../workspace/command.ts";
import { commandEnvironment, type Ground } from "../workspace/ground.ts";
import { settingsOf } from "../workspace/settings.ts";
import { inCheckTree } from "./check-tree.ts";

/** A branch that only the remote has is taken from there; one that nobody has begins at base. */
export async function enterBranch(ground: Ground, stay: Stay, live: Live): Promise<AtHome | Refusal> {
	const { git } = ground;
	const { path, branch } = stay.workspace;
	const local = `refs/heads/${branch}`;
	const theirs = (await commitOf(git, path, local)) === null ? await commitOf(git, path, `refs/remotes/origin/${branch}`) : null;
	// only if nobody made it meanwhile
	if (theirs !== null) await git(path, ["update-ref", local, theirs, "0".repeat(theirs.length)], { answers: [1, 128] });
	await stepAside(ground, stay);
	return await release(ground, stay, live);
}

/**
 * An agent that ended, or could not go home, may still have the branch. Its HEAD is taken off it; no file of its tree changes.
 * Nobody's tree but an agent's is touched: where a person has the branch, git refuses and says where.
 */
async function stepAside({ git, layout }: Ground, { project, workspace }: Stay): Promise<void> {
	const agents = (await realpath(layout.agents(project.slug)).catch(() => layout.agents(project.slug))) + sep;
	const mine = await realpath(workspace.path).catch(() => workspace.path);
	for (const other of await worktreesOf(git, project.path)) {
		const has = other.branch === `refs/heads/${workspace.branch}` && !other.prunable && other.path !== mine && other.path.startsWith(agents);
		if (has) await git(other.path, ["checkout", "--quiet", "--detach"], { answers: [1, 128] });
	}
}

export async function tryOut(ground: Ground, project: ProjectPlace, wish: { commit: string; command: string }, live: Live): Promise<CommandRun | Refusal> {
	const force = await settingsOf(ground, project, live.approved);
	if (isRefusal(force)) return force;
	return await inCheckTree(ground, project, wish.commit, force.settings, async (tree) => {
		return await runCommand(ground, wish.command, { project, folder: tree, environment: commandEnvironment(ground, null, live) }, live);
	});
}
