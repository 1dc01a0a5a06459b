// Joins the other nodes of the store, before the engine reads or writes anything else. From then on every batch is
// fenced: it is committed only while this node is in the epoch that it got here.
import type { NodeEpoch } from "#contract/node.ts";
import type { EngineDependencies } from "./parts.ts";
import { bySystem, type Dispatch } from "./ports/dispatch.ts";

interface Joined {
	node: NodeEpoch | null;
	/** of the last daemon of this home; null if there was none */
	lastEpoch: number | null;
}

export async function join(
	{ node, limits: { turnsMax }, store }: Pick<EngineDependencies, "node" | "limits" | "store">,
	dispatch: Dispatch,
): Promise<Joined> {
	if (node === undefined) return { node: null, lastEpoch: null };
	const before = await store.reads.node(node.node);
	const outcome = await dispatch(bySystem({ type: "node.join", ...node, turnsMax }));
	const row = await store.reads.node(node.node);
	if ("refused" in outcome || row === undefined || row.startId !== node.startId)
		throw new Error("this node could not join");
	const as = { node: row.id, epoch: row.epoch };
	store.fence(as);
	// whoever replaced a silent node has counted its epoch on
	const lastEpoch = before === undefined ? null : before.epoch - (before.state === "down" ? 1 : 0);
	return { node: as, lastEpoch };
}
