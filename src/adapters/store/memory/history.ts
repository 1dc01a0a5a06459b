// The history of an agent in memory: its own items after those of the agents that it was forked from.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { Range, Ranges } from "#engine/ports/store.ts";
import type { Rows } from "./rows.ts";

export function historyIn(rows: Rows, agent: AgentId): { items: Event[]; whole: boolean } {
	const { ranges, whole } = rangesIn(rows, agent);
	const inRange = (range: Range) => (event: Event) =>
		event.agent === range.agent && event.id > range.after && (range.upTo === null || event.id <= range.upTo);
	return { items: ranges.flatMap((range) => rows.events.filter(inRange(range)).filter(isItem)), whole };
}

/** From the leaf up its lineage, to the last clear that the walk can see or to an agent without a lineage. */
export function rangesIn({ agents, events }: Rows, leaf: AgentId): Ranges {
	const ranges: Range[] = [];
	let upTo: number | null = null;
	for (let next: AgentId | null = leaf; next !== null; ) {
		const agent: AgentState | undefined = agents.get(next);
		const again = ranges.some((range) => range.agent === next);
		if (agent === undefined || again) return { ranges, whole: false };
		const end = upTo ?? Number.POSITIVE_INFINITY;
		const clear = events.findLast((event) => event.agent === next && event.kind === "clear" && event.id <= end);
		ranges.unshift({ agent: next, after: clear?.id ?? 0, upTo });
		if (clear !== undefined || agent.lineage === null) break;
		upTo = Math.min(end, agent.lineage.forkPoint);
		next = agent.lineage.agent;
	}
	return { ranges, whole: true };
}
