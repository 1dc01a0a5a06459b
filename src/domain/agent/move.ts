// Moving an agent to another node, and what its nodes say about it: snapshots that every node can read, files that were
// left behind, processes that have ended.
import type { AgentState } from "#contract/agent.ts";
import type { AgentLeave, AgentMove, AgentShare } from "#contract/agent-commands.ts";
import { type NodeId, type NodeState, nodeDown, noNode } from "#contract/node.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "../decision.ts";

export interface AgentMoveFacts {
	/** the node that the agent is at */
	from: NodeState | undefined;
	/** the node that it is moved to, which was asked */
	to: NodeState | undefined;
	/** other agents in the same tree */
	sharing: number;
}

/** Why an agent cannot be moved now, wherever to; null if it can. */
export function refusedMove(agent: AgentState, sharing: number): Refusal | null {
	const { handle, workspace } = agent;
	const no = (words: string): Refusal =>
		refuse("CONFLICT", `${handle} cannot be moved: ${words}.`, { details: { agent: agent.id } });
	if (agent.supervisor === null) return no("agent 0 has no files, and is wherever it is asked for");
	if (agent.life === "ended") return no("it has ended");
	if (agent.turn !== null || agent.activity !== "idle" || agent.lease !== null)
		return refuse("AGENT_BUSY", `${handle} cannot be moved while it is at work.`, {
			details: { agent: agent.id },
			suggestions: [`brood wait ${handle}`],
		});
	if (workspace?.kind === "main") return no("it works in the repository itself");
	if (sharing > 0) return no("other agents work in the same tree");
	if (agent.issue !== null) return no("it works on an issue, whose files are at its project's node");
	return null;
}

/** Under the writer's lock: the agent is where it was, nothing ran since its last snapshot, and its node has not come back. */
export function decideMove(agent: AgentState, command: AgentMove, { from, to, sharing }: AgentMoveFacts): Decision {
	if (to === undefined) return noNode("");
	if (to.state !== "up") return nodeDown(to);
	if (agent.node === to.id) return [];
	const refusal = refusedMove(agent, sharing);
	if (refusal !== null) return refusal;
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

export function decideShare(agent: AgentState, { bundle, whole, reason, dropped }: AgentShare): Decision {
	if (dropped !== undefined)
		return agent.bundles.length === 0 ? [] : [{ kind: "agent.unshared", agent: agent.id, data: { reason, dropped } }];
	if (bundle !== undefined) return [{ kind: "agent.shared", agent: agent.id, data: { bundle, whole } }];
	return agent.unshared?.reason === reason ? [] : [{ kind: "agent.unshared", agent: agent.id, data: { reason } }];
}

export function decideLeft(agent: AgentState, { node, trash }: AgentLeave): Decision {
	const there = agent.former.some((each) => each.node === node && each.trash === null);
	return there ? [{ kind: "agent.left", agent: agent.id, data: { node, trash } }] : [];
}

/** Only its own node knows. */
export const decideStop = (agent: AgentState, by: { node: NodeId | null }): Decision =>
	agent.life === "ended" && agent.node === by.node ? [{ kind: "agent.stopped", agent: agent.id }] : [];
