// Starts the daemon in a session of its own, with its output in the home, and without the variables of the shell that
// would disturb it.
//
// Several commands may start one at the same time. One daemon gets the home; the others report that it is taken and
// exit, and their commands wait for the first. If that one fails too, the next attempt reports its own reason.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Refused } from "#client/client.ts";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { withoutOwn } from "#contract/own-variables.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { holdersOf } from "#local/lock-holders.ts";
import { daemonNodeJs, programPath } from "#local/programs.ts";
import { showingProgress } from "./progress.ts";

/** a start may have to wait for another start, a migration or a slow disk */
const startTimeoutMs = 60_000;
const pollMs = 50;
/** how long the home's holder may take before another start is tried */
const retryMs = 1000;
/** Node's exit code for an option that it does not know */
const unknownOption = 9;

/** The daemon's first message to the command that started it. */
export type Report = { up: string } | { held: string } | { refused: Refusal };

export async function launchDaemon<T>(home: string, running: () => Promise<T | null>): Promise<T> {
	return await showingProgress("starting the daemon", async () => await launchUntilUp(home, running));
}

async function launchUntilUp<T>(home: string, running: () => Promise<T | null>): Promise<T> {
	const until = performance.now() + startTimeoutMs;
	let last = "";
	while (performance.now() < until) {
		// the holder of the home is still starting; where the kernel does not list holders, another start finds out
		const report = holdersOf(home)?.length ? { held: last } : await launch(home);
		if ("refused" in report) throw new Refused(report.refused);
		const found = await pollUntil(running, "up" in report ? until : Math.min(until, performance.now() + retryMs));
		if (found !== null) return found;
		last = "held" in report ? report.held : "";
	}
	const message = `The daemon did not answer within ${startTimeoutMs / 1000} s. ${last}`.trim();
	throw new Refused(refuse("DAEMON_UNREACHABLE", message, { suggestions: ["brood logs", "brood doctor"] }));
}

async function pollUntil<T>(running: () => Promise<T | null>, until: number): Promise<T | null> {
	for (;;) {
		const found = await running();
		if (found !== null || performance.now() >= until) return found;
		await pause(pollMs);
	}
}

/** Without Node's options if it does not know one of them. */
export async function launch(home: string, options: readonly string[] = daemonNodeJs.options): Promise<Report> {
	makeFolder(home);
	const out = openSync(path.join(home, "daemon.out"), "a", 0o600);
	const child = spawn(process.execPath, [...options, programPath("programs/daemon"), "--home", home, "--background"], {
		detached: true,
		stdio: ["ignore", out, out, "ipc"],
		env: daemonEnv(process.env),
		cwd: home,
	});
	closeSync(out);
	try {
		const report = await firstReport(child);
		return child.exitCode === unknownOption && options.length > 0 ? await launch(home, []) : report;
	} finally {
		if (child.connected) child.disconnect();
		child.unref();
	}
}

/** With those above it. Node's own way never ends where the kernel makes no folders, as in /proc. */
export function makeFolder(folder: string): void {
	if (existsSync(folder)) return;
	makeFolder(path.dirname(folder));
	try {
		mkdirSync(folder, { mode: 0o700 });
	} catch (error) {
		// another command may have made it meanwhile
		if (!existsSync(folder))
			throw new Refused(refuse("HOME_UNUSABLE", `${messageOf(error)}.`, { suggestions: ["brood doctor"] }));
	}
}

async function firstReport(child: ChildProcess): Promise<Report> {
	const { promise, resolve } = Promise.withResolvers<Report>();
	const failed = (how: string): void =>
		resolve({
			refused: refuse("DAEMON_UNREACHABLE", `The daemon did not start: ${how}.`, { suggestions: ["brood logs"] }),
		});
	const ended = once(child, "exit");
	child.once("message", (report: Report) => resolve(report));
	child.once("error", (error) => failed(error.message));
	// `disconnect` comes after the last message; `exit` may come before it
	const disconnected = once(child, "disconnect").then(async () => {
		const [code, signal] = await ended;
		failed(signal === null ? `it exited with ${code}` : `it was ended by ${signal}`);
	});
	// rejects if the process could not be started, which is reported above
	disconnected.catch(expected("the daemon could not be started"));
	return await promise;
}

function daemonEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const own = Object.entries(withoutOwn(env)).filter(
		([name]) => !/^(GIT_|npm_|NODE_OPTIONS$|NODE_CHANNEL_)/.test(name),
	);
	return { ...daemonNodeJs.environment, ...Object.fromEntries(own) };
}
