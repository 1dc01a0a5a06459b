// Reads from a database behind a network: SQLite asks once per ancestor, this asks twice in all.
import type { Reads } from "#engine/ports/store.ts";
import type { Connection } from "../sql/connection.ts";
import * as queries from "../sql/history-queries.ts";
import { isWholeWalk } from "../sql/journal-reads.ts";
import { sqlReads } from "../sql/reads.ts";
import { eventFrom } from "../sql/rows.ts";

/** Runs reads in one transaction that sees one moment. */
type InSnapshot = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

export const postgresReads = (connection: Connection, inSnapshot: InSnapshot): Reads => ({
	...sqlReads(connection),
	mirrored: (request) => inSnapshot((snapshot) => sqlReads(snapshot).mirrored(request)),
	async history(agent) {
		const walk = await connection.all(queries.walkUp, { agent });
		const rows = await connection.all(queries.itemsOfHistory, { agent });
		return { items: rows.map(eventFrom), whole: isWholeWalk(walk) };
	},
});
