// Paths of the programs that run beside the daemon: next to the source in a checkout, next to the bundle in a release.
import { fileURLToPath } from "node:url";

const bundled = !import.meta.url.endsWith(".ts");

type Program =
	| "store-thread"
	| "sandbox-worker"
	| "daemon"
	| "surfaces/cli/bin"
	| "agents/scripted"
	| "agents/shell"
	| "agents/llm";

export function programUrl(name: Program): URL {
	return new URL(
		bundled ? `./${name.replace("agents/", "").replace("surfaces/cli/bin", "cli")}.mjs` : `./${name}.ts`,
		import.meta.url,
	);
}

/** The folder with the programs and their libraries. */
export const programFolder = fileURLToPath(new URL(bundled ? "." : "..", import.meta.url));

export const programPath = (name: Program): string => fileURLToPath(programUrl(name));

/**
 * Adds this checkout's `brood` to the end of PATH; a release is on PATH already.
 */
export function withCommand(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	if (bundled) return environment;
	const folder = fileURLToPath(new URL("../bin", import.meta.url));
	return { ...environment, PATH: environment["PATH"] === undefined ? folder : `${environment["PATH"]}:${folder}` };
}
