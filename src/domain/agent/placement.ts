// Which node a new agent lives at: with its parent or its project, because its files are there; an agent
// without files may live anywhere.
import type { AgentState } from "#contract/agent.ts";
import type { AgentSpawn } from "#contract/agent-commands.ts";
import { credentialHint } from "#contract/credential-hint.ts";
import { type NodeId, type NodeState, nodeDown, noNode } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { SubscriptionState } from "#contract/subscription.ts";

interface PlacementFacts {
	parent: AgentState;
	project: ProjectState | null | undefined;
	/** none where nodes do not matter */
	nodes?: readonly NodeState[];
	/** its agent type */
	type?: string;
	/** the subscriptions of its type without credentials at a node, if no other one can be used there */
	withoutCredentials?: (node: NodeId) => readonly Pick<SubscriptionState, "name">[];
	/** how many turns run at each node */
	busy?: ReadonlyMap<NodeId, number>;
	/** the node that was asked */
	asked: NodeId | null;
	/** the files that it has or gets */
	workspace: object | null;
	workspacePlan: object | null;
}

export function chooseNode(
	{ parent, project, nodes = [], asked, workspace, workspacePlan, ...facts }: PlacementFacts,
	{ node: named, notHere }: Pick<AgentSpawn, "node" | "notHere">,
): { node?: NodeId } | Refusal {
	const { type = "human", busy = new Map(), withoutCredentials = () => [] } = facts;
	const files = workspace !== null || workspacePlan !== null;
	const near = (parent.supervisor === null ? project?.node : parent.node) ?? asked;
	const nearRow = nodes.find(({ id }) => id === near);
	// whoever was asked has looked for the program itself; the others have said what they have
	const hasType = ({ id, types }: NodeState): boolean =>
		(id === asked && notHere !== true) || isAnywhere(type) || types.includes(type);
	const fits = (node: NodeState): boolean =>
		node.state === "up" && hasType(node) && withoutCredentials(node.id).length === 0;
	const hasRoom = ({ id, turnsMax }: NodeState): boolean => (busy.get(id) ?? 0) < turnsMax;
	// without files it goes to wherever it can run, if it cannot run there, or would have to wait for a place
	const elsewhere = (): NodeId | null =>
		nearRow !== undefined && fits(nearRow)
			? (roomiest(
					nodes.filter((node) => fits(node) && node.types.includes(type) && hasRoom(node)),
					busy,
				) ?? near)
			: (roomiest(nodes.filter(fits), busy) ?? near);
	const stays = files || nearRow === undefined || (fits(nearRow) && hasRoom(nearRow));
	const usual = stays ? near : elsewhere();
	const chosen = named ?? usual;
	if (chosen === null) return {};
	const row = nodes.find(({ id }) => id === chosen);
	if (row === undefined) return nodes.length === 0 ? { node: chosen } : noNode(chosen);
	if (files && chosen !== near && nearRow !== undefined)
		return refuse(
			"CONFLICT",
			`It begins with the files of ${project?.slug ?? parent.handle} at node ${nearRow.name}, so it is made there and not at ${row.name}.`,
			{ details: { node: row.id }, suggestions: [movableTo(project, row) ?? "brood node list"] },
		);
	if (row.state !== "up") return nodeDown(row);
	return refusedAt(row, { type, nodes, hasType, withoutCredentials }) ?? { node: chosen };
}

/** Why an agent cannot run at a node that is up, for want of its program or of credentials; null if it can. */
export function refusedAt(
	row: NodeState,
	{
		type,
		nodes,
		withoutCredentials,
		hasType = ({ types }) => isAnywhere(type) || types.includes(type),
	}: Required<Pick<PlacementFacts, "type" | "nodes" | "withoutCredentials">> & {
		hasType?: (node: NodeState) => boolean;
	},
): Refusal | null {
	const fits = (node: NodeState): boolean =>
		node.state === "up" && hasType(node) && withoutCredentials(node.id).length === 0;
	if (fits(row)) return null;
	const [lacking] = hasType(row) ? withoutCredentials(row.id) : [];
	if (lacking !== undefined)
		return refuse("CONFLICT", `Subscription ${lacking.name} has no credentials at node ${row.name}.`, {
			details: { node: row.id, subscription: lacking.name },
			suggestions: [credentialHint(lacking.name, row.name)],
		});
	const there = nodes.filter(fits).map(({ name }) => name);
	// nodes that have the program, and lack only credentials
	const almost = nodes
		.filter((node) => node.state === "up" && hasType(node))
		.flatMap(({ id, name }) =>
			withoutCredentials(id)
				.slice(0, 1)
				.map((subscription) => ({ name, subscription })),
		);
	const [first] = there.length === 0 ? almost : [];
	const known = there.length === 0 ? "No node has it" : `It is at ${there.join(", ")}`;
	const where =
		first === undefined
			? known
			: `It is at ${first.name}, where subscription ${first.subscription.name} has no credentials`;
	return refuse(
		"CONFLICT",
		`Agents of type ${type} cannot run at node ${row.name}: it is not installed there. ${where}.`,
		{
			details: { node: row.id, type, nodeNames: there },
			suggestions: [
				...(first === undefined ? [] : [credentialHint(first.subscription.name, first.name)]),
				`at node ${row.name}: brood setup ${type}`,
				"brood node list",
			],
		},
	);
}

/** How an agent of the project gets to a node that has its repository, or can clone it; null if it cannot. */
function movableTo(project: ProjectState | null | undefined, { id, name }: NodeState): string | null {
	const has = (project?.url ?? null) !== null || (project?.sites ?? []).some(({ node }) => node === id);
	return has ? `add it without --node, then: brood agent move NAME --to ${name}` : null;
}

/**
 * Where an agent without files can go on after its node fell: at the node that is asked if it can run there; null for
 * nowhere.
 */
export function chooseNodeAfterFall(
	{
		type,
		nodes,
		withoutCredentials,
		busy = new Map(),
	}: Pick<PlacementFacts, "busy"> & Required<Pick<PlacementFacts, "type" | "nodes" | "withoutCredentials">>,
	asked: NodeId,
): NodeId | null {
	const fitting = nodes.filter((node) => refusedAt(node, { type, nodes, withoutCredentials }) === null);
	return fitting.some(({ id }) => id === asked) ? asked : (roomiest(fitting, busy) ?? null);
}

/** Human agents need no program, and a program of one's own may be anywhere. */
const isAnywhere = (type: string): boolean => type === "human" || type === "acp";

/** The node with the most free places; of equal ones the first by id. */
function roomiest(nodes: readonly NodeState[], busy: ReadonlyMap<NodeId, number>): NodeId | undefined {
	const free = ({ id, turnsMax }: NodeState): number => turnsMax - (busy.get(id) ?? 0);
	return nodes.toSorted((a, b) => free(b) - free(a) || (a.id < b.id ? -1 : 1))[0]?.id;
}
