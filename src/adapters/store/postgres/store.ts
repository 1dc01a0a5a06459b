// The store for several nodes. How batches are written is in `writer.ts`; this is the rest: opening, reads, and what is
// written outside of batches.
import type pg from "pg";
import { initHandle } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import type { Blobs, Partials } from "#engine/ports/blobs.ts";
import { type RunBatch, type Store, StoreFault } from "#engine/ports/store.ts";
import { sqlErrands } from "../sql/errand-queries.ts";
import * as queries from "../sql/queries.ts";
import { type SqlTx, sqlTx } from "../sql/tx.ts";
import { postgresBeats } from "./beats.ts";
import { columnTypes } from "./bulk.ts";
import { openPool, PostgresConnection } from "./connection.ts";
import { faultOf } from "./fault.ts";
import { migrate } from "./migrate.ts";
import { applicationName, PostgresNotifications } from "./notifications.ts";
import { postgresReads } from "./reads.ts";
import { sharedLimits } from "./shared-limits.ts";
import { SideConnection } from "./side-connection.ts";
import { postgresBlobs, postgresPartials } from "./texts.ts";
import { retryRead, waitingReads } from "./waiting-reads.ts";
import { silenceMs, Writer } from "./writer.ts";

export interface PostgresOptions {
	url: string;
	/** of the role that owns the tables, for migrations; the daemon's own role then cannot change the journal */
	ownerUrl?: string;
	run: RunBatch;
	/** how long a batch or a read is retried while the database is unavailable */
	retryForMs?: number;
}

/** A node that freezes here loses its locks, and nothing waits for a lock for ever. */
const begin = `begin isolation level read committed read write;
	set local idle_in_transaction_session_timeout = ${silenceMs};
	set local lock_timeout = ${silenceMs / 2}`;

/** The store, with the blobs that are kept beside its rows. */
export type PostgresStore = Store & {
	blobs: Blobs;
	partials: Partials;
	/** the limits that all nodes share, and this machine's own */
	limitsFor(node: string, wanted: Limits): Promise<Limits>;
};

export async function openPostgres({
	url,
	ownerUrl,
	run,
	retryForMs = 10_000,
}: PostgresOptions): Promise<PostgresStore> {
	const pool = openPool(url);
	try {
		const serverVersion = await versionOf(pool);
		await prepareTwice(pool);
		await migrate(pool, ownerUrl);
		const writer = new Writer({ pool, run, retryForMs, serverVersion, ...(await aboutServer(pool)) });
		return storeOn(pool, writer, new SideConnection(url, applicationName), retryForMs);
	} catch (error) {
		await pool.end();
		throw faultOf(error);
	}
}

/** Throws why a store could not be opened on this database once the node `leaving` has left, and changes nothing. */
export async function examinePostgres({
	url,
	ownerUrl,
	leaving = null,
}: Pick<PostgresOptions, "url" | "ownerUrl"> & { leaving?: string | null }): Promise<void> {
	const pool = openPool(url);
	try {
		await versionOf(pool);
		await refuseReadOnly(pool);
		await prepareTwice(pool);
		await migrate(pool, ownerUrl, { end: "rollback", leaving });
	} catch (error) {
		throw faultOf(error);
	} finally {
		await pool.end();
	}
}

/** The journal of this database, by the id of its agent 0; null if it has none. */
export async function journalIn(url: string): Promise<string | null> {
	const pool = openPool(url);
	try {
		const connection = new PostgresConnection(pool, silenceMs);
		if ((await connection.value("select to_regclass('agent') is not null")) !== true) return null;
		const id = await connection.value("select id from agent where handle = $1 and project is null", [initHandle]);
		return typeof id === "string" ? id : null;
	} catch (error) {
		throw faultOf(error);
	} finally {
		await pool.end();
	}
}

const versionMin = 16;

