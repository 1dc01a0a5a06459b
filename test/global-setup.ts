// One real PostgreSQL for the whole run; every test that needs one makes a database of its own in it.
import type { TestProject } from "vitest/node";
import { startPostgres } from "./support/postgres.ts";

declare module "vitest" {
	export interface ProvidedContext {
		/** with DATABASE in the place of a database's name */
		postgresUrl: string;
	}
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const postgres = await startPostgres();
	project.provide("postgresUrl", postgres.url("DATABASE"));
	return async () => await postgres[Symbol.asyncDispose]();
}
