// Where somebody is in the agent tree: kept in this tab, so that it is the same when they come back to it.
import { useSyncExternalStore } from "react";
import type { AgentId } from "#contract/ids.ts";

interface TreePlace {
	/** agents that somebody has opened or closed */
	opened: ReadonlyMap<AgentId, boolean>;
	selected: readonly AgentId[];
	/** the current row; no agent before there was one */
	current: { agent: AgentId | null; index: number };
}

let place: TreePlace = { opened: new Map(), selected: [], current: { agent: null, index: 0 } };
const listeners = new Set<() => void>();

export const useTreePlace = (): TreePlace => useSyncExternalStore(listen, () => place);

export function changeTreePlace(changed: Partial<TreePlace>): void {
	place = { ...place, ...changed };
	for (const each of listeners) each();
}

function listen(changed: () => void): () => void {
	listeners.add(changed);
	return () => void listeners.delete(changed);
}
