// One connection to one SQLite file. Everything here is synchronous and therefore lives in the store's threads.
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { StoreFault } from "#engine/ports/store.ts";
import type { Connection } from "../sql/connection.ts";
import type { Query, Value } from "../sql/prepared.ts";
import { concernsDatabase } from "./fault.ts";

/** Below this version two connections that write and checkpoint at once can corrupt the file. */
const versionMin = "3.51.3";
const busyTimeoutMs = 5000;

/** What every connection must have in force, read back after it was set. */
const pragmas: readonly [name: string, set: string, inForce: string | number][] = [
	["journal_mode", "wal", "wal"],
	["synchronous", "full", 2],
	["foreign_keys", "on", 1],
	["trusted_schema", "off", 0],
	// else the savepoint of a command that changes more than 64 KiB of pages is a temporary file, made and removed each
	// time
	["temp_store", "memory", 2],
];

interface CachedStatement {
	statement: StatementSync;
	values: (args: Readonly<Record<string, Value>>) => Value[];
}

export class SqliteConnection implements Connection, Disposable {
	readonly dialect = "sqlite";
	readonly #database: DatabaseSync;
	readonly #statements = new Map<unknown, CachedStatement>();
	readonly #control = new Map<string, StatementSync>();

	constructor(path: string, options: { readOnly: boolean }) {
		this.#database = new DatabaseSync(path, { readOnly: options.readOnly, timeout: busyTimeoutMs });
		assertVersion(this.value("select sqlite_version()"));
	}

	/** Sets the pragmas, and throws if one is not in force. */
	secure(): void {
		for (const [name, set, inForce] of pragmas) {
			this.#database.exec(`pragma ${name} = ${set}`);
			const value = this.value(`pragma ${name}`);
			if (value !== inForce)
				throw new StoreFault(
					"broken",
					`SQLite refused pragma ${name} = ${set} (it is ${value}): is this a network file system?`,
				);
		}
	}

	async all<P extends Record<string, Value>, R>(query: Query<P, R>, args: P): Promise<R[]> {
		const { statement, values } = this.#statements.get(query) ?? this.#prepare(query);
		// biome-ignore lint/suspicious/noExplicitAny: the database is the edge where rows get the type of their query
		const rows: any = statement.all(...values(args));
		return rows;
	}

	async exec(statement: string): Promise<void> {
		const kept = this.#control.get(statement) ?? this.#database.prepare(statement);
		this.#control.set(statement, kept);
		kept.run();
	}

	failsBatch(error: unknown): boolean {
		return concernsDatabase(error);
	}

	/** Runs statements without caching them: schema changes, and several at once. */
	script(statements: string): void {
		this.#database.exec(statements);
	}

	/** The first column of the first row. */
	value(statement: string): unknown {
		return Object.values(this.row(statement))[0];
	}

	/** The first row of a statement, which is not cached. */
	row(statement: string): Readonly<Record<string, unknown>> {
		return this.#database.prepare(statement).get() ?? {};
	}

	/** Runs `work` with another busy timeout than usual. */
	withBusyTimeout<T>(timeoutMs: number, work: () => T): T {
		this.#database.exec(`pragma busy_timeout = ${timeoutMs}`);
		try {
			return work();
		} finally {
			this.#database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
		}
	}

	/**
	 * Writes a consistent copy into a new file that only its owner may read; `finish` makes it durable.
	 */
	copyTo(file: string, finish: (file: string) => void): number {
		closeSync(openSync(file, "wx", 0o600));
		try {
			this.#database.prepare("vacuum into ?").run(file);
			finish(file);
			return statSync(file).size;
		} catch (error) {
			rmSync(file, { force: true });
			throw error;
		}
	}

	get inTransaction(): boolean {
		return this.#database.isTransaction;
	}

	[Symbol.dispose](): void {
		this.#statements.clear();
		this.#control.clear();
		this.#database.close();
	}

	#prepare<P extends Record<string, Value>, R>(query: Query<P, R>): CachedStatement {
		const prepared = query.prepared("sqlite");
		const kept = { statement: this.#database.prepare(prepared.sql), values: prepared.values };
		this.#statements.set(query, kept);
		return kept;
	}
}

export function assertVersion(version: unknown): void {
	if (typeof version === "string" && version.localeCompare(versionMin, "en", { numeric: true }) >= 0) return;
	throw new StoreFault(
		"broken",
		`This Node.js brings SQLite ${version}; Brood needs ${versionMin} or newer, older ones can corrupt the store.`,
	);
}
