// The store's threads with a gate in front of COMMIT, so that a test can look while a batch is decided but not written.
import { BroadcastChannel, parentPort, workerData } from "node:worker_threads";
import { ReadThread } from "#adapters/store/sqlite/read-thread.ts";
import { serveSqlite } from "#adapters/store/sqlite/thread.ts";
import { WriteThread } from "#adapters/store/sqlite/write-thread.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { gated } from "#test/support/gate.ts";

if (parentPort === null) throw new Error("this program runs as a thread");
const arrived = new BroadcastChannel("brood-test-arrived");
const open = new BroadcastChannel("brood-test-open");
const { role, file, limits } = workerData;
const run = gated(batchRunner(limits), async () => {
	const opened = new Promise((resolve) => open.addEventListener("message", resolve, { once: true }));
	arrived.postMessage("a batch is decided");
	await opened;
});
serveSqlite(parentPort, role, () => (role === "reader" ? new ReadThread(file) : new WriteThread(file, run)));
parentPort.once("close", () => {
	arrived.close();
	open.close();
});
