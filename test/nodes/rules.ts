// What a simulated world goes by: the rules of the protocol, the weather, and what is counted.
import { nodeTimes } from "#domain/node.ts";

/** What the protocol does; each control takes one away. */
export interface Rules {
	/** a batch is refused unless its node is in its epoch */
	fence: boolean;
	/** silence counts only while own beats are answered */
	answered: boolean;
	suspendMs: number;
	/** trust counts from the sending of a beat, not from its answer */
	trustFromSending: boolean;
	/** ends a frozen daemon's processes; `null` for none */
	watchdog: "fed by beats" | "fed by the event loop" | null;
	/** a start that asks twice to join gets one epoch */
	joinsOnce: boolean;
	/** a fall is refused if there was a beat since */
	comparesBeats: boolean;
	/** who is silent is told by the database's clock */
	databaseClock: boolean;
	/** the silence of a node that may believe itself alone does not count */
	sparesLone: boolean;
}
export const asDesigned: Rules = {
	...{ fence: true, answered: true, suspendMs: nodeTimes.suspendMs, trustFromSending: true, watchdog: "fed by beats" },
	...{ joinsOnce: true, comparesBeats: true, databaseClock: false, sparesLone: true },
};

/**
 * What goes wrong: any mixture, a slow network, a cut that is followed by a freeze, or a node that joins while the only
 * other one is cut off.
 */
export type Weather = "mixed" | "slow" | "cut and frozen" | "lone outage" | "joined while cut";

export interface Found {
	/** batches of a fenced epoch that were accepted */
	stale: number;
	/** more processes running than there are slots */
	overshoots: number;
	/** nodes that were well, and fell */
	falseDeaths: number;
	/** processes of a node that has nobody else, and that were held all the same */
	loneHolds: number;
	starts: number;
	falls: number;
	holds: number;
}
