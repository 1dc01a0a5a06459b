// The program of the SQLite store's threads, where the engine's decisions run beside the rows.
import { parentPort, workerData } from "node:worker_threads";
import { serveSqlite } from "#adapters/store/sqlite/thread.ts";
import { collectWhenIdle } from "#adapters/system/idle-memory.ts";
import { batchRunner } from "#engine/commands/execute.ts";

if (parentPort === null) throw new Error("this program runs as a thread of the daemon");
serveSqlite(parentPort, workerData, batchRunner(workerData.limits));
collectWhenIdle();
