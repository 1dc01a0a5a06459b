// Ends a program that a test waits for without an end. Vitest's own timeouts cannot: a synchronous call keeps the
// worker from noticing them, and the whole run would stand still without a name.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

const limits = { timeout: 120_000, killSignal: "SIGKILL" as const };

/** The same call with the limits beneath its own options, which are its last argument. */
function bounded<T>(call: (file: string, args: readonly string[], options: object) => T) {
	return function bounded(file: string, args: readonly string[] | object = [], options: object = {}): T {
		return Array.isArray(args) ? call(file, args, { ...limits, ...options }) : call(file, [], { ...limits, ...args });
	};
}

const { execFileSync, spawnSync } = childProcess;
Object.assign(childProcess, { execFileSync: bounded(execFileSync), spawnSync: bounded(spawnSync) });
syncBuiltinESMExports();
// its test shortens it; an import would install it where a run has forgotten it
Reflect.set(globalThis, Symbol.for("brood.sync-limits"), limits);
