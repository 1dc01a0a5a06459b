// The thread that writes, in batches: group commit, as `thread.ts` explains it.
import type { StoredReceipt } from "#contract/receipt.ts";
import type { CommandResult } from "#engine/ports/dispatch.ts";
import type { Reads, RunBatch, StoreFault } from "#engine/ports/store.ts";
import { sqlErrands } from "../sql/errand-queries.ts";
import * as queries from "../sql/queries.ts";
import { sqlReads } from "../sql/reads.ts";
import { type SqlTx, sqlTx } from "../sql/tx.ts";
import type { SqliteConnection } from "./connection.ts";
import { faultAtCommit, faultBeforeCommit } from "./fault.ts";
import { lastEvent, openForWriting } from "./file.ts";
import { LastEventFile } from "./last-event-file.ts";
import type { StoreThread, ThreadRequest } from "./thread.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

/** roughly what one round of indexing, or of dropping receipts, writes */
const indexedBytes = 256 * 1024;

export class WriteThread implements StoreThread {
	readonly #connection: SqliteConnection;
	readonly #reads: Reads;
	readonly #run: RunBatch;
	readonly #log: WriteAheadLog;
	readonly #lastEventFile: LastEventFile;
	#broken: StoreFault | null = null;

	constructor(file: string, run: RunBatch) {
		this.#connection = openForWriting(file);
		this.#reads = sqlReads(this.#connection);
		this.#run = run;
		this.#log = new WriteAheadLog(this.#connection);
		this.#lastEventFile = new LastEventFile(file, lastEvent(this.#connection));
	}

	async do(ask: ThreadRequest): Promise<unknown> {
		// after a commit of unknown outcome nothing more is written: the next process recovers from disk
		if (this.#broken !== null) throw this.#broken;
		if ("commit" in ask) {
			for (const { bytes } of ask.commit) this.#log.grew(bytes);
			const results = await this.#transact((tx) => this.#run(tx, ask.commit));
			this.#lastEventFile.record(lastOf(results));
			return results;
		}
		if ("trim" in ask) return this.#log.empty();
		if ("keep" in ask) return await this.#keep(ask.keep, ask.durable);
		this.#log.grew(indexedBytes);
		if ("dropReceipts" in ask) {
			return await this.#transact(
				async () => (await this.#connection.all(queries.dropReceipts, ask.dropReceipts)).length,
			);
		}
		if ("index" in ask) return await this.#transact((tx) => tx.index(ask.index));
		if ("errands" in ask) {
			const errands = sqlErrands(this.#connection);
			return await this.#transact(() => Reflect.apply(errands[ask.errands], errands, ask.args));
		}
		throw new Error("the writer's thread only writes");
	}

	/** The data of an answer needs no flush of its own: the effect is durable without it. */
	async #keep(receipts: readonly StoredReceipt[], durable: boolean): Promise<void> {
		for (const { answer } of receipts) this.#log.grew(answer === undefined ? 0 : JSON.stringify(answer).length);
		if (!durable) await this.#connection.exec("pragma synchronous = normal");
		try {
			await this.#transact((tx) => tx.keepReceipts(receipts));
		} finally {
			if (!durable) await this.#connection.exec("pragma synchronous = full");
		}
	}

	async #transact<T>(work: (tx: SqlTx) => Promise<T>): Promise<T> {
		await this.#connection.exec("begin immediate");
		let result: T;
		try {
			result = await work(sqlTx(this.#connection, this.#reads));
		} catch (error) {
			throw this.#undo(faultBeforeCommit(error));
		}
		try {
			await this.#connection.exec("commit");
			this.#lastEventFile.check();
		} catch (error) {
			throw this.#undo(faultAtCommit(error));
		}
		return result;
	}

	#undo(fault: StoreFault): StoreFault {
		if (fault.kind === "broken") this.#broken = fault;
		if (this.#connection.inTransaction) this.#connection.script("rollback");
		return fault;
	}

	afterwards(): void {
		if (this.#log.keepShort()) this.#lastEventFile.flush();
	}

	[Symbol.dispose](): void {
		this.#lastEventFile[Symbol.dispose]();
		this.#connection[Symbol.dispose]();
	}
}

/** The newest event of a batch; 0 if it has none. */
function lastOf(results: readonly CommandResult[]): number {
	for (const outcome of results.toReversed())
		if ("events" in outcome && !outcome.replayed && outcome.events.length > 0) return outcome.events.at(-1)?.id ?? 0;
	return 0;
}
