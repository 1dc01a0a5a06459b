// An agent as every surface shows it: its row, what waits for it, and what it waits for. The server's lists and
// the clients' mirrors differ only in where they get these from.
import type { AgentState } from "#contract/agent.ts";
import type { PendingWork } from "#contract/pending-work.ts";
import type { Unjournaled } from "#contract/rows.ts";
import type { Phase } from "#contract/turn.ts";
import type { Agent } from "#contract/wire.ts";
import { availableAt, whyNotScheduled } from "#domain/availability.ts";
import type { Schedule } from "#domain/schedule.ts";
import { agentView } from "./wire.ts";

export interface ShownAgentInput extends Pick<Unjournaled, "phases"> {
	now: number;
	/** needed only if somebody is busy */
	schedule: Pick<Schedule, "notStarted"> | null;
}

export function agentShown(agent: AgentState, pending: PendingWork, { phases, now, schedule }: ShownAgentInput): Agent {
	const { queueLength, unreadMail, due, notBefore } = pending;
	const phase = phaseOf(agent, pending, phases);
	if (!isBusy(agent, pending)) return agentView(agent, { queueLength, unreadMail, phase });
	const elsewhere = queueLength === 0 ? null : whyNotScheduled(agent, due > 0, notBefore);
	const waiting = schedule?.notStarted.get(agent.id) ?? elsewhere;
	const availability = {
		waitingFor: waiting?.why ?? null,
		ahead: waiting?.ahead ?? 0,
		availableAt: availableAt(agent, queueLength, now),
	};
	return agentView(agent, { queueLength, unreadMail, phase, availability });
}

/** It has a turn or a queue, so that `availableAt` can be estimated. */
export const isBusy = ({ turn }: AgentState, { queueLength }: Pick<PendingWork, "queueLength">): boolean =>
	turn !== null || queueLength > 0;

/** The phase that its process last reported, unless it waits for an agent, a slot or an approval. */
function phaseOf({ turn }: AgentState, { wait, pendingApprovals }: PendingWork, phases: Unjournaled["phases"]): Phase {
	if (turn === null) return "model";
	if (wait !== null) return wait.ready === null ? "wait" : "slot";
	return pendingApprovals > 0 ? "approval" : (phases[turn.id] ?? "model");
}
