// Apart from the other views of nodes: the command line starts faster without the schemas that those load.
import type { NodeState } from "#contract/node.ts";

/** The name of a row's node; null where there is only one node. */
export function nodeName(
	{ node }: { node: string | null },
	nodes: Iterable<Pick<NodeState, "id" | "name" | "state">>,
): string | null {
	const known = [...nodes].filter(({ state }) => state !== "removed");
	return known.length < 2 ? null : (known.find(({ id }) => id === node)?.name ?? null);
}
