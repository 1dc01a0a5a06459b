// Which store a daemon has, and where its blobs are.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { databaseAddress } from "#adapters/store/postgres/url.ts";
import { blobsIn } from "#adapters/system/blobs.ts";
import { ConfigError, readConfig } from "#adapters/system/config.ts";
import { checkStoreKind, isTied, tieToJournal } from "#adapters/system/home.ts";
import { partialsIn } from "#adapters/system/partials.ts";
import type { HomeConfig } from "#contract/config.ts";
import type { Limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import type { EngineDependencies } from "#engine/parts.ts";
import { type Store, StoreFault } from "#engine/ports/store.ts";
import { programUrl } from "#local/programs.ts";
import { tlsFilesIn } from "./remote.ts";

/** Where the store is: in memory, a file in the home, or a PostgreSQL database. */
export type StoreLocation = { memory: true } | { home: string } | DatabaseLocation;

interface DatabaseLocation {
	url: string;
	ownerUrl?: string;
	/** the home that has a part in it */
	ofHome?: string;
}

/** Where the configuration, or the environment, says that the store is. */
export function storeOf(
	home: string,
	{ database }: Pick<HomeConfig, "database">,
	environment: NodeJS.ProcessEnv,
): StoreLocation {
	const named = environment["BROOD_DATABASE_URL"] || database;
	checkStoreKind(home, named ? "postgres" : "sqlite");
	if (!named) return { home };
	const owner = environment["BROOD_DATABASE_OWNER_URL"];
	const url = addressFrom(named, environment);
	return { url, ofHome: home, ...(owner && { ownerUrl: addressFrom(owner, environment) }) };
}

/** Before anything is written there, even tables. An empty database is another one too. */
async function refuseOther({ url, ofHome }: DatabaseLocation): Promise<void> {
	if (ofHome === undefined || !isTied(ofHome)) return;
	const { journalIn } = await import("#adapters/store/postgres/store.ts");
	tieToJournal(ofHome, (await journalIn(url)) ?? "");
}

function addressFrom(text: string, environment: NodeJS.ProcessEnv): string {
	const found = databaseAddress(text, environment);
	if ("url" in found) return found.url;
	throw new ConfigError(`The address of the database cannot be used: ${found.problem}.`);
}

/** Throws what is wrong with the configuration of this home; the store is not looked at. */
export async function checkConfig(home: string, environment: NodeJS.ProcessEnv): Promise<StoreLocation> {
	return storeOf(home, await checkedConfig(home), environment);
}

/** Throws what is wrong with the home's config.yaml. Which store the environment names does not matter. */
export async function checkedConfig(home: string): Promise<HomeConfig> {
	const config = await readConfig(home);
	tlsFilesIn(home, config);
	return config;
}

/**
 * Throws why the home cannot be used with the store that the environment names. A database that does not answer,
 * or refuses access, is not compared.
 */
export async function checkHome(home: string, environment: NodeJS.ProcessEnv): Promise<void> {
	// an error in the configuration says nothing of the store
	const location = storeOf(home, {}, environment);
	if (!("url" in location)) return;
	await refuseOther(location).catch((error: unknown) => {
		if (!(error instanceof StoreFault)) throw error;
	});
}

/** Throws why no daemon could start after the one that has this home now. A store in the home is that one's. */
export async function checkRestart(home: string, environment: NodeJS.ProcessEnv): Promise<void> {
	const location = await checkConfig(home, environment);
	if (!("url" in location)) return;
	await refuseOther(location);
	const { examinePostgres } = await import("#adapters/store/postgres/store.ts");
	const id = path.join(home, "id");
	await examinePostgres({ ...location, leaving: existsSync(id) ? readFileSync(id, "utf8").trim() : null });
}

/** Throws why a daemon could not start on this home. Nothing is changed. */
export async function checkStore(home: string, environment: NodeJS.ProcessEnv): Promise<void> {
	const location = await checkConfig(home, environment);
	if ("url" in location) {
		await refuseOther(location);
		const { examinePostgres } = await import("#adapters/store/postgres/store.ts");
		return await examinePostgres(location);
	}
	const { examine, examinePages } = await import("#adapters/store/sqlite/file.ts");
	const file = path.join(home, "brood.db");
	if (examine(file)) examinePages(file);
}

/** Loads only the store in use: each needs its own library. */
export async function openStore(
	location: StoreLocation,
	limits: Limits,
	node: string | null,
): Promise<{ store: Store } & Pick<EngineDependencies, "blobs" | "partials" | "limits" | "limitsIgnored">> {
	if ("memory" in location) {
		const { openMemory } = await import("#adapters/store/memory/store.ts");
		return { store: openMemory(batchRunner(limits)), limits };
	}
	if ("url" in location) {
		await refuseOther(location);
		const { openPostgres } = await import("#adapters/store/postgres/store.ts");
		let run = batchRunner(limits);
		const store = await openPostgres({ ...location, run: (tx, batch) => run(tx, batch) });
		const shared = node === null ? limits : await store.limitsFor(node, limits);
		run = batchRunner(shared);
		const limitsIgnored = Object.entries(limits).flatMap(([name, value]) =>
			Reflect.get(shared, name) === value ? [] : name,
		);
		return { store, blobs: store.blobs, partials: store.partials, limits: shared, limitsIgnored };
	}
	const { openSqlite } = await import("#adapters/store/sqlite/store.ts");
	const { home } = location;
	mkdirSync(home, { recursive: true, mode: 0o700 });
	const store = await openSqlite({
		file: path.join(home, "brood.db"),
		limits,
		program: programUrl("programs/store-thread"),
	});
	return { store, limits, blobs: blobsIn(path.join(home, "blobs")), partials: partialsIn(path.join(home, "partials")) };
}
