// A small process beside the daemon that ends it when it stands still (SIGSTOP, a debugger, a machine without memory):
// then nobody suspends its agents' processes, and another node may replace it. It is told for how long all is well, and
// is a shell, because it lives as long as the daemon and does nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { homeIdName } from "#contract/own-variables.ts";
import type { Log } from "#engine/ports/log.ts";
import type { Watchdog } from "#engine/ports/store-nodes.ts";

/**
 * Its arguments: the daemon, the home id in its processes' environment, and the command that starts the next daemon, if any. It ends when
 * the daemon closes the pipe.
 */
const script = `daemon=$1 homeId=$2; shift 2
fire() {
	kill -9 "$daemon"
	for file in $(grep -lsz "^${homeIdName}=$homeId\\$" /proc/[0-9]*/environ); do
		file=\${file#/proc/}; kill -9 "\${file%/environ}"
	done
}
fired=
trap 'fired=1' USR1
timer=
while read -r seconds; do
	[ -z "$timer" ] || kill "$timer"
	timer=
	[ "$seconds" = never ] && continue
	{ sleep "$seconds"; kill -USR1 $$; } &
	timer=$!
done 2> /dev/null
if [ -z "$fired" ]; then
	[ -z "$timer" ] || kill "$timer" 2> /dev/null
	exit
fi
fire 2> /dev/null
[ $# -eq 0 ] || exec "$@"`;

export interface WatchdogParts {
	home: string;
	homeId: string;
	/** starts the next daemon; empty where somebody else does */
	successor: readonly string[];
	environment: NodeJS.ProcessEnv;
	log: Log;
}

/** The process is started when it is first needed: a node that is alone has none. */
export function watchdogFor(parts: WatchdogParts): Watchdog & Disposable {
	let child: ChildProcess | null = null;
	const start = (): ChildProcess => {
		const out = openSync(path.join(parts.home, "daemon.out"), "a", 0o600);
		const started = spawn(
			"/bin/sh",
			["-c", script, "brood-watchdog", String(process.pid), parts.homeId, ...parts.successor],
			{
				detached: true,
				stdio: ["pipe", out, out],
				cwd: parts.home,
				env: parts.environment,
			},
		);
		closeSync(out);
		const lost = (error: Error): void => {
			if (child === started) child = null;
			parts.log.error("nodes", `The watchdog cannot be reached (${messageOf(error)}); it is started again`);
		};
		started.on("error", lost);
		started.on("exit", () => lost(new Error("it ended")));
		started.stdin?.on("error", expected("its end is reported"));
		started.unref();
		return started;
	};
	return {
		goodFor(ms) {
			if (child === null && ms === null) return;
			child ??= start();
			child.stdin?.write(ms === null ? "never\n" : `${(Math.max(ms, 0) / 1000).toFixed(2)}\n`);
		},
		[Symbol.dispose]() {
			child?.removeAllListeners("exit");
			child?.stdin?.end();
			child = null;
		},
	};
}
