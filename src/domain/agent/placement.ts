// Which node a new agent lives at: with its parent or its project, because its files are there; without files anywhere.
import type { AgentState } from "#contract/agent.ts";
import { type NodeId, type NodeState, nodeDown, noNode } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

interface PlacementFacts {
	parent: AgentState;
	project: ProjectState | null | undefined;
	/** none where nodes do not matter */
	nodes?: readonly NodeState[];
	/** the node that was asked */
	asked: NodeId | null;
	/** the files that it has or gets */
	workspace: object | null;
	plan: object | null;
}

export function placeAgent(
	{ parent, project, nodes = [], asked, workspace, plan }: PlacementFacts,
	named: NodeId | undefined,
): { node?: NodeId } | Refusal {
	const files = workspace !== null || plan !== null;
	const near = (parent.supervisor === null ? project?.node : parent.node) ?? asked;
	const nearRow = nodes.find(({ id }) => id === near);
	// without files it need not wait for a node that is away
	const usual = files || nearRow?.state === "up" ? near : (asked ?? near);
	const chosen = named ?? usual;
	if (chosen === null) return {};
	const row = nodes.find(({ id }) => id === chosen);
	if (row === undefined) return nodes.length === 0 ? { node: chosen } : noNode(chosen);
	if (files && chosen !== near && nearRow !== undefined)
		return refuse(
			"CONFLICT",
			`The files of ${project?.slug ?? parent.handle} are at node ${nearRow.name}, not at ${row.name}.`,
			{ details: { node: row.id }, suggestions: ["brood node list"] },
		);
	return row.state === "up" ? { node: chosen } : nodeDown(row);
}
