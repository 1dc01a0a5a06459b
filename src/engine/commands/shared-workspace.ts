// Agents that share a workspace: a git step there concerns all of them.
import type { AgentState } from "#contract/agent.ts";
import type { Reads } from "../ports/store.ts";

/** The other living agents in the agent's workspace. A child that shares it belongs to its parent's project. */
export async function othersInWorkspace(
	reads: Pick<Reads, "agents">,
	{ id, project, workspace, node }: AgentState,
): Promise<AgentState[]> {
	if (project === null || workspace === null) return [];
	const living = await reads.agents({ project, life: "living" });
	// the same path at another node is another workspace
	return living.filter((other) => other.id !== id && other.node === node && other.workspace?.path === workspace.path);
}
