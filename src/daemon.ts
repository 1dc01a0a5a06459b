// The daemon's program: `node daemon.ts [--home DIR] [--port N] [--playground]`. In the foreground its log is for people.
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeGit } from "#adapters/git/git.ts";
import { ConfigError } from "#adapters/system/config.ts";
import { HomeHeld } from "#adapters/system/home.ts";
import { StoreFault } from "#engine/ports.ts";
import { startDaemon } from "./main.ts";
import { makePlayground } from "./playground.ts";
import { version } from "./version.ts";

const defaultPort = 4180;
const drainMs = 10_000;

// whoever read our log may go away; that is no reason to end
process.stdout.on("error", () => {});
const { values } = parseArgs({ options: { home: { type: "string" }, port: { type: "string" }, playground: { type: "boolean", default: false } } });
const home = path.resolve(values.home ?? (process.env["BROOD_HOME"] || path.join(os.homedir(), ".brood")));
const port = Number(values.port ?? process.env["BROOD_PORT"] ?? defaultPort);

/** Words in a terminal, a line of JSON in a file. No secret is ever passed to it, and what looks like one is not written. */
function log(text: string): void {
	const at = new Date(performance.timeOrigin + performance.now()).toISOString();
	const clean = text.replaceAll(/[A-Za-z0-9_-]{43}/g, "[secret]");
	process.stdout.write(process.stdout.isTTY || values.playground ? `${at} ${clean}\n` : `${JSON.stringify({ at, text: clean })}\n`);
}

try {
	const daemon = await startDaemon({ home, port, failed: (error) => log(`a request failed inside: ${error instanceof Error ? error.stack : error}`) });
	log(`brood ${version} is up at ${daemon.url} (pid ${process.pid}, home ${home})`);
	const stop = async (why: string): Promise<void> => {
		log(`${why}: letting the running turns end`);
		await daemon.engine.drain(pause(drainMs, undefined, { ref: false }));
		await daemon[Symbol.asyncDispose]();
		log("stopped");
		process.exit(0);
	};
	for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => void stop(name));
	void daemon.engine.failed.then((why) => {
		log(`cannot go on: ${why.message}`);
		process.exit(70);
	});
	if (values.playground) for (const line of await makePlayground(daemon.engine, home, makeGit({ environment: process.env }))) log(line);
} catch (error) {
	if (!(error instanceof HomeHeld) && !(error instanceof StoreFault) && !(error instanceof ConfigError) && !(error instanceof Error && "code" in error))
		throw error;
	process.stderr.write(`brood: ${error.message}\n`);
	process.exit(1);
}
