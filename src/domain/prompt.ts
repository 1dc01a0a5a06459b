import type { AgentState } from "#contract/agent.ts";
import type { Happened } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { PromptFact, PromptQueue, PromptState } from "#contract/prompt.ts";
import { refuse } from "#contract/refusal.ts";
import { refusedNow } from "./agent/transitions.ts";
import type { Decision } from "./decision.ts";

/** The ends of a queue; null while it is empty. */
export interface QueueSight {
	length: number;
	lengthMax: number;
	first: number | null;
	last: number | null;
}

export function decideQueue(agent: AgentState, { text, front }: PromptQueue, queue: QueueSight): Decision {
	const refusal = refusedNow(agent, "prompt");
	if (refusal) return refusal;
	if (queue.length >= queue.lengthMax) {
		return refuse("QUEUE_FULL", `The queue of ${agent.handle} has ${queue.length} prompts, which is the limit.`, {
			details: { agent: agent.id, limit: queue.lengthMax },
			suggestions: [`brood queue list ${agent.handle}`],
		});
	}
	const position = front ? (queue.first ?? 1) - 1 : (queue.last ?? -1) + 1;
	return [{ kind: "prompt.queued", agent: agent.id, text, data: { position } }];
}

export function evolvePrompt(event: Happened<PromptFact & { agent: AgentId }>): PromptState {
	return { id: event.id, agent: event.agent, text: event.text, position: event.data.position, createdAt: event.at, createdBy: event.actor };
}
