// Nodes in the store: their rows, and how they show each other that they live.
import type { NodeEpoch, NodeId, NodeState } from "#contract/node.ts";
import type { Phases } from "#contract/turn.ts";
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

/**
 * What a node says with a beat: the number of the beat, whether the node believes itself alone, what it measured, and
 * the phases of its turns, which are in no row.
 */
export interface OwnBeat extends Measured {
	beats: number;
	alone: boolean;
	phases: Phases;
}

interface Measured {
	/** how long a trip to the database takes; null before the first answer */
	roundTripMs: number | null;
	/** by how much the database's clock is ahead */
	clockOffsetMs: number | null;
}

/** What a node said when it last showed that it lives. */
export interface LastBeat extends Measured {
	node: NodeId;
	epoch: number;
	ageMs: number;
	alone: boolean;
}

/** How a database that several nodes share is set up. */
export interface SharedDatabase {
	/** a message to itself came back: without that the journal is looked at only every second */
	receivesNotifications: boolean;
	/** settings with which a crash of the server may lose or damage what was committed, as `name = value` */
	unsafe: string[];
	/** it has standbys, and commits do not wait for one */
	losesAtFailover: boolean;
	/** connections that are not in use */
	connectionsFree: number;
	/** for how many seconds somebody has left a transaction open without doing anything in it, and the session's pid */
	idleInTransactionS: number;
	idleInTransactionPid: number | null;
	/** who has kept the writer's lock for seconds, as a batch never does: nothing can be written */
	writerLock: { pid: number; user: string; waitsForStandby: boolean } | null;
	/** sessions of other roles, of which this role may not see whether they have left a transaction open */
	sessionsUnseen: number;
}

/** Only where several nodes share a store. Nothing of it passes through the journal. */
export interface Beats {
	/** Says that the node lives. Rejects if the database does not answer in time. */
	beat(as: NodeEpoch, mine: OwnBeat): Promise<BeatAnswer & { phases: Phases; databaseNow: number | null }>;
	last(): Promise<LastBeat[]>;
	examine(): Promise<SharedDatabase>;
}

/**
 * A process beside the daemon that ends it when it stands still: a daemon that stands still cannot freeze its
 * processes.
 */
export interface Watchdog {
	/** The daemon may run for so long from now on, whatever happens; null for ever. */
	goodFor(ms: number | null): void;
}
