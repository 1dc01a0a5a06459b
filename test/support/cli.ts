// The command line as a person's shell runs it, with a home of its own.
import { execFile } from "node:child_process";
import path from "node:path";
import { launcher, withBroodOnPath } from "./programs.ts";
import { freshFolder } from "./stores.ts";

/** whatever JSON.parse gives: tests look at it as scripts do */
type Parsed = ReturnType<typeof JSON.parse>;

export interface Shell extends AsyncDisposable {
	readonly home: string;
	/** the same home, from another directory */
	within(folder: string): Shell;
	brood(...args: string[]): Promise<{ code: number; out: string; err: string }>;
	/** with --json: the data, or the error */
	json(...args: string[]): Promise<{ code: number; data: Parsed; error: Parsed }>;
}

export function shell(home = freshFolder(), cwd = freshFolder(), more: Readonly<Record<string, string>> = {}): Shell {
	const env = {
		...withBroodOnPath({ PATH: process.env["PATH"] }),
		HOME: home,
		BROOD_HOME: home,
		BROOD_PORT: "0",
		NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/compile"),
		...more,
	};
	const brood: Shell["brood"] = (...args) =>
		new Promise((resolve) =>
			execFile(launcher, args, { env, cwd }, (error, out, err) =>
				resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, err }),
			),
		);
	return {
		home,
		brood,
		within: (folder) => shell(home, folder, more),
		async json(...args) {
			const { code, out, err } = await brood(...args, "--json");
			if (out !== "" && err !== "") throw new Error(`both streams have something: ${out} ${err}`);
			return { code, ...JSON.parse(out === "" ? err : out) };
		},
		async [Symbol.asyncDispose]() {
			await brood("down");
		},
	};
}
