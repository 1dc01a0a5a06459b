// The three stores as tests want them: empty, reopenable, and gone afterwards.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { inject } from "vitest";
import type { Limits } from "#contract/limits.ts";
import type { StoreLocation } from "#daemon/open-store.ts";
import type { Engine } from "#engine/engine.ts";
import { startEngine } from "#src/main.ts";
import { templateName } from "./postgres.ts";

export const flavors = ["memory", "sqlite", "postgres"] as const;
export type Flavor = (typeof flavors)[number];
/** the stores that outlive their process */
export const durable = ["sqlite", "postgres"] as const;

export interface TestStore extends AsyncDisposable {
	readonly location: StoreLocation;
	open(limits?: Partial<Limits>): Promise<Engine>;
}

export async function freshTestStore(flavor: Flavor): Promise<TestStore> {
	const opening = (location: StoreLocation) => ({
		location,
		open: (limits?: Partial<Limits>) => startEngine(location, limits),
	});
	if (flavor === "memory") return { ...opening({ memory: true }), [Symbol.asyncDispose]: async () => {} };
	if (flavor === "postgres")
		return { ...opening({ url: await freshDatabase() }), [Symbol.asyncDispose]: async () => {} };
	const home = freshFolder();
	return { ...opening({ home }), [Symbol.asyncDispose]: async () => rmSync(home, { recursive: true, force: true }) };
}

export const freshFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "brood-test-"));

/** With all tables, or with none (`template1`). */
export async function freshDatabase(template = templateName): Promise<string> {
	const url = (name: string): string => inject("postgresUrl").replace("DATABASE", name);
	const name = `t${randomBytes(6).toString("hex")}`;
	const client = new pg.Client(url("postgres"));
	await client.connect();
	// its files, not its pages through the log: nothing is flushed here
	await client.query(`create database ${name} template ${template} strategy file_copy`);
	await client.end();
	return url(name);
}
