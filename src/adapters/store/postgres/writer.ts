// Batches on PostgreSQL. There is one writer at a time: a batch takes the writer's lock in the round trip that begins
// its transaction, and keeps it until COMMIT. Nothing else is locked.
//
//   begin, lock, batch row, last id, agents, receipts ─▶ decisions in memory ─▶ events, rows, receipts, commit
//   └─────────────── one round trip ────────────────┘                          └─────── one round trip ──────┘
//
// What always holds
//   - Nothing that a decision has read changes before its batch has ended: rows are the fold of the journal.
//   - Ids are given here, from the newest one on: they have no gaps, and their order is the order of commits.
//   - Once COMMIT was written, a lost connection means "unknown". Then the batch row is asked for, under the
//     lock, until the database answers: whoever gets the lock knows that the transaction has ended.
//
// Fencing: a node that was replaced writes nothing more.
//
// The problem. A node that the others find dead may merely be slow: frozen, cut off, asleep. Another node ends its
// turns, gives its slots away and lets its agents go on elsewhere. If the first one wakes up, what it had decided
// before is still in its memory and on its connections.
//
// What always holds
//   - The batch row is the fence: it is written only where the node's row has the epoch in which this daemon joined,
//     and is active. It is written under the writer's lock, so no fall can come between the look and the COMMIT.
//   - A fall is itself a batch. Whatever its node committed before is in the rows from which the fall was decided;
//     whatever comes later finds another epoch.
//   - A beat is confirmed under `for share` on the same row (`beats.ts`): it waits for a fall that is just being
//     committed, and then finds another epoch. So no node is told that it lives after it was replaced.
//   - Receipts that are written outside of a batch (`engine/loop/receipts.ts`) look at the fence in the same way: a
//     late one would replace what another node has answered under the same key.
//   - What is left has no fence, because nobody decides by it: the index of words follows from the journal, partial
//     output of a turn that has ended is not read, and an answer counts only while its errand is open.
//
// A late batch
//   - before its batch row: no row comes back, the batch is rolled back, and the store is `fenced`: the daemon ends its
//     processes and exits. Nothing of the batch lands, and nobody is answered.
//   - between its batch row and COMMIT: the fall waits for the lock. If the node stands still there, the server ends
//     its transaction after two seconds (`begin.ts`), and the lock goes to the next.
//   - COMMIT was sent, and its answer is lost: the batch row is asked for without the fence, because a batch that was
//     committed before the fall is committed. If it is there, the caller is answered; if not, the batch is tried again,
//     and the fence holds it back.
//
// Why not a lease with a clock: the writer would have to trust its own clock between the look and the COMMIT, and a
// machine that sleeps has none that it could trust. The epoch is compared where the write happens. Processes have no
// such place: those are frozen in time (`domain/node.ts`).
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Envelope } from "#contract/command.ts";
import { expected } from "#contract/log.ts";
import type { CommandResult } from "#engine/ports/dispatch.ts";
import { type RunBatch, StoreFault } from "#engine/ports/store.ts";
import { sqlTx } from "../sql/tx.ts";
import { BatchConnection, PendingWriteFault } from "./batch-connection.ts";
import { type BatchStamp, beginBatch, loadBatch } from "./begin.ts";
import type { ColumnTypes } from "./bulk.ts";
import { PostgresConnection } from "./connection.ts";
import { concernsDatabase, faultOf, isConnectionLoss, isSerializationFailure } from "./fault.ts";

const retryMs = 50;
const clashesMax = 20;
/** a server that says nothing for this long is treated as gone */
export const silenceMs = 10_000;
/** A batch that has had the lock for so long begins no further command: other nodes wait for it. */
const overdueMs = 50;

interface WriterParts {
	pool: pg.Pool;
	run: RunBatch;
	retryForMs: number;
	types: ColumnTypes;
	serverVersion: number;
	/** the name of this store, as long as it is open */
	id: string;
}

export class Writer {
	readonly broken: Promise<StoreFault>;
	readonly #parts: WriterParts;
	readonly #begin: string;
	readonly #break = Promise.withResolvers<StoreFault>();
	#batch = 0;
	#fence: BatchStamp["fence"] = null;
	#fault: StoreFault | null = null;
	#closed = false;

	constructor(parts: WriterParts) {
		this.#parts = parts;
		this.#begin = beginBatch(parts.serverVersion);
		this.broken = this.#break.promise;
	}

