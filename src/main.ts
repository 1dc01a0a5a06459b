// The composition root: the only file that knows every adapter.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { limits as defaultLimits, type Limits } from "#contract/limits.ts";
import { Engine } from "#engine/engine.ts";
import { batchRunner } from "#engine/execute.ts";
import type { Store } from "#engine/ports.ts";

/** Where the store is: in memory, a file in the home, or a PostgreSQL database. */
export type StorePlace = { memory: true } | { home: string } | { url: string };

export async function startEngine(place: StorePlace, overrides: Partial<Limits> = {}): Promise<Engine> {
	const limits = { ...defaultLimits, ...overrides };
	const store = await openStore(place, limits);
	return await Engine.start({ store, limits, clock: systemClock, ids: randomIds });
}

/** Only the store in use is loaded: each brings a library along. */
async function openStore(place: StorePlace, limits: Limits): Promise<Store> {
	if ("memory" in place) {
		const { openMemory } = await import("#adapters/store/memory/store.ts");
		return openMemory(batchRunner(limits));
	}
	if ("url" in place) {
		const { openPostgres } = await import("#adapters/store/postgres/store.ts");
		return await openPostgres({ url: place.url, run: batchRunner(limits) });
	}
	const { openSqlite } = await import("#adapters/store/sqlite/store.ts");
	mkdirSync(place.home, { recursive: true, mode: 0o700 });
	return await openSqlite({ file: path.join(place.home, "brood.db"), limits, program: new URL("./store-thread.ts", import.meta.url) });
}
