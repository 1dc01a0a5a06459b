// What the shared queries need of a database: running a prepared query, and a few statements that differ.
import type { Dialect, Query, Value } from "./prepared.ts";

export interface Connection {
	readonly dialect: Dialect;
	all<P extends Record<string, Value>, R>(query: Query<P, R>, args: P): Promise<R[]>;
	/** a statement without arguments and rows: transaction control, schema changes */
	exec(statement: string): Promise<void>;
	/** whether an error says something about the database, and not only about one statement */
	failsBatch(error: unknown): boolean;
}
