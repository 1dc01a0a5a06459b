// What every git verb is given: git, the home's layout, clock, ids and settings.
import type { ContainmentLevel } from "#contract/config.ts";
import type { RepositorySettings } from "#contract/project-config.ts";
import type { Retention } from "#contract/retention.ts";
import type { PrimaryMarker } from "#contract/workspace.ts";
import type { Clock, Ids } from "#engine/ports/clock.ts";
import type { Log } from "#engine/ports/log.ts";
import type { AgentIdentity, Checkout } from "#engine/ports/workspace-requests.ts";
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
	/** variables for the project's own commands, besides those of the caller */
	environment: Readonly<Record<string, string>>;
	/** the variables of the home's `env:` list and of a project's; a sentence if the home's cannot be read */
	variables?(entries: readonly string[]): Promise<Record<string, string> | string>;
	/** of the project's own commands; `groups` if absent */
	containment?: ContainmentLevel;
	log?: Log;
	/** paths that every sandbox hides besides the usual ones: credentials of subscriptions, and paths in variables */
	hides?(): Promise<readonly string[]>;
	/** the defaults if absent */
	retention?: Retention;
	/** how long a step waits for a remote; 20 s if absent */
	fetchWaitMs?: number;
	/** without workers there are no sandboxes */
	workers?: SandboxWorkers;
	/** set only inside a sandbox */
	given?: OutsideState;
}

/** What a step in a sandbox cannot see, and so is told by the daemon. */
export interface OutsideState {
	settings: RepositorySettings;
	baseCommit: string | null;
	/** of the workspace's branch in the project, else at its remote */
	branchCommit: string | null;
	/** where the branch began */
	start: string | null;
	/** its newest snapshot in the project */
	last: SnapshotRef | null;
	/** the marker of `primary/` */
	primary: PrimaryMarker | null;
}

/** As in the trailer of a commit. */
export const signatureOf = (agent: AgentIdentity): string => {
	const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = agentIdentity(agent);
	return `${name} <${email}>`;
};

/** The agent's identity on its commits, as variables, so that the user's git configuration does not change. */
export function agentIdentity({ handle }: AgentIdentity): Record<string, string> {
	const [name, email] = [`brood-agent-${handle}`, `${handle}@brood.local`];
	return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** The ref of base in the repository of the agent's tree. */
function baseRefOf({ workspace }: Checkout): string {
	return workspace.kind === "clone" ? `refs/remotes/brood/${workspace.base}` : `refs/heads/${workspace.base}`;
}

/** The repository that the agent's commits are in. */
export const repositoryOf = ({ project, workspace }: Checkout): string =>
	workspace.kind === "clone" ? workspace.path : project.path;

/** The tip of base, fetched into a clone first. Null if base has no commit yet, or is gone. */
export async function baseCommit(context: GitContext, checkout: Checkout): Promise<string | null> {
	const { project, workspace } = checkout;
	if (context.given !== undefined) {
		const { baseCommit: commit } = context.given;
		// the objects are borrowed from the project
		if (commit !== null) await context.git(workspace.path, ["update-ref", baseRefOf(checkout), commit]);
		return commit;
	}
	const ref = `refs/heads/${workspace.base}`;
	const commit = await commitOf(context.git, project.path, ref);
	if (workspace.kind === "clone" && commit !== null)
		await fetchRef(context.git, workspace.path, project.path, `+${ref}:${baseRefOf(checkout)}`);
	return commit;
}

/** Fetches one ref from a local repository. */
export async function fetchRef(git: Git, into: string, from: string, refspec: string): Promise<void> {
	await git(into, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", from, refspec]);
}

/** The tip of the agent's branch; a clone's is fetched into a ref of the project, which keeps it. */
export async function fetchTip(context: GitContext, checkout: Checkout): Promise<string | null> {
	const { project, agent, workspace } = checkout;
	const ref = `refs/heads/${workspace.branch}`;
	const tip = await commitOf(context.git, repositoryOf(checkout), ref);
	if (workspace.kind === "clone" && tip !== null)
		await fetchRef(context.git, project.path, workspace.path, `+${ref}:refs/brood/clones/${agent.id}`);
	return tip;
}

/** As `fetchTip`; for a clone that is gone, the tip that was fetched last. */
export async function seenTip(context: GitContext, checkout: Checkout): Promise<string | null> {
	if (checkout.workspace.kind !== "clone" || (await exists(checkout.workspace.path)))
		return await fetchTip(context, checkout);
	return await commitOf(context.git, checkout.project.path, `refs/brood/clones/${checkout.agent.id}`);
}

export async function isAncestor(git: Git, folder: string, ancestor: string, of: string): Promise<boolean> {
	if (ancestor === of) return true;
	return (await git(folder, ["merge-base", "--is-ancestor", ancestor, of], { answers: [1] })).exit === 0;
}
