// Nodes and their beats.
import { sql } from "kysely";
import type { NodeId } from "#contract/node.ts";
import { query } from "./prepared.ts";
import { raw, type StateRow } from "./state-queries.ts";

export const nodeById = query<{ id: NodeId }>()("node-by-id", (db, arg) =>
	raw(db, sql<StateRow>`select state from node where id = ${arg("id")}`),
);

export const allNodes = query()("all-nodes", (db) => raw(db, sql<StateRow>`select state from node order by id`));

export const putNode = query<{ id: NodeId; epoch: number; active: number; state: string }>()("put-node", (db, arg) =>
	raw(
		db,
		sql<never>`insert into node (id, epoch, active, state)
			values (${arg("id")}, ${arg("epoch")}, ${arg("active")}, ${arg("state")})
			on conflict (id) do update set epoch = excluded.epoch, active = excluded.active, state = excluded.state`,
	),
);

/** Waits for a beat that is just being written, and lets none in until the end of the transaction. */
export const lockNode = query<{ id: NodeId }>()("lock-node", (db, arg, dialect) =>
	raw(db, sql<never>`select id from node where id = ${arg("id")} ${dialect === "postgres" ? sql`for update` : sql``}`),
);

export const beatsOfNode = query<{ node: NodeId; epoch: number }>()("beats-of-node", (db, arg) =>
	raw(db, sql<{ beats: number }>`select beats from beat where node = ${arg("node")} and epoch = ${arg("epoch")}`),
);
