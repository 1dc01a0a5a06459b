// The two statements that almost every table needs: one row's state by its key, and writing a row.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { Query, query, type Value } from "./prepared.ts";
import type { Tables } from "./tables.ts";

/** A query written in SQL, for what Kysely's builder cannot express. */
export const raw = <R>(db: Kysely<Tables>, text: RawBuilder<R>) => ({ compile: () => text.compile(db) });

/** A row's state as JSON. */
export interface StateRow {
	state: string;
}

export const stateById = (table: "approval" | "issue" | "run" | "turn" | "wait"): Query<{ id: number }, StateRow> =>
	query<{ id: number }>()(`${table}-by-id`, (db, arg) =>
		raw(db, sql<StateRow>`select state from ${sql.table(table)} where id = ${arg("id")}`),
	);

/** An agent is named by its id; the tables have its `seq`. */
type Row<T extends keyof Tables, C extends keyof Tables[T]> = {
	[K in C & string]: K extends "agent" ? AgentId : Extract<Tables[T][K], Value>;
};

interface Upsert<T extends keyof Tables, C extends keyof Tables[T]> {
	columns: readonly (C & string)[];
	/** `id` if absent */
	key?: readonly (C & string)[];
	/** the columns that are written again where the key is taken */
	changes: readonly (C & string)[];
	/** `put-` and the table's name if absent */
	name?: string;
}

export function upsert<T extends keyof Tables, C extends keyof Tables[T]>(
	table: T,
	{ columns, key, changes, name = `put-${table}` }: Upsert<T, C>,
): Query<Row<T, C>, never> {
	const list = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)));
	const build = (db: Kysely<Tables>, arg: <K extends C & string>(name: K) => RawBuilder<Row<T, C>[K]>) => {
		const values = columns.map((column) =>
			column === "agent" ? sql`(select seq from agent where id = ${arg(column)})` : arg(column),
		);
		const set = changes.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
		return raw(
			db,
			sql<never>`insert into ${sql.table(table)} (${list(columns)}) values (${sql.join(values)})
				on conflict (${list(key ?? ["id"])}) do update set ${sql.join(set)}`,
		);
	};
	return new Query<Row<T, C>, never>(name, build, { table, key: key ?? ["id"], put: { columns, changes } });
}

/** Removes a row, if there is one. */
export const removal = <K extends string>(name: string, table: keyof Tables, key: K): Query<Record<K, number>, never> =>
	new Query<Record<K, number>, never>(
		name,
		(db, arg) => raw(db, sql<never>`delete from ${sql.table(table)} where ${sql.ref(key)} = ${arg(key)}`),
		{ table, key: [key] },
	);
