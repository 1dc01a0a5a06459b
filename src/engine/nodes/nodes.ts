// What an engine knows of the nodes that share its store, itself included.
import type { NodeEpoch, NodeId } from "#contract/node.ts";
import type { Phases } from "#contract/turn.ts";
import type { Store } from "../ports/store.ts";
import type { LastBeat, SharedDatabase } from "../ports/store-nodes.ts";
import type { DatabaseView, NodeWatch } from "./node-watch.ts";
import type { NodeSuspension } from "./suspension.ts";

interface Parts {
	store: Pick<Store, "beats">;
	node: NodeEpoch | null;
	watch: NodeWatch | null;
	suspension: NodeSuspension;
	limitsIgnored: readonly string[];
}

export class Nodes {
	readonly #parts: Parts;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** This one; null in an engine that is not a node. */
	get self(): NodeId | null {
		return this.#parts.node?.node ?? null;
	}

	/** The limits of this machine's configuration that differ from those of all nodes. */
	get limitsIgnored(): readonly string[] {
		return this.#parts.limitsIgnored;
	}

	/** What the beats tell of the database; null where there is one node. */
	get database(): DatabaseView | null {
		return this.#parts.watch?.database ?? null;
	}

	/** Whether no beat was answered for some seconds. */
	get isDatabaseAway(): boolean {
		return this.database?.unansweredMs != null;
	}

	/** The phases of the turns of other nodes. */
	get othersPhases(): Phases {
		return this.#parts.watch?.othersPhases ?? {};
	}

	/** Since when all processes are frozen; null if they are not. */
	get suspendedSince(): number | null {
		return this.#parts.suspension.since;
	}

	/** What each node said when it last showed that it lives. */
	async lastBeats(): Promise<LastBeat[]> {
		return (await this.#parts.store.beats?.last()) ?? [];
	}

	/** Another active node as this one saw it last; null for itself and for nodes that are not active. */
	lastSeen(node: NodeId): { epoch: number; beats: number; isSilent: boolean } | null {
		return this.#parts.watch?.lastSeen(node) ?? null;
	}

	/** How the database is set up; null where there is none of its own. */
	async examine(): Promise<SharedDatabase | null> {
		return (await this.#parts.store.beats?.examine()) ?? null;
	}
}
