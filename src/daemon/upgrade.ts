// An upgrade while the daemon runs. A command of a newer version sends a signal. The daemon goes on as before until
// no turn is open, so that none is lost and none has to wait. Then it stops, and starts the program that is on the disk
// by now.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { expected } from "#contract/log.ts";
import type { Engine } from "#engine/engine.ts";
import { until } from "#engine/loop/until.ts";
import { daemonNodeJs, programPath } from "#local/programs.ts";

/**
 * Resolves when no turn is open here. A human agent's turn does not count: it continues under the next daemon; nor does
 * one of another node.
 */
export async function untilIdle(engine: Engine): Promise<void> {
	const isIdle = async (): Promise<true | null> => {
		const open = (await engine.reads.openTurns()).filter(({ node }) => node === null || node === engine.nodes.self);
		const agents = await Promise.all(open.map(({ agent }) => engine.reads.agent(agent)));
		return agents.every((agent) => agent === undefined || agent.type === "human") ? true : null;
	};
	await until(engine.publisher, isIdle, { matters: ({ kind }) => kind === "turn.ended" });
}

/** Starts a daemon in the background, as this one was started. */
export const successorCommand = (home: string): string[] => [
	// with the variables that Node.js needs for the daemon, which this one has removed from its own
	...["/usr/bin/env", ...Object.entries(daemonNodeJs.environment).map(([name, value]) => `${name}=${value}`)],
	...[process.execPath, ...process.execArgv, programPath("programs/daemon")],
	...["--home", home, "--background"],
];

/** Called when the home is free again. If it fails, the next command starts a daemon. */
export function startSuccessor(home: string, environment: NodeJS.ProcessEnv, options: readonly string[] = []): void {
	const out = openSync(path.join(home, "daemon.out"), "a", 0o600);
	const [program = "", ...args] = [...successorCommand(home), ...options];
	const child = spawn(program, args, { detached: true, stdio: ["ignore", out, out], cwd: home, env: environment });
	child.on("error", expected("this Node.js is gone; the next command starts the daemon with its own"));
	child.unref();
	closeSync(out);
}
