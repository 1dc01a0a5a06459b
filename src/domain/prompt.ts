// The prompt queue: first in, first out, but for what is put at the front.
import type { AgentState } from "#contract/agent.ts";
import type { Happened } from "#contract/event.ts";
import type { Actor, AgentId } from "#contract/ids.ts";
import type { PromptFact, PromptQueue, PromptState } from "#contract/prompt.ts";
import { refuse } from "#contract/refusal.ts";
import { outOfReach } from "./agent/subtree.ts";
import { refusedNow } from "./agent/transitions.ts";
import type { Decision } from "./decision.ts";

/** Positions below zero are in front of the others. Prompts that come back after a crash go before even these. */
export const frontStart = -1_000_000_000;

/** The ends of a queue, null while it is empty, and who stands above the agent. */
export interface QueueSight {
	length: number;
	lengthMax: number;
	/** of all, and of those at the front alone */
	last: number | null;
	lastFront: number | null;
	above: readonly AgentId[];
}

export function decideQueue(agent: AgentState, { text, front, source }: PromptQueue, queue: QueueSight, by: { actor: Actor }): Decision {
	const refusal = outOfReach(agent.id, queue.above, by.actor, "prompts") ?? refusedNow(agent, "prompt");
	if (refusal) return refusal;
	if (queue.length >= queue.lengthMax) {
		return refuse("QUEUE_FULL", `The queue of ${agent.handle} has ${queue.length} prompts, which is the limit.`, {
			details: { agent: agent.id, limit: queue.lengthMax },
			suggestions: [`brood queue list ${agent.handle}`],
		});
	}
	// what is put at the front stays in front of everything else, and in the order in which it was put there
	const position = front ? Math.max(frontStart, (queue.lastFront ?? frontStart) + 1) : Math.max(0, (queue.last ?? -1) + 1);
	return [{ kind: "prompt.queued", agent: agent.id, text, data: { position, source } }];
}

type Queued = Happened<Extract<PromptFact, { kind: "prompt.queued" }> & { agent: AgentId }>;

export function evolvePrompt({ id, agent, text, data, at, actor }: Queued): PromptState {
	return { id, agent, text, ...data, createdAt: at, createdBy: actor };
}
