// What every git verb needs: git itself, the home's layout, clock, ids and settings.
import type { ContainmentLevel } from "#contract/config.ts";
import type { ProjectSettings } from "#contract/project-config.ts";
import type { Retention } from "#contract/retention.ts";
import type { PrimaryMark } from "#contract/workspace.ts";
import type { Clock, Ids } from "#engine/ports/clock.ts";
import type { Log } from "#engine/ports/log.ts";
import type { AgentIdentity, Checkout, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists, type Layout } from "../layout/layout.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import type { SnapshotRef } from "../snapshot/snapshots.ts";
import type { SandboxWorkers } from "../worker/workers.ts";

export interface GitContext {
	git: Git;
	layout: Layout;
	clock: Clock;
	ids: Pick<Ids, "salt">;
	/** what the project's own commands see besides what the caller gives them */
	environment: Readonly<Record<string, string>>;
	/** what keeps the processes of those commands together; our own group if nothing is said */
	containment?: ContainmentLevel;
	log?: Log;
	/**
	 * what no sandbox shows besides the usual private places: the files and folders of subscriptions, and what the
	 * daemon's own variables name
	 */
	hides?(): Promise<readonly string[]>;
	/** how long things are kept; the defaults if nothing is said */
	retention?: Retention;
	/** our own program for git's steps inside of a sandbox; without it there is none */
	workers?: SandboxWorkers;
	/** inside of a sandbox: what cannot be seen from there */
	given?: OutsideState;
}

/** What a step inside of a sandbox has to be told, because only the daemon sees it. */
export interface OutsideState {
	settings: ProjectSettings;
	/** where base is */
	base: string | null;
	/** where the project has the workspace's branch, or its remote has */
	branch: string | null;
	/** where its branch began */
	start: string | null;
	/** the newest snapshot that the project has of it */
	last: SnapshotRef | null;
	/** what `primary/` was filled for */
	primary: PrimaryMark | null;
}

/** The agent's name on its commits. It travels in the environment, so that nobody's configuration has to be changed. */
export function identityOf({ handle }: AgentIdentity): Record<string, string> {
	const [name, email] = [`brood-agent-${handle}`, `${handle}@brood.local`];
	return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

export function commandEnvironment(
	context: GitContext,
	agent: AgentIdentity | null,
	control: StepControl,
): Record<string, string> {
	return { ...context.environment, ...control.environment, ...(agent === null ? {} : identityOf(agent)) };
}

/** What base is called in the repository that the agent's tree belongs to. */
export function baseRefOf({ workspace }: Checkout): string {
	return workspace.kind === "clone" ? `refs/remotes/brood/${workspace.base}` : `refs/heads/${workspace.base}`;
}

/** The repository that the agent's commits are in. */
export const repositoryOf = ({ project, workspace }: Checkout): string =>
	workspace.kind === "clone" ? workspace.path : project.path;

/** Where base is now; a clone asks the project first. Null if base has no commit yet, or is gone. */
export async function baseCommit(context: GitContext, checkout: Checkout): Promise<string | null> {
	const { project, workspace } = checkout;
	if (context.given !== undefined) return await baseGiven(context.git, checkout, context.given.base);
	const commit = await commitOf(context.git, project.path, `refs/heads/${workspace.base}`);
	if (workspace.kind === "clone" && commit !== null) {
		const refspec = `+refs/heads/${workspace.base}:${baseRefOf(checkout)}`;
		await context.git(workspace.path, [
			"fetch",
			"--quiet",
			"--no-tags",
			"--no-write-fetch-head",
			"--",
			project.path,
			refspec,
		]);
	}
	return commit;
}

/** Its objects are there already, borrowed from the project. */
async function baseGiven(git: Git, checkout: Checkout, commit: string | null): Promise<string | null> {
	if (commit !== null) await git(checkout.workspace.path, ["update-ref", baseRefOf(checkout), commit]);
	return commit;
}

/** The tip of the agent's branch, seen from the project; a clone's is fetched into a ref of ours, so that it stays. */
export async function tipOf(context: GitContext, checkout: Checkout): Promise<string | null> {
	const { project, agent, workspace } = checkout;
	const ref = `refs/heads/${workspace.branch}`;
	const tip = await commitOf(context.git, workspace.kind === "clone" ? workspace.path : project.path, ref);
	if (workspace.kind === "clone" && tip !== null) {
		await context.git(project.path, [
			"fetch",
			"--quiet",
			"--no-tags",
			"--no-write-fetch-head",
			"--",
			workspace.path,
			`+${ref}:refs/brood/clones/${agent.id}`,
		]);
	}
	return tip;
}

/** The same, also when the clone is gone: then it is where the project last saw it. */
export async function seenTip(context: GitContext, checkout: Checkout): Promise<string | null> {
	if (checkout.workspace.kind !== "clone" || (await exists(checkout.workspace.path)))
		return await tipOf(context, checkout);
	return await commitOf(context.git, checkout.project.path, `refs/brood/clones/${checkout.agent.id}`);
}

/** Whether one commit is in the history of another. */
export async function isAncestor(git: Git, folder: string, ancestor: string, of: string): Promise<boolean> {
	return (await git(folder, ["merge-base", "--is-ancestor", ancestor, of], { answers: [1] })).code === 0;
}
