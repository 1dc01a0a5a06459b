// Texts that are kept in files beside the store.
import type { PartialOutput } from "#contract/turn.ts";

/** Where texts are kept that are too long for a row. */
export interface Blobs {
	/** durable when it resolves; answers with the name by which it is found again */
	put(text: string): Promise<string>;
	get(name: string): Promise<string | null>;
	/** all of them into a folder that does not exist yet, unless it is done `again`; nothing is made if there are none */
	copyTo(folder: string, options: { again: boolean }): Promise<void>;
}

/**
 * What open tool calls have put out so far, and what has been said of a message: outside of the journal, for as long as
 * their turn is open.
 */
export interface Partials {
	/** replaces what was kept of the turn; durable when it resolves */
	keep(turn: number, calls: readonly PartialOutput[]): Promise<void>;
	kept(turn: number): Promise<readonly PartialOutput[]>;
	drop(turn: number): Promise<void>;
	dropAll(): Promise<void>;
}
