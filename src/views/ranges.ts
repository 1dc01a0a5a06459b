// Which items a conversation is made of: an agent's own, and of each ancestor what was inherited.
import type { AgentId } from "#contract/ids.ts";

/** A part of a conversation: the items of an agent, up to one of them where a fork was made. */
export interface ThreadRange {
	of: AgentId;
	/** the last item of it; infinite for the agent's own */
	upTo: number;
}

/** An agent and those that it was forked from, itself first; of each, what its fork inherited. */
export function rangesOf(
	agent: AgentId,
	lineageOf: (of: AgentId) => { agent: AgentId; forkPoint: number } | null,
): ThreadRange[] {
	const ranges = new Map([[agent, Number.POSITIVE_INFINITY]]);
	let upTo = Number.POSITIVE_INFINITY;
	for (let lineage = lineageOf(agent); lineage !== null && !ranges.has(lineage.agent); ) {
		// a fork from an inherited item has nothing of what its ancestors said after that item
		upTo = Math.min(upTo, lineage.forkPoint);
		ranges.set(lineage.agent, upTo);
		lineage = lineageOf(lineage.agent);
	}
	return [...ranges].map(([of, last]) => ({ of, upTo: last }));
}
