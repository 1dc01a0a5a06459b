// Walking from an agent up to the last clear or the root, and reading the items on the way.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { query } from "./prepared.ts";
import { seqOf } from "./queries.ts";
import type { EventRow } from "./rows.ts";
import { raw } from "./state-queries.ts";
import type { Tables } from "./tables.ts";

/** Exactly the condition of the index `event_control`, or SQLite would not use it. */
const isControl = sql<boolean>`kind in ('clear', 'mark', 'rewind')`;
export const isItem = sql<boolean>`kind not like '%.%'`;

/** "No upper end" in a comparison: larger than any id. */
export const endless = Number.MAX_SAFE_INTEGER;

export interface WalkRow {
	seq: number;
	id: AgentId;
	lineage: number | null;
	up_to: number | null;
	clear: number | null;
}

/**
 * One row for each agent whose thread is part of the context, the oldest first. An ancestor is always older than its
 * child, so a walk in a cycle stops, and its last row has a lineage that was not followed.
 */
const walk = (agent: RawBuilder<AgentId>) => sql`
	with recursive walk (seq, id, lineage, fork_point, up_to, clear, depth) as (
		select seq, id, lineage, fork_point, cast(null as bigint),
			(select max(event.id) from event where event.agent = agent.seq and ${isControl} and kind = 'clear'), 0
		from agent where id = ${agent}
		union all
		select parent.seq, parent.id, parent.lineage, parent.fork_point, ${lower},
			(select max(event.id) from event where event.agent = parent.seq and ${isControl} and kind = 'clear' and event.id <= ${lower}), walk.depth + 1
		from walk join agent parent on parent.seq = walk.lineage and parent.seq < walk.seq
		where walk.clear is null
	)`;

/** The lower of the two upper ends; null means none. */
const lower = sql`case when walk.up_to is null or walk.fork_point < walk.up_to then walk.fork_point else walk.up_to end`;

export const walkUp = query<{ agent: AgentId }>()("walk-up", (db, arg) =>
	raw(db, sql<WalkRow>`${walk(arg("agent"))} select seq, id, lineage, up_to, clear from walk order by depth desc`),
);

const eventColumns = ["id", "turn", "kind", "text", "data", "at", "actor", "command"] as const;

interface RangeArgs extends Record<string, number> {
	seq: number;
	after: number;
	upTo: number;
}

const fromRange = (
	db: Kysely<Tables>,
	arg: (name: "seq" | "after" | "upTo") => RawBuilder<number>,
	wanted: RawBuilder<boolean>,
) =>
	db
		.selectFrom("event")
		.select(eventColumns)
		.where("agent", "=", arg("seq"))
		.where("id", ">", arg("after"))
		.where("id", "<=", arg("upTo"))
		.where(wanted)
		.orderBy("id");

/** One range of one thread: for SQLite, where a query costs microseconds. */
export const itemsOfRange = query<RangeArgs>()("items-of-range", (db, arg) => fromRange(db, arg, isItem));

export const controlsOfRange = query<RangeArgs>()("controls-of-range", (db, arg) => fromRange(db, arg, isControl));

/** All ranges at once: for a database behind a network. */
export const itemsOfHistory = query<{ agent: AgentId }>()("items-of-history", (db, arg) =>
	raw(
		db,
		sql<EventRow>`${walk(arg("agent"))}
			select part.id, walk.id as agent, part.turn, part.kind, part.text, part.data, part.at, part.actor, part.command
			from walk cross join lateral (
				select * from event
				where event.agent = walk.seq and event.id > coalesce(walk.clear, 0) and event.id <= coalesce(walk.up_to, ${sql.lit(endless)}) and ${isItem}
			) part
			order by walk.depth desc, part.id`,
	),
);

/** The newest items are at the end of the thread, so this reads only a few rows. */
export const itemsBefore = query<{ agent: AgentId; before: number; limit: number }>()("items-before", (db, arg) =>
	db
		.selectFrom("event")
		.select(eventColumns)
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("id", "<", arg("before"))
		.where(isItem)
		.orderBy("id", "desc")
		.limit(arg("limit")),
);
