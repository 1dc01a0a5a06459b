// One real PostgreSQL for the whole run, in which every test that needs one makes a database of its own; and the
// store's thread in one file.
import type { TestProject } from "vitest/node";
import { startPostgres } from "./support/postgres.ts";
import { bundleStoreThread } from "./support/store-thread.ts";

declare module "vitest" {
	export interface ProvidedContext {
		/** with DATABASE in the place of a database's name */
		postgresUrl: string;
		/** the file that the store's threads run */
		storeThread: string;
	}
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const [postgres, storeThread] = await Promise.all([startPostgres(), bundleStoreThread()]);
	project.provide("storeThread", storeThread);
	project.onTestsRerun(async () => project.provide("storeThread", await bundleStoreThread()));
	project.provide("postgresUrl", postgres.url("DATABASE"));
	return async () => await postgres[Symbol.asyncDispose]();
}
