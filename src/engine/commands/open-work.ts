// What an agent and its turn have open: calls, questions, waits.
import type { AgentId } from "#contract/ids.ts";
import type { TurnItem } from "#contract/turn.ts";
import { type OpenWork, openCallsOf } from "#domain/turn-end.ts";
import type { Work } from "./work.ts";

/** What an agent and its open turn leave behind when they end; `last` is what was heard last of the turn. */
export async function openWorkOf(
	work: Work,
	agent: AgentId,
	turn: number | null,
	last: readonly TurnItem[] = [],
): Promise<OpenWork> {
	const openCalls = turn === null ? [] : openCallsOf([...(await work.tx.callsOfTurn(agent, turn)), ...last]);
	const approvals = (await work.tx.pendingApprovals(agent)).map((approval) => approval.id);
	// a wait outside of a turn goes on when a turn ends: it is what continues the agent
	const waits = (await work.tx.openWaits()).filter((wait) => wait.agent === agent && (turn === null || wait.blocking));
	return { openCalls, approvals, waits };
}
