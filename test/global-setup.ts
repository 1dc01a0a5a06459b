// One real PostgreSQL for the whole run, in which every test that needs one makes a database of its own; all
// programs in a bundle; and the programs of the machine that tests start, a browser among them.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { openPool } from "#adapters/store/postgres/connection.ts";
import { migrate } from "#adapters/store/postgres/migrate.ts";
import { bundlePrograms } from "./support/bundle.ts";
import { chromiumProgram } from "./support/chromium.ts";
import { installPrograms } from "./support/debian-packages.ts";
import { memoryFolder } from "./support/memory.ts";
import { startPostgres, type TestPostgres, templateName } from "./support/postgres.ts";

declare module "vitest" {
	export interface ProvidedContext {
		/** with DATABASE in the place of a database's name */
		postgresUrl: string;
		/** the folder of the bundled programs */
		programs: string;
		/** where temporary folders are */
		disk: string;
		/** where those are that need no disk; the same where memory has no room for them */
		memory: string;
		/** the path of a Chromium; empty where there is none */
		chromium: string;
	}
}

/**
 * A database with all tables and nothing in them, of which tests get copies: to make the tables takes as long as a
 * copy.
 */
async function makeTemplate(url: TestPostgres["url"]): Promise<void> {
	const admin = new pg.Client(url());
	await admin.connect();
	await admin.query(`create database ${templateName}`);
	await admin.end();
	const pool = openPool(url(templateName));
	await migrate(pool);
	await pool.end();
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	installPrograms();
	const memory = memoryFolder();
	const disk = mkdtempSync(path.join(os.tmpdir(), "brood-"));
	// the database runs as another user
	chmodSync(disk, 0o755);
	project.provide("disk", disk);
	project.provide("memory", memory ?? disk);
	const [postgres, programs] = await Promise.all([startPostgres(), bundlePrograms()]);
	project.provide("programs", programs);
	project.provide("chromium", chromiumProgram());
	project.onTestsRerun(async () => project.provide("programs", await bundlePrograms()));
	project.provide("postgresUrl", postgres.url("DATABASE"));
	await makeTemplate(postgres.url);
	return async () => {
		await postgres[Symbol.asyncDispose]();
		for (const folder of memory === null ? [disk] : [disk, memory])
			rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	};
}
