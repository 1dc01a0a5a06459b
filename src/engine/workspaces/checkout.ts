// An agent's checkout, as git steps need it.
import type { AgentState } from "#contract/agent.ts";
import type { NodeId } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Reads } from "../ports/store.ts";
import type { Checkout, ProjectRepository } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";

/** Null for an agent without a workspace, or whose project is gone. */
export async function checkoutOf(
	reads: Pick<Reads, "project">,
	agent: Pick<AgentState, "id" | "handle" | "project" | "workspace" | "node">,
): Promise<Checkout | null> {
	const { id, handle, workspace } = agent;
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	if (workspace === null || project === undefined) return null;
	return { project: projectRepository(project, agent.node), agent: { id, handle }, workspace };
}

/** A project as git steps take it: at its home node, or at another, where the settings of the home node count. */
export const projectRepository = (
	{ slug, path, base, node, sites = [], homeConfig }: ProjectState,
	at: NodeId | null = null,
): ProjectRepository => ({
	...{ slug, path: sites.find((each) => each.node === at)?.path ?? path, base },
	...(at !== null && node !== null && node !== at && { config: homeConfig ?? null }),
});

/** The branch that the project's work is merged into now, by its settings; null without git. */
export async function baseOf(
	workspaces: Pick<Workspaces, "settings">,
	project: ProjectState,
	at: NodeId | null = null,
): Promise<string | null | Refusal> {
	if (project.base === null) return null;
	const effective = await workspaces.settings(projectRepository(project, at), project.approved);
	return isRefusal(effective) ? effective : effective.settings.base;
}

/** The fingerprints of repository configuration that a person has approved. */
export async function approvedIn(reads: Reads, { project }: Pick<AgentState, "project">): Promise<readonly string[]> {
	return project === null ? [] : ((await reads.project(project))?.approved ?? []);
}
