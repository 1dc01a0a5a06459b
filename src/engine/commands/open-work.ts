// What an agent and its turn have open: tool calls, approvals, waits.
import type { AgentId } from "#contract/ids.ts";
import type { PartialOutput, TurnItem } from "#contract/turn.ts";
import { notRecorded, type OpenWork, openCallsOf } from "#domain/turn-end.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** `last` are the turn's last items, which are recorded together with its end. */
export async function openWorkOf(
	work: UnitOfWork,
	agent: AgentId,
	turn: number | null,
	last: readonly TurnItem[] = [],
): Promise<OpenWork> {
	const openCalls = turn === null ? [] : openCallsOf([...(await work.tx.callsOfTurn(agent, turn)), ...last]);
	const approvals = (await work.tx.pendingApprovals(agent)).map((approval) => approval.id);
	// a wait that does not block a turn outlives it: it is what continues the agent
	const waits = (await work.tx.openWaits()).filter((wait) => wait.agent === agent && (turn === null || wait.blocking));
	return { openCalls, approvals, waits };
}

/** A message may have been recorded since its beginning was looked up. */
export async function unrecorded({ tx, envelope }: UnitOfWork, agent: AgentId, turn: number): Promise<PartialOutput[]> {
	const partials = envelope.partials?.[turn] ?? [];
	return partials.length === 0 ? [] : notRecorded(partials, await tx.itemsBefore(agent, null, 20));
}
