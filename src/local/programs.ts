// Paths of the programs that run beside the daemon: next to the source in a checkout, next to the bundle in a release.
import path from "node:path";
import { fileURLToPath } from "node:url";

const bundled = !import.meta.url.endsWith(".ts");
/** the chunks of the command line have a folder of their own */
const folderUrl = new URL(bundled ? (/\/cli\/[^/]*$/.test(import.meta.url) ? ".." : ".") : "../..", import.meta.url);

export type Program =
	| "programs/daemon"
	| "programs/store-thread"
	| "programs/sandbox-worker"
	| "programs/uninstall"
	| "surfaces/cli/bin"
	| "agents/scripted"
	| "agents/shell"
	| "agents/llm";

export function programUrl(name: Program): URL {
	if (!bundled) return new URL(`../${name}.ts`, import.meta.url);
	const file = name === "surfaces/cli/bin" ? "cli.cjs" : `${path.basename(name)}.mjs`;
	return new URL(file, folderUrl);
}

/**
 * How Node.js runs the daemon: it is idle most of the time and lives for days, so memory counts more than its first
 * minutes. Another version of Node.js may not know an option; then the daemon runs without them.
 */
export const daemonNodeJs = {
	options: [
		"--max-semi-space-size=2",
		// what runs only at the start is not optimised: the compilers are 10 MB that stay resident (`whenBusy`)
		"--invocation-count-for-maglev=20000",
		"--invocation-count-for-turbofan=100000",
		// each thread would map V8's functions once more
		"--no-short-builtin-calls",
	],
	/** V8's own counts, for a daemon that has work: what is used often is then optimised as in every other program */
	whenBusy: ["--invocation-count-for-maglev=400", "--invocation-count-for-turbofan=3000"],
	/** for glibc: one pool for all threads, and freed memory is given back; the daemon's own children do not get them */
	environment: { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "65536", MALLOC_TRIM_THRESHOLD_: "1048576" },
};

/** The folder with the programs and their libraries. */
export const programFolder = fileURLToPath(folderUrl);

export const programPath = (name: Program): string => fileURLToPath(programUrl(name));

/**
 * The folder with the dashboard's files. A checkout builds them when they are first needed, and again after a change.
 */
export async function webFolder(): Promise<string> {
	if (bundled) return fileURLToPath(new URL("../web", folderUrl));
	const { builtWeb } = await import("./built-web.ts");
	return await builtWeb(fileURLToPath(new URL("../..", import.meta.url)));
}

/**
 * Adds this checkout's `brood` to the end of PATH; a release is on PATH already.
 */
export function withBroodOnPath(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	if (bundled) return environment;
	const folder = fileURLToPath(new URL("../../bin", import.meta.url));
	return { ...environment, PATH: environment["PATH"] === undefined ? folder : `${environment["PATH"]}:${folder}` };
}
