// The store for several nodes. A batch is one transaction; it is run again after a conflict with another batch or a lost
// connection. Nothing is answered before COMMIT is known to have happened.
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Envelope } from "#contract/command.ts";
import type { CommandResult } from "#engine/ports/dispatch.ts";
import { type RunBatch, type Store, StoreFault } from "#engine/ports/store.ts";
import * as queries from "../sql/queries.ts";
import type { SqlTx } from "../sql/tx.ts";
import { openPool, PostgresConnection } from "./connection.ts";
import { faultOf, isClash, isConnectionLoss } from "./fault.ts";
import { migrate } from "./migrate.ts";
import { postgresReads } from "./reads.ts";
import { postgresTx } from "./tx.ts";

export interface PostgresOptions {
	url: string;
	run: RunBatch;
	/** how long a batch is retried while the database is unavailable */
	retryForMs?: number;
}

const retryMs = 50;
const clashesMax = 20;
/** a server that says nothing for this long is treated as gone */
const silenceMs = 10_000;
/** A node that freezes in the middle of a batch loses its locks, and no batch waits for a lock for ever. */
const begin = `begin isolation level read committed read write;
	set local idle_in_transaction_session_timeout = ${silenceMs};
	set local lock_timeout = ${silenceMs / 2}`;

export async function openPostgres({ url, run, retryForMs = 10_000 }: PostgresOptions): Promise<Store> {
	const pool = openPool(url);
	try {
		await migrate(pool);
	} catch (error) {
		await pool.end();
		throw faultOf(error);
	}
	const writer = new Writer(pool, run, retryForMs);
	return {
		kind: "postgres",
		batchesMax: 1,
		reads: postgresReads(new PostgresConnection(pool), (work) => inSnapshot(pool, work)),
		broken: writer.broken,
		commit: (batch) => writer.commit(batch),
		keepReceipts: (receipts, { durable }) =>
			inOwn(pool, async (tx, connection) => {
				await connection.exec(`set local synchronous_commit = ${durable ? "on" : "off"}`);
				await tx.keepReceipts(receipts);
			}),
		dropReceipts: async (before, atMost) =>
			(await new PostgresConnection(pool).all(queries.dropReceipts, { before, atMost })).length,
		// the cursor's row keeps two nodes from indexing the same
		index: (eventsMax) => inOwn(pool, (tx) => tx.index(eventsMax)),
		// the server looks after its own log
		trim: async () => {},
		fence: () => {},
		beats: null,
		backup: async () => {
			throw new StoreFault("rejected", "This store is a PostgreSQL database: use pg_dump.");
		},
		async [Symbol.asyncDispose]() {
			await pool.end();
		},
	};
}

/** All reads see the same moment. */
async function inSnapshot<T>(pool: pg.Pool, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
	return await inTransaction(pool, "begin isolation level repeatable read read only", work);
}

/** In a transaction that is not a batch. */
async function inOwn<T>(pool: pg.Pool, work: (tx: SqlTx, connection: PostgresConnection) => Promise<T>): Promise<T> {
	return await inTransaction(pool, begin, async (connection) => await work(postgresTx(connection), connection));
}

async function inTransaction<T>(
	pool: pg.Pool,
	begin: string,
	work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
	const client = await pool.connect();
	const connection = new PostgresConnection(client, silenceMs);
	try {
		await connection.exec(begin);
		const done = await work(connection);
		await connection.exec("commit");
		client.release();
		return done;
	} catch (error) {
		client.release(true);
		throw faultOf(error);
	}
}

class Writer {
	readonly broken: Promise<StoreFault>;
	readonly #pool: pg.Pool;
	readonly #run: RunBatch;
	readonly #retryForMs: number;
	readonly #break = Promise.withResolvers<StoreFault>();
	#fault: StoreFault | null = null;

	constructor(pool: pg.Pool, run: RunBatch, retryForMs: number) {
		this.#pool = pool;
		this.#run = run;
		this.#retryForMs = retryForMs;
		this.broken = this.#break.promise;
	}

	async commit(batch: readonly Envelope[]): Promise<CommandResult[]> {
		const deadline = performance.now() + this.#retryForMs;
		for (let clashes = 0; ; ) {
			if (this.#fault !== null) throw this.#fault;
			try {
				const outcomes = await this.#attempt(batch, deadline);
				if (outcomes !== null) return outcomes;
				if (performance.now() > deadline)
					throw new StoreFault("unavailable", "The database does not stay up. Nothing was changed.");
			} catch (error) {
				const again = isClash(error) ? ++clashes < clashesMax : isConnectionLoss(error) && performance.now() < deadline;
				if (!again) throw faultOf(error);
			}
			await pause(retryMs);
		}
	}

	/** Null if COMMIT was sent, its answer was lost, and the database says that it did not happen. */
	async #attempt(batch: readonly Envelope[], deadline: number): Promise<CommandResult[] | null> {
		const client = await this.#pool.connect();
		const connection = new PostgresConnection(client, silenceMs);
		let outcomes: CommandResult[];
		let transaction: string;
		try {
			await connection.exec(begin);
			// the server's own setting may trade durability for speed; an acknowledgement must not
			transaction = String(
				await connection.value(
					"select pg_current_xact_id() from (select case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', true) end) s",
				),
			);
			outcomes = await this.#run(postgresTx(connection), batch);
		} catch (error) {
			const lost = await connection.exec("rollback").then(
				() => false,
				() => true,
			);
			client.release(lost);
			throw error;
		}
		try {
			await connection.exec("commit");
			client.release();
			return outcomes;
		} catch (error) {
			client.release(true);
			return (await this.#happened(transaction, error, deadline + silenceMs)) ? outcomes : null;
		}
	}

	/** The answer to COMMIT was lost: asks the database for the status of the transaction, until the deadline. */
	async #happened(transaction: string, cause: unknown, deadline: number): Promise<boolean> {
		while (performance.now() < deadline) {
			const status = await new PostgresConnection(this.#pool, silenceMs)
				.value("select pg_xact_status($1::xid8)", [transaction])
				.catch((error: unknown) => {
					if (isConnectionLoss(error)) return "away";
					throw this.#breakDown(cause);
				});
			if (status === "committed") return true;
			if (status === "aborted") return false;
			if (status !== "in progress" && status !== "away") throw this.#breakDown(cause);
			await pause(retryMs);
		}
		throw this.#breakDown(cause);
	}

	#breakDown(cause: unknown): StoreFault {
		this.#fault = new StoreFault("broken", "The database cannot say whether its last changes happened.", cause);
		this.#break.resolve(this.#fault);
		return this.#fault;
	}
}
