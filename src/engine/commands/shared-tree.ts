// Agents that work in the same tree: a git step there concerns all of them.
import type { AgentState } from "#contract/agent.ts";
import type { Reads } from "../ports/store.ts";

/** The other living agents in the agent's tree. A child that shares one belongs to its parent's project. */
export async function othersInTree(
	reads: Pick<Reads, "agents">,
	{ id, project, workspace, node }: AgentState,
): Promise<AgentState[]> {
	if (project === null || workspace === null) return [];
	const living = await reads.agents({ project, life: "living" });
	// the same path at another node is another tree
	return living.filter((other) => other.id !== id && other.node === node && other.workspace?.path === workspace.path);
}
