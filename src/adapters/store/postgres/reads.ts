// Questions to a database at the other end of a wire: where the embedded one asks once per ancestor, this asks twice in all.
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import * as queries from "../sql/history-queries.ts";
import { isWhole } from "../sql/journal-reads.ts";
import { SqlReads } from "../sql/reads.ts";
import { eventFrom } from "../sql/rows.ts";

export class PostgresReads extends SqlReads {
	override async history(agent: AgentId): Promise<{ items: Event[]; whole: boolean }> {
		const walk = await this.connection.all(queries.walkUp, { agent });
		const rows = await this.connection.all(queries.itemsOfHistory, { agent });
		return { items: rows.map(eventFrom), whole: isWhole(walk) };
	}
}
