// What is looked at before an agent is moved to a node.
import type { AgentState } from "#contract/agent.ts";
import type { NodeId } from "#contract/node.ts";
import type { AgentMoveFacts } from "#domain/agent/move.ts";
import type { Reads } from "../ports/store.ts";
import { othersInWorkspace } from "./shared-workspace.ts";

/** Null if there is no such node. */
export async function agentMoveFacts(
	reads: Pick<Reads, "agents" | "nodes" | "projects" | "subscriptions">,
	agent: AgentState,
	node: NodeId | null,
): Promise<AgentMoveFacts | null> {
	const nodes = await reads.nodes();
	const to = nodes.find(({ id }) => id === node);
	if (to === undefined) return null;
	const sharing = (await othersInWorkspace(reads, agent)).length;
	return { to, nodes, sharing, subscriptions: await reads.subscriptions(), projects: await reads.projects() };
}
