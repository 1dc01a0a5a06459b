// Nodes as people name them.
import { type NodeState, noNode } from "#contract/node.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Reads } from "#engine/ports/store.ts";

/** A node by its id or its name. */
export async function findNode(reads: Pick<Reads, "nodes">, name: string): Promise<NodeState | Refusal> {
	const there = (await reads.nodes()).filter(({ state }) => state !== "removed");
	return there.find((each) => each.id === name) ?? there.find((each) => each.name === name) ?? noNode(name);
}
