import type { AgentState } from "#contract/agent.ts";
import type { ItemAppend } from "#contract/item.ts";
import { refusedNow } from "./agent-state/transitions.ts";
import type { Decision } from "./decision.ts";

export function decideAppend(agent: AgentState, { kind, text, data }: ItemAppend): Decision {
	return refusedNow(agent, "say") ?? [{ kind, agent: agent.id, text, data }];
}
