// Stands in for `src/local/programs.ts` inside the test workers (vitest.config.ts): all programs come from the bundle.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inject } from "vitest";
import { builtWeb } from "#local/built-web.ts";
import type { Program } from "#local/programs.ts";

export const programFolder = inject("programs");

export const programPath = (name: Program): string =>
	path.join(programFolder, name === "surfaces/cli/bin" ? "cli.cjs" : `${path.basename(name)}.mjs`);

export const programUrl = (name: Program): URL => pathToFileURL(programPath(name));

/** One of test/programs, bundled where it can be. */
export function testProgram(name: string): string {
	const file = path.join(programFolder, `test-${name}.mjs`);
	return existsSync(file) ? file : path.resolve(`test/programs/${name}.ts`);
}

/** The dashboard's files, built from this checkout. */
export const webFolder = async (): Promise<string> => await builtWeb(process.cwd());

/** The command line. */
export const launcher = path.join(programFolder, "bin/brood");

export const withBroodOnPath = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
	...environment,
	PATH: `${environment["PATH"] ?? ""}:${path.dirname(launcher)}`,
});
