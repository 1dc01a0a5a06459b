// Estimates when an agent will be free, from the duration of its last turns.
import type { AgentState } from "#contract/agent.ts";
import type { Waiting } from "./schedule.ts";

/** Null if it is free now, if something holds it, or if it has no history to judge by. */
export function availableAt(agent: AgentState, queueLength: number, now: number): number | null {
	if (agent.life !== "live" || agent.holds.length > 0 || (agent.turn === null && queueLength === 0)) return null;
	const usual = median(agent.turnsTookMs);
	if (usual === null) return null;
	const left = agent.turn === null ? 0 : Math.max(0, agent.turn.startedAt + usual - now);
	return now + left + queueLength * usual;
}

function median(numbers: readonly number[]): number | null {
	const sorted = numbers.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? null;
}

/**
 * Why an agent's next prompt is no matter of the scheduler. `due`: its time has come; `notBefore` are the times of
 * those whose has not.
 */
export function waitsElsewhere(agent: AgentState, due: boolean, notBefore: readonly number[]): Waiting | null {
	if (agent.life === "provisioning") return { why: "it is being prepared", ahead: 0 };
	if (agent.lease !== null) return { why: `its workspace, which is being worked on (${agent.lease.step})`, ahead: 0 };
	if (agent.activity !== "idle") return { why: "its turn that is running", ahead: 0 };
	if (agent.holds.length > 0) return { why: `held: ${agent.holds.map(({ kind }) => kind).join(", ")}`, ahead: 0 };
	if (due || notBefore.length === 0) return null;
	return { why: `not before ${new Date(Math.min(...notBefore)).toISOString()}`, ahead: 0 };
}

/** It could start a turn, as far as it is up to itself. */
export const isIdle = (agent: AgentState): boolean =>
	agent.life === "live" && agent.activity === "idle" && agent.lease === null;