async function versionOf(pool: pg.Pool): Promise<number> {
	const connection = new PostgresConnection(pool, silenceMs);
	const version = Number(await connection.value("select current_setting('server_version_num')"));
	if (version >= versionMin * 10_000) return version;
	const found = Math.floor(version / 10_000);
	throw new StoreFault("denied", `Brood needs PostgreSQL ${versionMin} or newer; this server has version ${found}.`);
}

/** With nothing to migrate, the first write would be that of a daemon. */
async function refuseReadOnly(pool: pg.Pool): Promise<void> {
	await new PostgresConnection(pool, silenceMs).exec("begin isolation level read committed read write; rollback");
}

/** Behind a pooler that mixes them up, the second of two connections finds the statement of the first. */
async function prepareTwice(pool: pg.Pool): Promise<void> {
	const clients = await Promise.all([pool.connect(), pool.connect()]);
	try {
		for (const client of clients) await client.query({ name: "prepared", text: "select 1" });
	} finally {
		for (const client of clients) client.release();
	}
}

async function aboutServer(pool: pg.Pool) {
	const connection = new PostgresConnection(pool, silenceMs);
	const id = String(await connection.value("select gen_random_uuid()"));
	// of stores that were not closed; one that is open writes its own again
	await connection.exec("delete from writer where at < (extract(epoch from now()) - 86400) * 1000");
	return { id, types: await columnTypes(connection) };
}

const storeOn = (pool: pg.Pool, writer: Writer, side: SideConnection, retryForMs: number): PostgresStore => {
	const notifications = new PostgresNotifications(side);
	return {
		kind: "postgres",
		batchesMax: 1,
		notifications,
		reads: postgresReads(waitingReads(pool, { timeoutMs: silenceMs, forMs: retryForMs }), (work) =>
			retryRead(() => inSnapshot(pool, work), retryForMs),
		),
		limitsFor: (node, wanted) => retryRead(() => sharedLimits(pool, node, wanted), retryForMs),
		blobs: postgresBlobs(pool),
		partials: postgresPartials(pool),
		broken: writer.broken,
		commit: (batch) => writer.commit(batch),
		keepReceipts: (receipts, { durable }) =>
			inOwn(pool, async (tx, connection) => {
				const flush = `set local synchronous_commit = ${durable ? "on" : "off"}`;
				await Promise.all([connection.exec(flush), writer.holdFence(connection)]);
				await tx.keepReceipts(receipts);
			}),
		dropReceipts: async (before, atMost) =>
			(await retryRead(() => new PostgresConnection(pool, silenceMs).all(queries.dropReceipts, { before, atMost }), 0))
				.length,
		// the cursor's row keeps two nodes from indexing the same
		index: (eventsMax) => inOwn(pool, (tx) => tx.index(eventsMax)),
		// the server looks after its own log
		trim: async () => {},
		fence: (as) => writer.fence(as),
		// each statement may be repeated
		errands: sqlErrands(waitingReads(pool, { timeoutMs: silenceMs, forMs: retryForMs })),
		beats: postgresBeats(side, (others) => notifications.setOthers(others)),
		backup: async () => {
			throw new StoreFault("rejected", "This store is a PostgreSQL database: use pg_dump.");
		},
		async [Symbol.asyncDispose]() {
			await side[Symbol.asyncDispose]();
			await writer.close();
			await pool.end();
		},
	};
};

/** All reads see the same moment. */
async function inSnapshot<T>(pool: pg.Pool, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
	return await inTransaction(pool, "begin isolation level repeatable read read only", work);
}

/** In a transaction that is not a batch. */
async function inOwn<T>(pool: pg.Pool, work: (tx: SqlTx, connection: PostgresConnection) => Promise<T>): Promise<T> {
	const run = async (connection: PostgresConnection): Promise<T> => await work(sqlTx(connection), connection);
	return await inTransaction(pool, begin, run).catch((error: unknown) => {
		throw faultOf(error);
	});
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
		throw error;
	}
}
