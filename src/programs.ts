// Where the programs are that run beside the daemon: next to the source in a checkout, next to the bundle in a release.
import { fileURLToPath } from "node:url";

const bundled = !import.meta.url.endsWith(".ts");

export function programUrl(name: "store-thread" | "daemon" | "agents/scripted" | "agents/shell"): URL {
	return new URL(bundled ? `./${name.replace("agents/", "")}.mjs` : `./${name}.ts`, import.meta.url);
}

export const programPath = (name: Parameters<typeof programUrl>[0]): string => fileURLToPath(programUrl(name));
