// One real PostgreSQL for the whole run, in which every test that needs one makes a database of its own; all
// programs in a bundle; and a browser.
import { rmSync } from "node:fs";
import os from "node:os";
import type { TestProject } from "vitest/node";
import { bundlePrograms } from "./support/bundle.ts";
import { chromiumProgram } from "./support/chromium.ts";
import { memoryFolder } from "./support/memory.ts";
import { startPostgres } from "./support/postgres.ts";

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

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const memory = memoryFolder();
	project.provide("disk", os.tmpdir());
	project.provide("memory", memory ?? os.tmpdir());
	const [postgres, programs] = await Promise.all([startPostgres(), bundlePrograms()]);
	project.provide("programs", programs);
	project.provide("chromium", chromiumProgram());
	project.onTestsRerun(async () => project.provide("programs", await bundlePrograms()));
	project.provide("postgresUrl", postgres.url("DATABASE"));
	return async () => {
		await postgres[Symbol.asyncDispose]();
		if (memory !== null) rmSync(memory, { recursive: true, force: true, maxRetries: 5 });
	};
}
