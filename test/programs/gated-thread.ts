// The store's threads with a gate in front of COMMIT, so that a test can look while a batch is decided but not written.
import { BroadcastChannel, parentPort, workerData } from "node:worker_threads";
import { serveSqlite } from "#adapters/store/sqlite/thread.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { gated } from "#test/support/gate.ts";

if (parentPort === null) throw new Error("this program runs as a thread");
const arrived = new BroadcastChannel("brood-test-arrived");
const open = new BroadcastChannel("brood-test-open");
serveSqlite(
	parentPort,
	workerData,
	gated(batchRunner(workerData.limits), async () => {
		const opened = new Promise((resolve) => open.addEventListener("message", resolve, { once: true }));
		arrived.postMessage("a batch is decided");
		await opened;
	}),
);
parentPort.once("close", () => {
	arrived.close();
	open.close();
});
