// Agents may act on themselves and on the agents below them; people on every agent.
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

/** `above`: the agents above the target. */
export function notInSubtree(target: AgentId, above: readonly AgentId[], actor: Actor, verb: string): Refusal | null {
	const caller = agentOf(actor);
	if (caller === null || caller === target || above.includes(caller)) return null;
	return refuse("FORBIDDEN", `An agent ${verb} only itself and the agents below it.`, { details: { agent: target } });
}
