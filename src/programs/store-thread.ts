// The program of the SQLite store's threads, where the engine's decisions run beside the rows.
import { parentPort, workerData } from "node:worker_threads";
import { ReadThread } from "#adapters/store/sqlite/read-thread.ts";
import { type StoreThread, serveSqlite } from "#adapters/store/sqlite/thread.ts";
import { collectWhenIdle } from "#adapters/system/idle-memory.ts";

if (parentPort === null) throw new Error("this program runs as a thread of the daemon");
const { role, file, limits } = workerData;
serveSqlite(parentPort, role, role === "reader" ? () => new ReadThread(file) : await writer());
collectWhenIdle();

/** Decisions are only loaded where they are made. */
async function writer(): Promise<() => StoreThread> {
	const { WriteThread } = await import("#adapters/store/sqlite/write-thread.ts");
	const { batchRunner } = await import("#engine/commands/execute.ts");
	return () => new WriteThread(file, batchRunner(limits));
}
