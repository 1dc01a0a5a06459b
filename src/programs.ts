// Paths of the programs that run beside the daemon: next to the source in a checkout, next to the bundle in a release.
import { fileURLToPath } from "node:url";

const bundled = !import.meta.url.endsWith(".ts");
/** the chunks of the command line have a folder of their own */
const folderUrl = new URL(!bundled || /\/cli\/[^/]*$/.test(import.meta.url) ? ".." : ".", import.meta.url);

export type Program =
	| "store-thread"
	| "sandbox-worker"
	| "daemon"
	| "uninstall"
	| "surfaces/cli/bin"
	| "agents/scripted"
	| "agents/shell"
	| "agents/llm";

export function programUrl(name: Program): URL {
	if (!bundled) return new URL(`./${name}.ts`, import.meta.url);
	const file = name === "surfaces/cli/bin" ? "cli.cjs" : `${name.replace("agents/", "")}.mjs`;
	return new URL(file, folderUrl);
}

/** The folder with the programs and their libraries. */
export const programFolder = fileURLToPath(folderUrl);

export const programPath = (name: Program): string => fileURLToPath(programUrl(name));

/** The folder with the dashboard's files. A checkout builds them when they are first needed, and again after a change. */
export async function webFolder(): Promise<string> {
	if (bundled) return fileURLToPath(new URL("../web", folderUrl));
	const { builtWeb } = await import("./built-web.ts");
	return await builtWeb(fileURLToPath(new URL("..", import.meta.url)));
}

/**
 * Adds this checkout's `brood` to the end of PATH; a release is on PATH already.
 */
export function withCommand(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	if (bundled) return environment;
	const folder = fileURLToPath(new URL("../bin", import.meta.url));
	return { ...environment, PATH: environment["PATH"] === undefined ? folder : `${environment["PATH"]}:${folder}` };
}
