// Texts that are kept beside the rows: in files, or in a table of their own on PostgreSQL.
import type { PartialOutput } from "#contract/turn.ts";

/** Where texts are kept that are too long for a row. */
export interface Blobs {
	/** durable when it resolves; answers with the name for `get` */
	put(text: string): Promise<string>;
	get(name: string): Promise<string | null>;
	/** only of a text that nothing else refers to */
	drop(name: string): Promise<void>;
	/** copies all of them into a new folder (an existing one with `again`); makes no folder if there are none */
	copyTo(folder: string, options: { again: boolean }): Promise<void>;
}

/**
 * The output of open tool calls and of an unfinished message: outside of the journal, as long as their turn is open.
 */
export interface Partials {
	/** replaces the turn's earlier output; durable when it resolves */
	keep(turn: number, outputs: readonly PartialOutput[]): Promise<void>;
	kept(turn: number): Promise<readonly PartialOutput[]>;
	drop(turn: number): Promise<void>;
	dropAll(): Promise<void>;
}
