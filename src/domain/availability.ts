// Whether an agent is free, why not, and when it will be: an estimate from the duration of its last turns.
import type { AgentState } from "#contract/agent.ts";
import type { NotStarted } from "./schedule.ts";
import { type Capacity, claim, shortageText } from "./slots.ts";

/** Why an agent could not start new work at once; null if it could. `until` is when that ends, if it is known. */
export function whyNotFree(
	agent: AgentState,
	queueLength: number,
	capacity: Capacity,
): { reason: string; until: number | null } | null {
	const notFree = (reason: string, until: number | null = null) => ({ reason, until });
	const held = agent.holds.map(({ kind, reason }) => (reason === "" ? kind : `${kind}: ${reason}`));
	if (agent.holds.length > 0) return notFree(`held (${held.join(", ")})`);
	const busy = whyNotScheduled(agent, true, null);
	if (busy !== null) return notFree(busy.why);
	if (agent.issue !== null) return notFree("it is assigned to an issue");
	if (queueLength > 0) return notFree(queueLength === 1 ? "1 queued prompt" : `${queueLength} queued prompts`);
	const claimed = claim(agent, capacity);
	if ("subscription" in claimed) return null;
	return notFree(shortageText(claimed.short), claimed.short.of === "time" ? claimed.short.until : null);
}

/** Null if it is free, held, or has no earlier turns. */
export function availableAt(agent: AgentState, queueLength: number, now: number): number | null {
	if (agent.life !== "live" || agent.holds.length > 0 || (agent.turn === null && queueLength === 0)) return null;
	const durationMs = median(agent.turnsTookMs);
	if (durationMs === null) return null;
	const left = agent.turn === null ? 0 : Math.max(0, agent.turn.startedAt + durationMs - now);
	return now + left + queueLength * durationMs;
}

function median(numbers: readonly number[]): number | null {
	const sorted = numbers.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? null;
}

const whyActive = {
	preparing: "its workspace goes to the branch of its issue",
	running: "its turn is running",
	settling: "its files are being saved",
} as const;

/** Why the scheduler does not consider an agent's next prompt. `notBefore`: the earliest time that one waits for. */
export function whyNotScheduled(agent: AgentState, due: boolean, notBefore: number | null): NotStarted | null {
	if (agent.life === "provisioning") return { why: "its workspace is being made", ahead: 0 };
	if (agent.lease !== null) return { why: `its workspace is being worked on (${agent.lease.step})`, ahead: 0 };
	if (agent.activity !== "idle") return { why: whyActive[agent.activity], ahead: 0 };
	if (agent.holds.length > 0) return { why: `held: ${agent.holds.map(({ kind }) => kind).join(", ")}`, ahead: 0 };
	if (due || notBefore === null) return null;
	return { why: `not before ${new Date(notBefore).toISOString()}`, ahead: 0 };
}

/** It could start a turn with this prompt if it had a slot. */
export const mayStart = (agent: AgentState, { manual }: { manual: boolean }): boolean =>
	hasNoWorkUnderWay(agent) && (manual || agent.holds.length === 0);

/** No turn and no step runs: it could start a turn if it has a prompt, a slot and no hold. */
export const hasNoWorkUnderWay = (agent: AgentState): boolean =>
	agent.life === "live" && agent.activity === "idle" && agent.lease === null;
