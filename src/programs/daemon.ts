// The daemon's program: `node daemon.ts [--home DIR] [--port N] [--playground] [--background] [--again] [--check]
// [--check-restart] [--check-home] [--check-config]`. In the foreground its log is shown as well.
import { existsSync, readFileSync, truncateSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { format, parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { makeGit } from "#adapters/git/run/git.ts";
import { whenBusy } from "#adapters/system/busy.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { ConfigError } from "#adapters/system/config.ts";
import { HomeUnusable, makeHome } from "#adapters/system/home.ts";
import { HomeLocked } from "#adapters/system/home-lock.ts";
import { collectWhenIdle } from "#adapters/system/idle-memory.ts";
import { closeInherited } from "#adapters/system/inherited.ts";
import { fileLog, secretsOf } from "#adapters/system/log.ts";
import { expected, type LogEntry } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { inline, visible } from "#contract/visible.ts";
import { exitWhenFenced, startAgain } from "#daemon/exit-when-fenced.ts";
import { checkedConfig, checkHome, checkRestart, checkStore } from "#daemon/open-store.ts";
import { makePlayground } from "#daemon/playground.ts";
import { StopDeadline } from "#daemon/stop-deadline.ts";
import { startSuccessor, successorCommand, untilIdle } from "#daemon/upgrade.ts";
import { faultRefusal } from "#engine/loop/fault.ts";
import { daemonNodeJs } from "#local/programs.ts";
import { drainSignal, upgradeSignal } from "#local/signals.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { version } from "#src/version.ts";

const defaultPort = 4180;
/** after the turns' grace period, the daemon exits at this time at the latest: everything durable is on disk */
const stopMs = 10_000;

closeInherited();
// in force already, and meant for this process only
for (const name of Object.keys(daemonNodeJs.environment)) delete process.env[name];
process.stdout.on("error", expected("the reader of the output has left, which is no reason to end"));
const { values } = parseArgs({
	options: {
		home: { type: "string" },
		port: { type: "string" },
		playground: { type: "boolean", default: false },
		background: { type: "boolean", default: false },
		/** after a daemon whose node was replaced: waits for its end and for the database */
		again: { type: "boolean", default: false },
		/** only says why it could not start on this home, if so */
		check: { type: "boolean", default: false },
		/** the same while the daemon before it runs */
		"check-restart": { type: "boolean", default: false },
		/** only whether the home belongs to the store that is named now */
		"check-home": { type: "boolean", default: false },
		/** only whether the home's config.yaml can be used */
		"check-config": { type: "boolean", default: false },
	},
});
const home = path.resolve(values.home ?? (process.env["BROOD_HOME"] || path.join(os.homedir(), ".brood")));
const port = Number(values.port ?? process.env["BROOD_PORT"] ?? defaultPort);
const show = ({ at, level, text, fault }: LogEntry): void =>
	void process.stdout.write(
		visible(`${at} ${level === "info" ? "" : `${level}: `}${inline(text)}${fault === undefined ? "" : `\n${fault}`}\n`),
	);

try {
	for (const [wanted, check] of [
		[values.check, checkStore],
		[values["check-restart"], checkRestart],
		[values["check-home"], checkHome],
		[values["check-config"], checkedConfig],
	] as const) {
		if (!wanted) continue;
		await check(home, process.env);
		process.exit(0);
	}
	makeHome(home);
	const log = fileLog({
		home,
		clock: systemClock,
		secrets: secretsOf(process.env),
		...(!values.background && { onEntry: show }),
	});
	// libraries print about invalid input of agents: that goes to the log, which is bounded
	for (const name of ["log", "info", "warn", "error"] as const)
		console[name] = (...words: unknown[]) => log.warn("libraries", format(...words));
	let up = false;
	// Durable state is in the store's transactions, and memory is read from there: an uncaught error costs only what it
	// interrupted. Only a store that cannot be trusted ends the process (`engine.failed`).
	process.on("uncaughtException", (error, origin) => {
		log.error(
			"daemon",
			origin === "unhandledRejection" ? "A failure that nobody waited for" : "An exception that nobody caught",
			{},
			error,
		);
		if (!up) process.exit(70);
	});
	const before = values.background ? lastOutput() : "";
	const start = async (): Promise<Daemon> =>
		await startDaemon({
			home,
			port,
			log,
			...(values.background && { successor: [...successorCommand(home), "--again"] }),
		});
	const daemon = await (values.again ? startAgain(start) : start()).catch((error: unknown) => {
		const { code, message } = startRefusal(error);
		if (!(error instanceof HomeLocked))
			log.error("daemon", `The daemon did not start: ${message}`, {}, code === "INTERNAL_ERROR" ? error : undefined);
		throw error;
	});
	up = true;
	collectWhenIdle();
	whenBusy(() => {
		for (const flag of daemonNodeJs.whenBusy) setFlagsFromString(flag);
	});
	await report({ up: daemon.url });
	if (before !== "") log.warn("daemon", "The last daemon ended with these words", {}, before);
	log.info("daemon", `brood ${version} is up at ${daemon.url} (pid ${process.pid}, home ${home})`);
	const deadline = new StopDeadline();
	let isStopping = false;
	const stop = async (why: NodeJS.Signals): Promise<void> => {
		deadline.take(why);
		log.info("daemon", `${why}: ${isStopping ? "stopping already" : "letting the running turns end"}`);
		if (isStopping) return;
		isStopping = true;
		void deadline.passed.then(() => {
			setTimeout(() => {
				log.error("daemon", "The daemon could not stop in time and ends as it is; the next start recovers");
				process.exit(70);
			}, stopMs).unref();
		});
		try {
			await daemon.engine.drain(deadline.passed);
			deadline.pass();
			await daemon[Symbol.asyncDispose]();
			log.info("daemon", "stopped");
			if (deadline.isUpgrade) startSuccessor(home, process.env);
			process.exit(0);
		} catch (error) {
			log.error("daemon", "The daemon could not stop as it should", {}, error);
			process.exit(70);
		}
	};
	let isUpgrading = false;
	// every newer command sends it
	process.on(upgradeSignal, () => {
		if (isUpgrading) return;
		isUpgrading = true;
		untilIdle(daemon.engine).then(
			() => {
				if (!isStopping) void stop(upgradeSignal);
			},
			(error: unknown) => {
				log.warn("daemon", "The upgrade waits for the next command of the newer version", {}, error);
				isUpgrading = false;
			},
		);
	});
	for (const name of ["SIGTERM", "SIGINT", drainSignal] as const) process.on(name, () => void stop(name));
	void daemon.lost.then((why) => {
		log.error("daemon", `The daemon ends: ${why.message}`);
		process.exit(70);
	});
	void daemon.engine.failed.then(async (why) => {
		if (why.kind === "fenced") {
			const { code, again } = await exitWhenFenced(daemon.engine, { home, log }, why);
			// in the foreground the service manager starts the next one
			if (again && values.background) startSuccessor(home, process.env, ["--again"]);
			process.exit(code);
		}
		log.error("daemon", `The daemon ends, because its store cannot be trusted: ${why.message}`, {}, why);
		process.exit(70);
	});
	if (values.playground)
		for (const line of await makePlayground(daemon.engine, home, makeGit({ environment: process.env })))
			log.info("playground", line);
} catch (error) {
	const refusal = startRefusal(error);
	process.stderr.write(visible(`brood: ${refusal.message}\n`));
	await report(error instanceof HomeLocked ? { held: refusal.message } : { refused: refusal });
	process.exit(1);
}

/** Reports the start's result to the command that started this daemon. */
async function report(what: { up: string } | { held: string } | { refused: Refusal }): Promise<void> {
	if (process.send === undefined || !process.connected) return;
	// the command may have exited meanwhile
	await new Promise<void>((resolve) => process.send?.(what, undefined, undefined, () => resolve()));
	if (process.connected) process.disconnect?.();
}

/** Why the daemon did not start; INTERNAL_ERROR for an unexpected error. */
function startRefusal(error: unknown): Refusal {
	if (error instanceof HomeUnusable)
		return faultRefusal(error) ?? refuse("HOME_UNUSABLE", error.message, { suggestions: error.suggestions });
	if (error instanceof ConfigError) return refuse("VALIDATION_ERROR", error.message);
	if (error instanceof HomeLocked) return refuse("CONFLICT", error.message);
	const known = faultRefusal(error);
	if (known !== null) return known;
	const message = messageOf(error);
	const denied = error instanceof Error && "code" in error && ["EACCES", "EPERM", "EROFS"].includes(String(error.code));
	return denied
		? refuse("HOME_UNUSABLE", `${home} cannot be used: ${message}.`, { suggestions: ["brood doctor"] })
		: refuse("INTERNAL_ERROR", message);
}

/** What Node.js printed when the last background daemon died; the daemon's own output is in the log. */
function lastOutput(): string {
	const file = path.join(home, "daemon.out");
	if (!existsSync(file)) return "";
	const words = readFileSync(file, "utf8")
		.split("\n")
		.filter((line) => line !== "" && !line.startsWith("brood: "));
	truncateSync(file);
	return words.slice(-50).join("\n");
}
