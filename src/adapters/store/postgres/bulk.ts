// Statements that write many rows at once: one array for each column, put together again by `unnest`.
import type { RowWrite, Value } from "../sql/prepared.ts";
import type { PostgresConnection } from "./connection.ts";
import type { PendingTable, PendingWrites, Row } from "./pending-writes.ts";

/** The type of each column, as `table.column`. */
export type ColumnTypes = ReadonlyMap<string, string>;

export interface BulkWrite {
	name: string;
	text: string;
	values: (Value[] | Value)[];
}

export async function columnTypes(connection: PostgresConnection): Promise<ColumnTypes> {
	const rows = await connection.rows<{ name: string; type: string }>({
		name: "column-types",
		text: `select table_name || '.' || column_name as name, data_type as type from information_schema.columns
			where table_schema = current_schema()`,
		values: [],
	});
	return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Everything that is pending. Events come first: other rows refer to them. */
export function bulkWrites(pending: PendingWrites, types: ColumnTypes): BulkWrite[] {
	// a run and an entry refer to their issue
	const tables = [...pending.tables.values()].sort((a, b) => rank(a) - rank(b));
	return [
		...(pending.events.length === 0 ? [] : [insertEvents(pending.events)]),
		...updateAgents([...pending.agents.values()]),
		...tables.flatMap((table) => writesOf(table, types)),
	];
}

const rank = ({ writes }: PendingTable): number => (writes.table === "issue" ? 0 : 1);

const eventColumns = ["id", "agent", "turn", "kind", "text", "data", "at", "actor", "command"];

const insertEvents = (rows: readonly Row[]): BulkWrite => ({
	name: "insert-events",
	text: `insert into event (${eventColumns.join(", ")})
		select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[],
			$8::text[], $9::text[])`,
	values: eventColumns.map((column) => rows.map((row) => row[column] ?? null)),
});

/** Most updates leave the columns unchanged that repeat part of an agent's state. */
function updateAgents(rows: readonly Row[]): BulkWrite[] {
	const whole = rows.filter((row) => "life" in row);
	const states = rows.filter((row) => !("life" in row));
	return [
		...(states.length === 0 ? [] : [updateColumns("update-states", { seq: "bigint", state: "text" }, states)]),
		...(whole.length === 0 ? [] : [updateColumns("update-agents", agentColumns, whole)]),
	];
}

const agentColumns = {
	...{ seq: "bigint", state: "text", handle: "text", life: "text", supervisor: "text" },
	...{ held: "bigint", leased: "bigint", stray: "bigint", folder: "text" },
};

function updateColumns(name: string, types: Readonly<Record<string, string>>, rows: readonly Row[]): BulkWrite {
	const columns = Object.keys(types);
	const changed = columns.filter((column) => column !== "seq").map((column) => `${column} = u.${column}`);
	const arrays = Object.values(types).map((type, at) => `$${at + 1}::${type}[]`);
	return {
		name,
		text: `update agent set ${changed.join(", ")}
			from unnest(${arrays.join(", ")}) as u (${columns.join(", ")}) where agent.seq = u.seq`,
		values: columns.map((column) => rows.map((row) => row[column] ?? null)),
	};
}

function writesOf({ writes, rows }: PendingTable, types: ColumnTypes): BulkWrite[] {
	const all = [...rows.values()];
	const removed = all.filter((each) => each.removed).map(({ key }) => key);
	const put = all.map(({ row }) => row).filter((row) => row !== null);
	return [
		...(removed.length === 0 ? [] : [remove(writes, removed)]),
		...(put.length === 0 || writes.put === undefined ? [] : [upsert(writes, writes.put, put, types)]),
	];
}

/** Only rows with one number as their key are ever removed. */
const remove = ({ table, key: [key = ""] }: RowWrite, keys: readonly Row[]): BulkWrite => ({
	name: `remove-all-${table}`,
	text: `delete from ${table} where ${key} = any($1::bigint[])`,
	values: [keys.map((each) => each[key] ?? null)],
});

function upsert(
	{ table, key }: RowWrite,
	{ columns, changes }: NonNullable<RowWrite["put"]>,
	rows: readonly Row[],
	types: ColumnTypes,
): BulkWrite {
	// the row names its agent by its id, the table by its number
	const typeOf = (column: string): string =>
		column === "agent" ? "text" : (types.get(`${table}.${column}`) ?? unknown(table, column));
	const arrays = columns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`);
	const values = columns.map((column) =>
		column === "agent" ? "(select seq from agent where agent.id = u.agent)" : `u.${column}`,
	);
	return {
		name: `put-all-${table}`,
		text: `insert into ${table} (${columns.join(", ")}) select ${values.join(", ")}
			from unnest(${arrays.join(", ")}) with ordinality as u (${columns.join(", ")}, nth) order by nth
			on conflict (${key.join(", ")}) do update set ${changes.map((column) => `${column} = excluded.${column}`).join(", ")}`,
		values: columns.map((column) => rows.map((row) => row[column] ?? null)),
	};
}

function unknown(table: string, column: string): never {
	throw new Error(`${table}.${column} is not a column of the database`);
}
