// When an agent can be expected to be free, judged by how long its last turns took.
import type { AgentState } from "#contract/agent.ts";
import type { TurnState } from "#contract/turn.ts";

/** Null if it is free now, if something holds it, or if it has no history to judge by. */
export function availableAt(agent: AgentState, queueLength: number, latest: readonly TurnState[], now: number): number | null {
	if (agent.life !== "live" || agent.holds.length > 0 || (agent.turn === null && queueLength === 0)) return null;
	const usual = median(latest.flatMap(({ startedAt, endedAt }) => (endedAt === null ? [] : endedAt - startedAt)));
	if (usual === null) return null;
	const left = agent.turn === null ? 0 : Math.max(0, agent.turn.startedAt + usual - now);
	return now + left + queueLength * usual;
}

function median(numbers: readonly number[]): number | null {
	const sorted = numbers.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? null;
}
