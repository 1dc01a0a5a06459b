// Where the conversations of two agents part: the last item that both inherited, or have of their own.
import type { AgentId } from "#contract/ids.ts";
import { rangesOf } from "./ranges.ts";

interface Forked {
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
	const lineageOf = (id: AgentId): Forked["lineage"] => find(id)?.lineage ?? null;
	const theirs = new Map(rangesOf(other, lineageOf).map(({ of, upTo }) => [of, upTo]));
	const shared = rangesOf(one, lineageOf).find(({ of }) => theirs.has(of));
	if (shared === undefined) return null;
	const item = Math.min(shared.upTo, theirs.get(shared.of) ?? 0);
	return item === 0 || item === Number.POSITIVE_INFINITY ? null : { agent: shared.of, item };
}
