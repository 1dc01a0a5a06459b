// The composition root: the only file that knows every adapter.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Hono } from "hono";
import { type AgentProgram, ProcessDriver } from "#adapters/driver/driver.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { homeId } from "#adapters/system/home.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { limits as defaultLimits, type Limits } from "#contract/limits.ts";
import { Engine } from "#engine/engine.ts";
import { batchRunner } from "#engine/execute.ts";
import type { Driver, Store } from "#engine/ports.ts";
import { Tokens } from "#engine/tokens.ts";
import { agentRoutes } from "#server/agent-routes.ts";
import { listen } from "#server/listen.ts";

/** Where the store is: in memory, a file in the home, or a PostgreSQL database. */
export type StorePlace = { memory: true } | { home: string } | { url: string };

/** The engine alone: it records and decides, but runs no turns. */
export async function startEngine(place: StorePlace, overrides: Partial<Limits> = {}, driver: Driver | null = null): Promise<Engine> {
	const limits = { ...defaultLimits, ...overrides };
	const store = await openStore(place, limits);
	return await Engine.start({ store, driver, limits, clock: systemClock, ids: randomIds });
}

export interface DaemonOptions {
	home: string;
	limits?: Partial<Limits>;
	/** agent types beside our own */
	programs?: Readonly<Record<string, AgentProgram>>;
	/** how long an idle agent keeps its process */
	parkMs?: number;
}

export interface Daemon extends AsyncDisposable {
	readonly engine: Engine;
	readonly url: string;
}

/** Everything: the engine, the agents' processes, and the door through which they come back. */
export async function startDaemon({ home, limits = {}, programs = {}, parkMs = 10 * 60_000 }: DaemonOptions): Promise<Daemon> {
	mkdirSync(home, { recursive: true, mode: 0o700 });
	const tokens = new Tokens(randomIds);
	let engine: Engine | null = null;
	const found = (): Engine => {
		if (engine === null) throw new Error("an agent spoke before the engine was there");
		return engine;
	};
	const door = await listen(new Hono().route("/api/agent", agentRoutes({ engine: found, tokens, ids: randomIds })));
	const driver = new ProcessDriver({
		mark: homeId(home, randomIds.key()),
		scratch: path.join(home, "scratch"),
		programs: { ...ownPrograms, ...programs },
		issueToken: (agent) => tokens.issue(agent),
		revokeToken: (token) => tokens.revoke(token),
		url: () => door.url,
		environment: process.env,
		clock: systemClock,
		parkMs,
	});
	try {
		engine = await startEngine({ home }, limits, driver);
	} catch (error) {
		await door[Symbol.asyncDispose]();
		throw error;
	}
	return {
		engine,
		url: door.url,
		async [Symbol.asyncDispose]() {
			await engine?.[Symbol.asyncDispose]();
			await door[Symbol.asyncDispose]();
		},
	};
}

const own = (name: string): AgentProgram => ({
	command: process.execPath,
	args: [fileURLToPath(new URL(`./agents/${name}.ts`, import.meta.url))],
	leavesNothing: true,
});
const ownPrograms: Readonly<Record<string, AgentProgram>> = { scripted: own("scripted"), shell: own("shell") };

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
