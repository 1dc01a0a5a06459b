// Stands in for `src/programs.ts` inside the test workers (vitest.config.ts): the same, but for the store's threads,
// which load from one file. Programs that tests start as processes of their own, and the command line, run from the
// source.
import { pathToFileURL } from "node:url";
import { inject } from "vitest";
import { programUrl as sourceUrl } from "../../src/programs.ts";

export { programFolder, programPath, withCommand } from "../../src/programs.ts";

export const programUrl: typeof sourceUrl = (name) =>
	name === "store-thread" ? pathToFileURL(inject("storeThread")) : sourceUrl(name);
