// Moving an agent to another node, and what its nodes say about it: snapshots that every node can read, files that were
// left behind, processes that have ended.
import type { AgentState } from "#contract/agent.ts";
import type { AgentMove, AgentTrash, AgentUpload } from "#contract/agent-commands.ts";
import { type NodeId, type NodeState, nodeDown, noNode, noOtherNode } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Decision } from "../decision.ts";
import { withoutCredentialsAt } from "../slots.ts";
import { refusedAt } from "./placement.ts";

export interface AgentMoveFacts {
	/** the node that it is moved to, which was asked */
	to: NodeState;
	nodes: readonly NodeState[];
	/** other agents in the same workspace */
	sharing: number;
	subscriptions: readonly SubscriptionState[];
	projects: readonly ProjectState[];
}

/** Why an agent cannot be moved there now; null if it can. */
export function refusedMove(
	agent: AgentState,
	{ to, nodes, sharing, subscriptions, projects }: AgentMoveFacts,
): Refusal | null {
	const { handle, workspace } = agent;
	const no = (words: string): Refusal =>
		refuse("CONFLICT", `${handle} cannot be moved: ${words}.`, { details: { agent: agent.id } });
	if (agent.life === "ended") return no("it has ended");
	if (agent.turn !== null || agent.activity !== "idle" || agent.lease !== null)
		return refuse("AGENT_BUSY", `${handle} cannot be moved while it is at work.`, {
			details: { agent: agent.id },
			suggestions: [agent.type === "human" ? `brood turn finish ${handle} -m TEXT` : `brood wait ${handle}`],
		});
	if (workspace?.kind === "main") return no("it works in the repository itself");
	if (sharing > 0) return no("other agents share its workspace");
	if (agent.issue !== null) return no("it works on an issue, whose files are at its project's home node");
	if (to.state !== "up") return nodeDown(to);
	// as for a new agent: its turns would only wait there
	const withoutCredentials = (node: NodeId) => withoutCredentialsAt({ ...agent, node }, { subscriptions, projects });
	return refusedAt(to, { type: agent.type, nodes, withoutCredentials });
}

/**
 * Under the writer's lock: the agent is where it was, nothing ran since its last snapshot, and its node has not come
 * back.
 */
export function decideMove(
	agent: AgentState,
	command: AgentMove,
	facts: AgentMoveFacts | null,
	by: { node: NodeId | null },
): Decision {
	if (facts === null) return by.node === null ? noOtherNode() : noNode(by.node);
	const { to, nodes } = facts;
	if (agent.node === to.id) return [];
	const refusal = refusedMove(agent, facts);
	if (refusal !== null) return refusal;
	const from = nodes.find(({ id }) => id === command.from.node);
	const changed =
		agent.node !== command.from.node ||
		from?.epoch !== command.from.epoch ||
		agent.turnEndedIn !== command.from.turnEndedIn ||
		(agent.bundles.at(-1)?.snapshot ?? null) !== command.from.snapshot;
	if (changed)
		return refuse("AGENT_BUSY", `${agent.handle} has changed while it was being moved. Nothing was moved; try again.`, {
			details: { agent: agent.id },
		});
	const { workspace, head } = command;
	return [
		{
			kind: "agent.moved",
			agent: agent.id,
			data: { node: to.id, ...(workspace !== undefined && { workspace, head }) },
		},
	];
}

export function decideUpload(agent: AgentState, { bundle, whole, reason, dropped }: AgentUpload): Decision {
	if (dropped !== undefined)
		return agent.bundles.length === 0
			? []
			: [{ kind: "agent.notUploaded", agent: agent.id, data: { reason, dropped } }];
	if (bundle !== undefined) return [{ kind: "agent.uploaded", agent: agent.id, data: { bundle, whole } }];
	return agent.notUploaded?.reason === reason ? [] : [{ kind: "agent.notUploaded", agent: agent.id, data: { reason } }];
}

export function decideTrash(agent: AgentState, { node, trash }: AgentTrash): Decision {
	const there = agent.former.some((each) => each.node === node && each.trash === null);
	return there ? [{ kind: "agent.trashed", agent: agent.id, data: { node, trash } }] : [];
}

/** Only its own node knows. */
export const decideProcessesEnded = (agent: AgentState, by: { node: NodeId | null }): Decision =>
	agent.life === "ended" && agent.node === by.node ? [{ kind: "agent.processesEnded", agent: agent.id }] : [];
