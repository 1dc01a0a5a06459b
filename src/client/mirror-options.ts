// What a mirror is made of: where its rows come from, what it shows, and what it says of changes.
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Item } from "#contract/wire.ts";
import type { RowName } from "#views/rows.ts";
import type { Client } from "./client.ts";

export interface Shown {
	boards: readonly ProjectSlug[];
	threads: readonly AgentId[];
}

/** What changed: everything, some rows, a running message, or what is in no row (`Unjournaled`). */
export type Changed =
	| { all: true }
	/** `item` is of a shown thread, `followedItem` of an agent that is only followed */
	| { rows: readonly RowName[]; item: Item | null; followedItem?: Item }
	| { message: AgentId }
	| { unjournaled: true };

/** Where the rows and events come from: a client, or something that shares one connection among several mirrors. */
export type MirrorSource = Pick<Client, "call" | "stream" | "findAgain">;

export interface MirrorOptions {
	changed?(changed: Changed): void;
	/** how many items of each thread are kept, from its end */
	itemsMax?: number;
	/** the time on the client's clock */
	now(): number;
	/** waits before a reconnection, after this many attempts in a row to find or start a daemon failed */
	pause?(failed: number, signal: AbortSignal): Promise<unknown>;
	/**
	 * called before a reconnection, to find a daemon or start one that died; where that fails it is tried again. Nobody
	 * waits any more once the signal is aborted
	 */
	beforeReconnect?(signal: AbortSignal): Promise<unknown>;
}

export const noMirroredRows = {
	...{ agents: [], projects: [], subscriptions: [], turnLeases: [], nodes: [], prompts: [], turns: [], approvals: [] },
	...{ waits: [], mails: [], issues: [], runs: [] },
};
