// Questions to a database at the other end of a wire: where the embedded one asks once per ancestor, this asks twice in
// all.
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { MirroredRows, MirrorRequest } from "#contract/rows.ts";
import type { Connection } from "../sql/connection.ts";
import * as queries from "../sql/history-queries.ts";
import { isWhole } from "../sql/journal-reads.ts";
import { SqlReads } from "../sql/reads.ts";
import { eventFrom } from "../sql/rows.ts";

/** Runs questions in one transaction that sees one moment. */
export type InSnapshot = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

export class PostgresReads extends SqlReads {
	readonly #inSnapshot: InSnapshot;

	constructor(connection: Connection, inSnapshot: InSnapshot) {
		super(connection);
		this.#inSnapshot = inSnapshot;
	}

	override async mirrored(request: MirrorRequest): Promise<MirroredRows> {
		return await this.#inSnapshot((connection) => new SqlReads(connection).mirrored(request));
	}

	override async history(agent: AgentId): Promise<{ items: Event[]; whole: boolean }> {
		const walk = await this.connection.all(queries.walkUp, { agent });
		const rows = await this.connection.all(queries.itemsOfHistory, { agent });
		return { items: rows.map(eventFrom), whole: isWhole(walk) };
	}
}
