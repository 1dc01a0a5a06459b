// A store of each kind whose COMMIT a test can hold back.
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { BroadcastChannel } from "node:worker_threads";
import { openMemory } from "#adapters/store/memory/store.ts";
import { openPostgres } from "#adapters/store/postgres/store.ts";
import { openSqlite } from "#adapters/store/sqlite/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import type { Store } from "#engine/ports/store.ts";
import { gated } from "./gate.ts";
import { testProgram } from "./programs.ts";
import { type Flavor, freshDatabase, freshFolder } from "./stores.ts";

export interface Gated extends AsyncDisposable {
	readonly engine: Engine;
	readonly store: Store;
	/** resolves when a batch is decided and waits before its COMMIT */
	arrived(): Promise<unknown>;
	open(): void;
}

export async function gatedStore(flavor: Flavor): Promise<Gated> {
	const { store, arrived, open, close } = flavor === "sqlite" ? await inThreads() : await inPlace(flavor);
	const engine = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds });
	return {
		engine,
		store,
		arrived,
		open,
		async [Symbol.asyncDispose]() {
			await engine[Symbol.asyncDispose]();
			close();
		},
	};
}

async function inThreads() {
	const program = pathToFileURL(testProgram("gated-thread"));
	const store = await openSqlite({ file: path.join(freshFolder(), "brood.db"), limits, program });
	const arrivals = new BroadcastChannel("brood-test-arrived");
	const gate = new BroadcastChannel("brood-test-open");
	return {
		store,
		arrived: () => once(arrivals, "message"),
		open: () => gate.postMessage("go on"),
		close() {
			arrivals.close();
			gate.close();
		},
	};
}

async function inPlace(flavor: "memory" | "postgres") {
	let here = Promise.withResolvers<void>();
	let gate = Promise.withResolvers<void>();
	const run = gated(batchRunner(limits), async () => {
		here.resolve();
		await gate.promise;
		gate = Promise.withResolvers();
		here = Promise.withResolvers();
	});
	const store = flavor === "memory" ? openMemory(run) : await openPostgres({ url: await freshDatabase(), run });
	return { store, arrived: () => here.promise, open: () => gate.resolve(), close() {} };
}
