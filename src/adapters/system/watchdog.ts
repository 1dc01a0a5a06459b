// A small process beside the daemon that ends it when it stands still (SIGSTOP, a debugger, a machine without memory):
// then nobody freezes its agents' processes, and another node may replace it. Where the daemon was killed it ends what
// the kernel leaves of those. It is told for how long all is well, and is a shell, because it lives as long as the
// daemon and does nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { homeIdName } from "#contract/own-variables.ts";
import type { Log } from "#engine/ports/log.ts";
import type { Watchdog } from "#engine/ports/store-nodes.ts";

/** The daemon cannot say it itself, and its log is where people look for the reason. */
const endedText = "The daemon stood still: its watchdog ended it, and the processes of its agents";

/**
 * Its arguments: the daemon, the home id in its processes' environment, and the command that starts the next daemon, if
 * any. Each line says for how many seconds all is well, and the process sessions (`setsid`) of the agents' programs.
 * The last line of a daemon that stops is `bye`. Processes are those that `findProcesses` finds. The rounds are few:
 * the next daemon's processes have the same home id.
 */
const script = `daemon=$1 homeId=$2; shift 2
everyone() {
	for folder in /proc/[0-9]*; do
		stat=; while read -r part; do stat="$stat $part"; done < "$folder/stat"
		set -- \${stat##*) }
		[ $# -lt 4 ] || [ "$1" = Z ] || echo "\${folder#/proc/} $2 $4"
	done
}
round() {
	found=" " before=
	for file in $(grep -lsz "^${homeIdName}=$homeId\\$" /proc/[0-9]*/environ); do
		file=\${file#/proc/}; found="$found\${file%/environ} "
	done
	processes=$(everyone)
	while [ "$before" != "$found" ]; do
		before=$found
		while read -r pid parent session; do
			case $found in *" $pid "*) continue ;; esac
			case " $known " in *" $session "*) found="$found$pid " ;; esac
			case $found in *" $parent "* | *" $session "*) found="$found$pid " ;; esac
		done <<END
$processes
END
	done
	[ "$found" != " " ] || return 1
	kill -STOP $found; kill -9 $found; true
}
fired= timer= known=none
trap 'fired=1' USR1
while read -r seconds sessions; do
	[ -z "$timer" ] || kill "$timer"
	timer=
	[ "$seconds" = bye ] && exit
	known=\${sessions:-none}
	[ "$seconds" = never ] && continue
	{ sleep "$seconds"; kill -USR1 $$; } &
	timer=$!
done 2> /dev/null
{
	if [ -n "$fired" ]; then
		kill -9 "$daemon"
		echo '{"at":"'"$(date -u +%FT%T.000Z)"'","level":"error","source":"nodes","text":"${endedText}"}' >> daemon.log
	elif [ -n "$timer" ]; then kill "$timer"; fi
	for each in 1 2 3 4 5; do round || break; done
} 2> /dev/null
[ -z "$fired" ] || [ $# -eq 0 ] || exec "$@"`;

export interface WatchdogParts {
	home: string;
	homeId: string;
	/** those of the agents */
	processes: { processSessions: () => readonly number[] };
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
			const seconds = ms === null ? "never" : (Math.max(ms, 0) / 1000).toFixed(2);
			child.stdin?.write(`${[seconds, ...parts.processes.processSessions()].join(" ")}\n`);
		},
		[Symbol.dispose]() {
			child?.removeAllListeners("exit");
			child?.stdin?.end("bye\n");
			child = null;
		},
	};
}
