// Where the conversations of two agents part: the last item that both inherited, or have of their own.
import type { AgentId } from "#contract/ids.ts";

interface Forked {
	id: AgentId;
	lineage: { agent: AgentId; forkPoint: number } | null;
}

export interface LastCommonItem {
	/** whose item it is */
	agent: AgentId;
	item: number;
}

/** Null if they have nothing in common. One is not part of the other's past unless it was forked from it. */
export function divergence(
	one: AgentId,
	other: AgentId,
	find: (id: AgentId) => Forked | undefined,
): LastCommonItem | null {
	const theirs = new Map(past(other, find).map(({ agent, upTo }) => [agent, upTo]));
	const shared = past(one, find).find(({ agent }) => theirs.has(agent));
	if (shared === undefined) return null;
	const item = Math.min(shared.upTo, theirs.get(shared.agent) ?? 0);
	return item === 0 || item === Number.POSITIVE_INFINITY ? null : { agent: shared.agent, item };
}

/** An agent and those whose items it inherited, each up to which item. */
function past(id: AgentId, find: (id: AgentId) => Forked | undefined): { agent: AgentId; upTo: number }[] {
	const found: { agent: AgentId; upTo: number }[] = [];
	let upTo = Number.POSITIVE_INFINITY;
	for (let agent = find(id); agent !== undefined; ) {
		const { id: at, lineage } = agent;
		if (found.some((each) => each.agent === at)) return found;
		found.push({ agent: at, upTo });
		if (lineage === null) return found;
		upTo = Math.min(upTo, lineage.forkPoint);
		agent = find(lineage.agent);
	}
	return found;
}
