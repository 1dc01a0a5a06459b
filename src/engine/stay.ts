// An agent in its workspace, as git's steps need to know it.
import type { AgentState } from "#contract/agent.ts";
import type { ProjectState } from "#contract/project.ts";
import type { Reads } from "./ports.ts";
import type { ProjectPlace, Stay } from "./workspaces.ts";

/** Null for an agent without a workspace, or whose project is gone. */
export async function stayOf(reads: Reads, agent: Pick<AgentState, "id" | "handle" | "project" | "workspace">): Promise<Stay | null> {
	const { id, handle, workspace } = agent;
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	if (workspace === null || project === undefined) return null;
	return { project: placeOf(project), agent: { id, handle }, workspace };
}

/** A project as git needs to know it. */
export const placeOf = ({ slug, path, base }: ProjectState): ProjectPlace => ({ slug, path, base });

/** What its repository may run, because somebody agreed. */
export async function approvedIn(reads: Reads, { project }: Pick<AgentState, "project">): Promise<readonly string[]> {
	return project === null ? [] : ((await reads.project(project))?.approved ?? []);
}
