// Nodes in the store: their rows, and how they show each other that they live.
import type { NodeEpoch, NodeId, NodeState } from "#contract/node.ts";
import type { BeatAnswer } from "#domain/node.ts";

export interface NodeReads {
	node(id: NodeId): Promise<NodeState | undefined>;
	/** by id, including those that have left */
	nodes(): Promise<NodeState[]>;
}

export interface NodeWrites {
	putNode(state: NodeState): Promise<void>;
	/** how often the node has beaten in this epoch; no beat comes in between this and the end of the transaction */
	beatsOf(node: NodeId, epoch: number): Promise<number>;
}

/** Only where several nodes share a store. Nothing of it passes through the journal. */
export interface Beats {
	/**
	 * Says that the node lives: its how many-th beat it is, and whether it believes itself alone. Rejects if the database does
	 * not answer in time.
	 */
	beat(as: NodeEpoch, mine: { beats: number; alone: boolean }): Promise<BeatAnswer & { databaseNow: number | null }>;
}

/** A process beside the daemon that ends it when it stands still: a daemon that is frozen cannot hold its processes. */
export interface Watchdog {
	/** The daemon may run for so long from now on, whatever happens; null for ever. */
	goodFor(ms: number | null): void;
}
