// How nodes join, leave and fall, and what becomes of a fallen node's work.
import type { AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import {
	isActive,
	type NodeFall,
	type NodeId,
	type NodeJoin,
	type NodeState,
	nodeDown,
	noNode,
} from "#contract/node.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { TurnState } from "#contract/turn.ts";
import type { AgentMoveFacts } from "./agent/move.ts";
import { chooseNodeAfterFall } from "./agent/placement.ts";
import type { Decision } from "./decision.ts";
import { withoutCredentialsAt } from "./slots.ts";
import { decideCrash, type OpenWork } from "./turn-end.ts";
import { decideLeaseCrash } from "./workspace.ts";

/**
 * The same start may ask twice and gets the same epoch: its first answer may have been lost. Agent 0 comes along if
 * its own node takes no part.
 */
export function decideJoin(
	nodes: readonly NodeState[],
	{ type: _, name, ...command }: NodeJoin,
	agentZero?: AgentState,
): Exclude<Decision, Refusal> {
	const before = nodes.find(({ id }) => id === command.node);
	if (before !== undefined && before.startId === command.startId && isActive(before)) return [];
	const isServed = nodes.some((each) => each.id === agentZero?.node && isActive(each));
	const taken = nodes.some((other) => other.name === name && other.id !== command.node && other.state !== "removed");
	return [
		{
			kind: "node.joined",
			agent: null,
			data: {
				...command,
				name: taken ? `${name.slice(0, 55)}-${command.node.slice(0, 8)}` : name,
				epoch: (before?.epoch ?? 0) + 1,
				...(before?.fellAt == null ? {} : { fellAt: before.fellAt }),
			},
		},
		...(isServed ? [] : moveAgentZero(agentZero, command.node)),
	];
}

/** Agent 0 goes on at another node: it has no files. With a process at work it stays where that is. */
function moveAgentZero(agentZero: AgentState | undefined, node: NodeId | undefined): NewEvent[] {
	if (agentZero === undefined || node === undefined || agentZero.node === null || agentZero.node === node) return [];
	const { id, turn, type } = agentZero;
	if (turn !== null && type !== "human") return [];
	return [{ kind: "agent.moved", agent: id, data: { node, ...(turn !== null && { turn: turn.id }) } }];
}

/** What a fallen node leaves behind. */
export interface FallenWork {
	turns: readonly { agent: AgentState; turn: TurnState; openWork: OpenWork; first: number | null }[];
	/** all its living agents */
	agents: readonly AgentState[];
	/** where those without files can go on */
	elsewhere: Pick<AgentMoveFacts, "nodes" | "subscriptions" | "projects"> & { busy: ReadonlyMap<NodeId, number> };
}

/**
 * Another node replaces a silent one, in one transaction: half of it would leave work that nobody owns. `beats`
 * is the number of its beats now: if there was another one since the other node looked, it lives.
 */
export function decideFall(
	node: NodeState | undefined,
	command: NodeFall,
	{ beats, fallen }: { beats: number; fallen: FallenWork },
	by: { node: NodeId | null },
): Decision {
	if (node === undefined) return noNode(command.node);
	if (!isActive(node) || node.epoch !== command.epoch || beats !== command.beats) return [];
	return [
		{ kind: "node.fell", agent: null, data: { node: node.id, epoch: node.epoch + 1, replacedBy: by.node } },
		...leftBehind(node, fallen, by.node),
	];
}

function leftBehind(
	{ id: fallen, name }: NodeState,
	{ turns, agents, elsewhere }: FallenWork,
	replacedBy: NodeId | null,
): NewEvent[] {
	const why = `Node ${name} stopped answering`;
	const ended = turns
		// a human agent's turn has no process that could have ended with the node
		.filter(({ agent, turn }) => turn.handedAt === null || agent.type !== "human")
		.flatMap(({ agent, turn, openWork, first }) =>
			eventsOf(decideCrash(agent, turn, openWork, first, `${why} while this turn was open.`)),
		);
	const cutOff = agents.filter(({ lease }) => lease !== null).flatMap((agent) => eventsOf(decideLeaseCrash(agent)));
	const unmade = agents
		.filter(({ life, holds }) => life === "provisioning" && !holds.some(({ kind }) => kind === "error"))
		.map(({ id }): NewEvent => {
			const reason = `${why} while the workspace was being made.`;
			return { kind: "agent.held", agent: id, data: { hold: "error", reason } };
		});
	// without files they can go on wherever they can run; agent 0 is wherever it is asked for
	const nodes = elsewhere.nodes.filter(({ id }) => id !== fallen);
	const moved = agents
		.filter(({ workspace, workspacePlan }) => workspace === null && workspacePlan === null)
		.flatMap((agent): NewEvent[] => {
			const { id, turn, type, supervisor } = agent;
			const withoutCredentials = (node: NodeId) => withoutCredentialsAt({ ...agent, node }, elsewhere);
			const facts = { ...elsewhere, type, nodes, withoutCredentials };
			const node = replacedBy === null || supervisor === null ? replacedBy : chooseNodeAfterFall(facts, replacedBy);
			const along = turn !== null && type === "human" ? { turn: turn.id } : {};
			return node === null ? [] : [{ kind: "agent.moved", agent: id, data: { node, ...along } }];
		});
	return [...ended, ...cutOff, ...unmade, ...moved];
}

/** These decisions are never refused: their rows were read in the same transaction. */
const eventsOf = (decision: Decision): readonly NewEvent[] => (isRefusal(decision) ? [] : decision);

/** `agentZero` is undefined unless it is at this node. */
export function decideLeaveNode(
	node: NodeState | undefined,
	{ node: id }: { node: NodeId },
	{ nodes, agentZero }: { nodes: readonly NodeState[]; agentZero?: AgentState | undefined } = { nodes: [] },
): Decision {
	if (node === undefined) return noNode(id);
	if (!isActive(node)) return [];
	const others = nodes.filter((each) => each.id !== id);
	return [
		{ kind: "node.left", agent: null, data: { node: id } },
		...moveAgentZero(agentZero, bestNodeFor(others, agentZero)),
	];
}

/** Where agent 0 can best go on: where its program is, else at any active node. */
function bestNodeFor(nodes: readonly NodeState[], agentZero: AgentState | undefined): NodeId | undefined {
	const rank = ({ state, types }: NodeState): number =>
		(state === "up" ? 2 : 0) + (types.includes(agentZero?.type ?? "") ? 1 : 0);
	return nodes.filter(isActive).toSorted((a, b) => rank(b) - rank(a) || (a.id < b.id ? -1 : 1))[0]?.id;
}

export function decideDrain(node: NodeState | undefined, { node: id }: { node: NodeId }): Decision {
	if (node === undefined) return noNode(id);
	if (!isActive(node)) return nodeDown(node);
	return node.state === "draining" ? [] : [{ kind: "node.drainStarted", agent: null, data: { node: id } }];
}

export function decideResumeNode(node: NodeState | undefined, { node: id }: { node: NodeId }): Decision {
	if (node === undefined) return noNode(id);
	if (!isActive(node)) return nodeDown(node);
	return node.state === "up" ? [] : [{ kind: "node.resumed", agent: null, data: { node: id } }];
}

/** The same types again are no news. */
export function decideEquip(
	node: NodeState | undefined,
	{ node: id, types }: { node: NodeId; types: readonly string[] },
): Decision {
	if (node === undefined) return noNode(id);
	const isSame = types.length === node.types.length && types.every((type) => node.types.includes(type));
	return isSame ? [] : [{ kind: "node.equipped", agent: null, data: { node: id, types: [...types] } }];
}

/** Its agents would have no node any more: they are moved or killed first. Agent 0 goes to the node that is asked. */
export function decideRemoveNode(
	node: NodeState | undefined,
	{ node: id }: { node: NodeId },
	{ nodes, agents }: { nodes: readonly NodeState[]; agents: readonly AgentState[] },
	by: { node: NodeId | null },
): Decision {
	if (node === undefined || node.state === "removed") return noNode(id);
	if (isActive(node))
		return refuse(
			"CONFLICT",
			`Node ${node.name} is ${node.state}: stop it first with \`brood down\` on its machine. If that machine is off, \`brood node fall ${node.name}\` says so.`,
			{ details: { node: id, state: node.state }, suggestions: ["brood node list"] },
		);
	const agentZero = agents.find(({ supervisor }) => supervisor === null);
	const moved = moveAgentZero(agentZero, by.node ?? bestNodeFor(nodes, agentZero));
	const living = agents.length - moved.length;
	if (living > 0)
		return refuse(
			"CONFLICT",
			`${living === 1 ? "1 living agent belongs" : `${living} living agents belong`} to node ${node.name}: move or kill ${living === 1 ? "it" : "them"} first.`,
			{ details: { node: id, livingAgents: living }, suggestions: ["brood agent list"] },
		);
	return [{ kind: "node.removed", agent: null, data: { node: id } }, ...moved];
}
