// The process beside a daemon, and what it leaves alone. A small program stands for the daemon.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { homeIdName } from "#contract/own-variables.ts";
import { sleepSeconds } from "#test/support/node-work.ts";
import { counted, eventually } from "#test/support/nodes.ts";
import { freshFolder } from "#test/support/stores.ts";

interface WatchedDaemon {
	daemon: ChildProcess;
	home: string;
	/** how long each process sleeps, by which it is found */
	sleeps: { inherits: string; orphan: string; cleared: string; below: string; stranger: string };
}

const left = ({ sleeps }: WatchedDaemon): string[] =>
	Object.entries(sleeps).flatMap(([name, time]) => (counted(time).there > 0 ? name : []));

/**
 * A process with the home id, three with a cleared environment (an orphan in its session, one in the session of an
 * agent that has ended, and one below a process with the home id), and one of somebody else.
 */
async function world(last: string): Promise<WatchedDaemon> {
	const sleeps = {
		inherits: sleepSeconds(),
		orphan: sleepSeconds(),
		cleared: sleepSeconds(),
		below: sleepSeconds(),
		stranger: sleepSeconds(),
	};
	const [home, homeId] = [freshFolder(), `home-${sleepSeconds()}`];
	const program = `
		import { spawn } from "node:child_process";
		import { watchdogFor } from ${JSON.stringify(path.resolve("src/adapters/system/watchdog.ts"))};
		const start = (text, more) => spawn("/bin/sh", ["-c", text], {
			detached: true, stdio: "ignore", env: { PATH: process.env.PATH, ...more },
		});
		const own = { ${homeIdName}: ${JSON.stringify(homeId)} };
		const agent = start("env -i sleep ${sleeps.cleared} &", own);
		start("(env -i sleep ${sleeps.orphan} &); sleep ${sleeps.inherits}; true", own);
		start("env -i setsid sh -c 'sleep ${sleeps.below}; true'; true", own);
		start("sleep ${sleeps.stranger}", {});
		const log = { error: console.error };
		const watchdog = watchdogFor({
			home: ${JSON.stringify(home)}, homeId: ${JSON.stringify(homeId)},
			processes: { processSessions: () => [agent.pid] }, successor: [], environment: process.env, log,
		});
		watchdog.goodFor(60_000);
		process.send("watched");
		process.on("message", () => { ${last} });`;
	const daemon = spawn(process.execPath, ["--input-type=module", "-e", program], {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const started = { daemon, home, sleeps };
	// the processes may all run before there is a watchdog
	await once(daemon, "message");
	await eventually("all run", () => left(started).length === 5);
	return started;
}

function endAll({ sleeps }: WatchedDaemon): void {
	for (const time of Object.values(sleeps)) for (const pid of counted(time).pids) process.kill(pid, "SIGKILL");
}

test("a daemon is killed: its watchdog ends the processes of its agents, and no others", async () => {
	const killed = await world("");
	killed.daemon.kill("SIGKILL");
	await eventually("its processes are gone", () => left(killed).length === 1);
	expect(left(killed)).toEqual(["stranger"]);
	endAll(killed);
});

test("a daemon stands still: its watchdog ends it with the processes of its agents, also those without the home id", async () => {
	const frozen = await world('watchdog.goodFor(100); process.kill(process.pid, "SIGSTOP")');
	const ended = once(frozen.daemon, "exit");
	frozen.daemon.send("stand still");
	expect((await ended)[1]).toBe("SIGKILL");
	await eventually("its processes are gone", () => left(frozen).length === 1);
	expect(left(frozen)).toEqual(["stranger"]);
	const entry: unknown = JSON.parse(readFileSync(path.join(frozen.home, "daemon.log"), "utf8"));
	expect(entry).toMatchObject({
		level: "error",
		source: "nodes",
		text: expect.stringMatching(/stood still.*watchdog/),
	});
	endAll(frozen);
});

test("control: a daemon that stops says so, and its watchdog ends nothing", async () => {
	const stopped = await world("watchdog[Symbol.dispose](); process.exit(0)");
	const ended = once(stopped.daemon, "exit");
	stopped.daemon.send("stop");
	expect((await ended)[0]).toBe(0);
	expect(left(stopped)).toEqual(["inherits", "orphan", "cleared", "below", "stranger"]);
	endAll(stopped);
});