	async commit(batch: readonly Envelope[]): Promise<CommandResult[]> {
		const deadline = performance.now() + this.#parts.retryForMs;
		let isCareful = false;
		for (let clashes = 0; ; ) {
			if (this.#fault !== null) throw this.#fault;
			try {
				const results = await this.#attempt(batch, isCareful);
				if (results !== null) return results;
				if (performance.now() > deadline)
					throw new StoreFault("unavailable", "The database does not stay up. Nothing was changed.");
			} catch (error) {
				const again = isSerializationFailure(error)
					? ++clashes < clashesMax
					: isConnectionLoss(error) && performance.now() < deadline;
				// which command they belong to is found by writing each command's rows separately
				const looksCloser: boolean = error instanceof PendingWriteFault && !isCareful;
				if (!looksCloser && !again) throw faultOf(error);
				isCareful ||= looksCloser;
			}
			await pause(retryMs);
		}
	}

	/** From now on no batch lands once another life of the node has begun, or this one was ended. */
	fence(as: NonNullable<BatchStamp["fence"]>): void {
		this.#fence = as;
	}

	/**
	 * For a transaction that is no batch: throws if this life of the node is over, else keeps it from being ended before
	 * the transaction is.
	 */
	async holdFence(connection: PostgresConnection): Promise<void> {
		if (this.#fence === null) return;
		const { node, epoch } = this.#fence;
		const held = await connection.value("select 1 from node where id = $1 and epoch = $2 and active = 1 for share", [
			node,
			epoch,
		]);
		if (held === undefined) throw this.#breakDown(replaced());
	}

	/** Removes the batch row. */
	async close(): Promise<void> {
		this.#closed = true;
		await this.#parts.pool
			.query("delete from writer where id = $1", [this.#parts.id])
			.catch(expected("the next store that is opened removes it"));
	}

	/** Null if COMMIT was sent, its answer was lost, and the database says that it did not happen. */
	async #attempt(batch: readonly Envelope[], isCareful: boolean): Promise<CommandResult[] | null> {
		const { pool, run, types } = this.#parts;
		const client = await pool.connect();
		const connection = new PostgresConnection(client, silenceMs);
		const stamp = { writer: this.#parts.id, batch: ++this.#batch, fence: this.#fence };
		let results: CommandResult[];
		let last: Promise<PromiseSettledResult<unknown>[]>;
		try {
			const loaded = await loadBatch(connection, this.#begin, stamp, batch);
			if (loaded === null) throw this.#breakDown(replaced());
			const inBatch = new BatchConnection(connection, { ...loaded, types, isCareful });
			const overdue = performance.now() + overdueMs;
			results = await run({ ...sqlTx(inBatch), isOverdue: () => performance.now() > overdue }, batch);
			last = connection.inOneWrite(() => Promise.allSettled([...inBatch.flush(), connection.exec("commit")]));
		} catch (error) {
			const lost = await connection.exec("rollback").then(
				() => false,
				() => true,
			);
			// a standby stays one, and the address may lead to another server by now
			client.release(lost || isConnectionLoss(error));
			throw error;
		}
		const failed = (await last).flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
		client.release(failed.some(isConnectionLoss));
		// a statement that failed has made COMMIT undo the batch
		const statement = failed.find((error) => !isConnectionLoss(error));
		if (statement !== undefined)
			throw concernsDatabase(statement) ? statement : new PendingWriteFault(String(statement), { cause: statement });
		if (failed.length === 0) return results;
		return (await this.#happened(stamp.batch, failed[0])) ? results : null;
	}

	/**
	 * The answer to COMMIT was lost: asks the database for the batch row, however long it is away. Until then nobody can
	 * be told anything about the batch.
	 */
	async #happened(batch: number, cause: unknown): Promise<boolean> {
		while (!this.#closed) {
			const last = await this.#lastBatch().catch((error: unknown) => {
				if (isConnectionLoss(error) || isSerializationFailure(error)) return null;
				throw this.#unknown(cause);
			});
			if (last !== null) return last >= batch;
			await pause(retryMs);
		}
		throw this.#unknown(cause);
	}

	async #lastBatch(): Promise<number> {
		const client = await this.#parts.pool.connect();
		const connection = new PostgresConnection(client, silenceMs);
		try {
			await connection.exec(this.#begin);
			const last = await connection.value("select batch from writer where id = $1", [this.#parts.id]);
			await connection.exec("commit");
			client.release();
			return Number(last ?? 0);
		} catch (error) {
			client.release(true);
			throw error;
		}
	}

	#unknown(cause: unknown): StoreFault {
		return this.#breakDown(
			new StoreFault("broken", "The database cannot say whether its last changes happened.", cause),
		);
	}

	#breakDown(fault: StoreFault): StoreFault {
		this.#fault = fault;
		this.#break.resolve(fault);
		return fault;
	}
}

const replaced = (): StoreFault => new StoreFault("fenced", "Another daemon has replaced this one.");
