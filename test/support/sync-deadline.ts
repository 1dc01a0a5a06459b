// Ends a program that a test waits for without an end. Vitest's own timeouts cannot: a synchronous call keeps the
// worker from noticing them, and the whole run would stand still without a name.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

const limits = { timeout: 120_000, killSignal: "SIGKILL" } as const;

for (const name of ["execFileSync", "spawnSync"] as const) {
	const original: (...args: unknown[]) => unknown = childProcess[name];
	const bounded = (file: string, args?: unknown, options?: object): unknown =>
		Array.isArray(args)
			? original(file, args, { ...limits, ...options })
			: original(file, [], { ...limits, ...(typeof args === "object" ? args : {}) });
	Object.assign(childProcess, { [name]: bounded });
}
syncBuiltinESMExports();
