// Starting the daemon: in a session of its own, with what Node prints in the home, and without what the shell happens
// to have in its environment.
//
// Several commands may do so at once. One daemon gets the home; the others say that they found it taken and end, and
// their commands wait for the one that got it. Should that one fail as well, the next attempt brings its own reason.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Refused } from "#client/client.ts";
import { expected } from "#contract/log.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { holdersOf } from "#src/holders.ts";
import { programPath } from "#src/programs.ts";

/** a start may have to wait for others, for an old store's migration and for a slow disk */
const startMs = 60_000;
const lookMs = 50;
/** how long the daemon that has the home may take before another start is tried */
const againMs = 1000;
/** a daemon is idle most of the time: a small young generation is enough */
const frugal = ["--max-semi-space-size=2"];

/** What a daemon tells whoever started it; nothing if it could not tell any more. */
export type Report = { up: string } | { held: string } | { refused: Refusal };

export async function startDaemon<T>(home: string, running: () => Promise<T | null>): Promise<T> {
	const until = performance.now() + startMs;
	let last = "";
	while (performance.now() < until) {
		// whoever has the home is busy with its start; where the kernel does not tell, another start finds it out
		const report = holdersOf(home)?.length ? { held: last } : await launch(home);
		if ("refused" in report) throw new Refused(report.refused);
		const found = await awaited(running, "up" in report ? until : Math.min(until, performance.now() + againMs));
		if (found !== null) return found;
		last = "held" in report ? report.held : "";
	}
	const words = `The daemon did not answer within ${startMs / 1000} s. ${last}`.trim();
	throw new Refused(refuse("DAEMON_UNREACHABLE", words, { suggestions: ["brood logs", "brood doctor"] }));
}

async function awaited<T>(running: () => Promise<T | null>, until: number): Promise<T | null> {
	for (;;) {
		const found = await running();
		if (found !== null || performance.now() >= until) return found;
		await pause(lookMs);
	}
}

async function launch(home: string): Promise<Report> {
	mkdirSync(home, { recursive: true, mode: 0o700 });
	const out = openSync(path.join(home, "daemon.out"), "a", 0o600);
	const child = spawn(process.execPath, [...frugal, programPath("daemon"), "--home", home, "--background"], {
		detached: true,
		stdio: ["ignore", out, out, "ipc"],
		env: cleaned(process.env),
		cwd: home,
	});
	closeSync(out);
	try {
		return await reported(child);
	} finally {
		if (child.connected) child.disconnect();
		child.unref();
	}
}

async function reported(child: ChildProcess): Promise<Report> {
	const { promise, resolve } = Promise.withResolvers<Report>();
	const failed = (how: string): void =>
		resolve({
			refused: refuse("DAEMON_UNREACHABLE", `The daemon did not start: ${how}.`, { suggestions: ["brood logs"] }),
		});
	const ended = once(child, "exit");
	child.once("message", (report: Report) => resolve(report));
	child.once("error", (error) => failed(error.message));
	// comes behind the last message, which the end of the process need not do
	const silent = once(child, "disconnect").then(async () => {
		const [code, signal] = await ended;
		failed(signal === null ? `it exited with ${code}` : `it was ended by ${signal}`);
	});
	// rejects where there is no process at all, which is told above
	silent.catch(expected("the daemon could not be started"));
	return await promise;
}

function cleaned(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(env).filter(
			([name]) => !/^(GIT_|npm_|NODE_OPTIONS$|NODE_CHANNEL_|BROOD_(TOKEN|AGENT|URL|MARK)$)/.test(name),
		),
	);
}
