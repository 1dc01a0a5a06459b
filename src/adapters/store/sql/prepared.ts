// Queries are written once with Kysely, compiled once per database, and run as prepared statements.
// So both databases share every query and its types, and none pays for building it again.
import {
	type Compilable,
	DummyDriver,
	Kysely,
	PostgresAdapter,
	PostgresIntrospector,
	PostgresQueryCompiler,
	type RawBuilder,
	SqliteAdapter,
	SqliteIntrospector,
	SqliteQueryCompiler,
	sql,
} from "kysely";
import type { Tables } from "./tables.ts";

export type Dialect = "sqlite" | "postgres";
export type Value = string | number | null;

const builders: Record<Dialect, Kysely<Tables>> = {
	sqlite: new Kysely<Tables>({
		dialect: {
			createDriver: () => new DummyDriver(),
			createAdapter: () => new SqliteAdapter(),
			createQueryCompiler: () => new SqliteQueryCompiler(),
			createIntrospector: (db) => new SqliteIntrospector(db),
		},
	}),
	postgres: new Kysely<Tables>({
		dialect: {
			createDriver: () => new DummyDriver(),
			createAdapter: () => new PostgresAdapter(),
			createQueryCompiler: () => new PostgresQueryCompiler(),
			createIntrospector: (db) => new PostgresIntrospector(db),
		},
	}),
};

/** Where an argument goes once the query runs. */
class Placeholder {
	readonly name: string;
	constructor(name: string) {
		this.name = name;
	}
}

type Arguments<P> = <K extends keyof P & string>(name: K) => RawBuilder<P[K]>;

export interface PreparedQuery {
	readonly name: string;
	readonly sql: string;
	values(args: Readonly<Record<string, Value>>): Value[];
}

type Build<P, R> = (db: Kysely<Tables>, arg: Arguments<P>, dialect: Dialect) => Compilable<R>;

/** What a query writes, where that is one whole row: a store may hold it back and write many rows at once. */
export interface RowWrite {
	readonly table: string;
	readonly key: readonly string[];
	/** absent where the row is removed */
	readonly put?: { readonly columns: readonly string[]; readonly changes: readonly string[] };
}

/** A query with named arguments `P` and rows `R`. */
export class Query<P extends Record<string, Value>, R> {
	readonly name: string;
	readonly writes: RowWrite | null;
	readonly #build: Build<P, R>;
	readonly #prepared = new Map<Dialect, PreparedQuery>();

	constructor(name: string, build: Build<P, R>, writes: RowWrite | null = null) {
		this.name = name;
		this.#build = build;
		this.writes = writes;
	}

	prepared(dialect: Dialect): PreparedQuery {
		const known = this.#prepared.get(dialect);
		if (known !== undefined) return known;
		const compiled = this.#build(builders[dialect], (name) => sql`${new Placeholder(name)}`, dialect).compile();
		const parameters = compiled.parameters.map((parameter) =>
			parameter instanceof Placeholder ? parameter.name : { fixed: value(parameter) },
		);
		const made: PreparedQuery = {
			name: this.name,
			sql: dialect === "sqlite" ? compiled.sql.replaceAll(limitOf, "limit ? + 0") : compiled.sql,
			values: (args) =>
				parameters.map((parameter) => (typeof parameter === "string" ? (args[parameter] ?? null) : parameter.fixed)),
		};
		this.#prepared.set(dialect, made);
		return made;
	}
}

/**
 * SQLite looks at the value of a bare `limit ?` to choose its plan, and so compiles the statement anew whenever a value
 * is bound: several times what a short query costs. It does not look into a sum.
 */
const limitOf = /\blimit \?/g;

/**
 * `query<{ id: string }>()("agent by id", (db, arg) => …)`: arguments are named, the rows' type follows from the query.
 */
export const query =
	<P extends Record<string, Value>>() =>
	<R>(name: string, build: Build<P, R>): Query<P, R> =>
		new Query(name, build);

/**
 * The order of the few rows that are still open. By `id` alone SQLite would walk the whole table, which is in that
 * order, and not the index of the open ones.
 */
export const fewById = sql<number>`id + 0`;

/** A field of a column with JSON, as text on PostgreSQL. */
export const fieldOf = (dialect: Dialect, column: string, ...path: readonly string[]): RawBuilder<string | null> =>
	dialect === "sqlite"
		? sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${path.join(".")}`)})`
		: sql`(cast(${sql.ref(column)} as jsonb) #>> ${sql.lit(`{${path.join(",")}}`)})`;

/** The texts, or the numbers, of a list that a query is given as JSON. */
export const textsIn = (dialect: Dialect, json: RawBuilder<string | number | null>): RawBuilder<string> =>
	dialect === "sqlite"
		? sql`(select value from json_each(${json}))`
		: sql`(select jsonb_array_elements_text(cast(${json} as jsonb)))`;
export const numbersIn = (dialect: Dialect, json: RawBuilder<string>): RawBuilder<number> =>
	dialect === "sqlite"
		? sql`(select value from json_each(${json}))`
		: sql`(select cast(jsonb_array_elements_text(cast(${json} as jsonb)) as bigint))`;

function value(parameter: unknown): Value {
	if (parameter === null || typeof parameter === "string" || typeof parameter === "number") return parameter;
	throw new TypeError(`a query was built with a ${typeof parameter}`);
}
