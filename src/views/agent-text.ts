// How an agent is described on every screen: symbol, state, and what waits.
import { AgentId } from "#contract/ids.ts";
import { inline } from "#contract/visible.ts";
import type { Agent } from "#contract/wire.ts";
import { isHumanAgentsTurn } from "./state-style.ts";

/** The state in words, with its reason. */
export function stateOf(agent: Agent): string {
	const { label, turn, holds, waitingFor } = agent;
	if (turn?.phase === "approval") return "asks you";
	if (isHumanAgentsTurn(agent)) return "waits for you";
	if (turn !== null && turn.silentSince !== null) return "silent";
	if (turn?.phase === "wait") return "waits";
	const why = holds.find(({ reason }) => reason !== "")?.reason ?? holds[0]?.kind ?? "";
	if (label === "paused" || label === "error") return why === "" || why === label ? label : `${label} (${inline(why)})`;
	return label === "idle" && waitingFor !== null ? `waits: ${inline(waitingFor)}` : label;
}

/** How somebody ends the turn of a human agent. */
export const finishHint = (handle: string): string => `brood turn finish ${handle} -m '…'`;

/** `2⧗ 1✉`: prompts that wait, and unread mail. */
export const counters = ({ queueLength, unreadMail }: Agent): string =>
	[queueLength > 0 ? `${queueLength}⧗` : "", unreadMail > 0 ? `${unreadMail}✉` : ""].filter(Boolean).join(" ");

/** The name of whoever did something: `human`, `system`, a person or an agent. */
export function actorName(actor: string, agentOf: (id: AgentId) => Agent | undefined): string {
	const id = AgentId.safeParse(actor.startsWith("agent:") ? actor.slice("agent:".length) : actor);
	return (id.success ? agentOf(id.data)?.handle : undefined) ?? actor;
}
