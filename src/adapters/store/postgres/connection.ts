// A PostgreSQL client behind the shared queries.
import pg from "pg";
import { expected } from "#contract/log.ts";
import type { Connection } from "../sql/connection.ts";
import type { Query, Value } from "../sql/prepared.ts";
import { concernsDatabase } from "./fault.ts";
import { decode, encode } from "./text.ts";

const int8 = 20;

/** Event ids and times stay far below 2^53. */
export const numberTypes: pg.CustomTypesConfig = {
	getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
};

export function openPool(url: string): pg.Pool {
	const pool = new pg.Pool({
		connectionString: url,
		max: 16,
		connectionTimeoutMillis: 5000,
		keepAlive: true,
		// a batch writes all statements of a round trip at once
		pipeline: true,
		types: numberTypes,
	});
	// an idle connection that the server closes must not end the daemon: the next query fails
	pool.on("error", expected("the next query on the connection fails"));
	pool.on("connect", (client) => {
		client.on("error", expected("the query on the connection fails"));
	});
	return pool;
}

interface Queryable {
	query(config: {
		name?: string;
		text: string;
		values?: (Value | Value[])[];
		query_timeout?: number;
	}): Promise<{ rows: unknown[] }>;
	/** of a single connection, not of a pool */
	readonly connection?: { readonly stream: { cork(): void; uncork(): void } };
}

export class PostgresConnection implements Connection {
	readonly dialect = "postgres";
	readonly #client: Queryable;
	readonly #timeout: { query_timeout?: number };

	/** `timeoutMs` ends queries to a server that has gone silent */
	constructor(client: Queryable, timeoutMs?: number) {
		this.#client = client;
		this.#timeout = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
	}

	failsBatch(error: unknown): boolean {
		return concernsDatabase(error);
	}

	async all<P extends Record<string, Value>, R>(query: Query<P, R>, args: P): Promise<R[]> {
		const prepared = query.prepared("postgres");
		const { rows } = await this.#client.query({
			name: prepared.name,
			text: prepared.sql,
			values: prepared.values(args).map(encode),
			...this.#timeout,
		});
		// biome-ignore lint/suspicious/noExplicitAny: the database is the edge where rows get the type of their query
		const typed: any = rows.map(decode);
		return typed;
	}

	/** Everything that is asked at once goes out in one piece: each piece wakes the server, and costs about 50 µs. */
	inOneWrite<T>(ask: () => T): T {
		const stream = this.#client.connection?.stream;
		stream?.cork();
		try {
			return ask();
		} finally {
			stream?.uncork();
		}
	}

	/** A statement that is not one of the shared queries. */
	async rows<R>({ name, text, values }: { name: string; text: string; values: (Value | Value[])[] }): Promise<R[]> {
		const encoded = values.map((value) => (Array.isArray(value) ? value.map(encode) : encode(value)));
		const { rows } = await this.#client.query({ name, text, values: encoded, ...this.#timeout });
		// biome-ignore lint/suspicious/noExplicitAny: as above
		const typed: any = rows.map(decode);
		return typed;
	}

	async exec(statement: string): Promise<void> {
		await this.#client.query({ text: statement, ...this.#timeout });
	}

	async value(text: string, values: Value[] = []): Promise<unknown> {
		const { rows } = await this.#client.query({ text, values, ...this.#timeout });
		const [row] = rows;
		return typeof row === "object" && row !== null ? Object.values(row)[0] : undefined;
	}
}
