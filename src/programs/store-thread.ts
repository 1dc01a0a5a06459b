// The program of the SQLite store's threads, where the engine's decisions run beside the rows.
import { parentPort, workerData } from "node:worker_threads";
import { serveSqlite } from "#adapters/store/sqlite/thread.ts";
import { collectWhenIdle } from "#adapters/system/idle-memory.ts";
import type { RunBatch } from "#engine/ports/store.ts";

if (parentPort === null) throw new Error("this program runs as a thread of the daemon");
serveSqlite(parentPort, workerData, await runner());
collectWhenIdle();

/** Decisions are only loaded where they are made. */
async function runner(): Promise<RunBatch> {
	if (workerData.role === "reader") return () => Promise.reject(new Error("the reader's thread only reads"));
	const { batchRunner } = await import("#engine/commands/execute.ts");
	return batchRunner(workerData.limits);
}
