// Containment of processes that are not ours: agents, and the commands of projects.
//
// Both stronger levels put them into a PID namespace with its own /proc. They see no process outside, so they cannot
// read the daemon's environment. When the namespace's first process ends, the kernel kills everything in it:
//
//     the daemon
//      └─ outside   bwrap or unshare, started by us; the kernel kills it when the daemon dies
//          └─ 1     a reaper in the group of the process outside; the kernel kills it, and the rest, when that dies
//              └─ 2 the program, in its own session; when it ends, the reaper ends
//
// That alone is not a sandbox: file system, network and user are the same inside. With mounts it is one.

import type { ContainmentLevel } from "#contract/config.ts";
import { isKeptOut } from "#contract/environment.ts";
import { mountsOf, type SandboxMounts } from "./mounts.ts";
import { desktopVariables } from "./private-paths.ts";
import { callFilterFile } from "./system-calls.ts";

export interface CommandLine {
	command: string;
	args: readonly string[];
}

/** How to start it, and which pipe has which purpose. */
export interface ContainedCommand extends CommandLine {
	pipes: { stdio: readonly ("pipe" | "ignore" | number)[]; output: number; lifeline: number | null };
}

/** The command line that runs a program inside; `groups` needs nothing, and only bubblewrap supports mounts. */
export function containedCommand(
	level: ContainmentLevel,
	{ command, args }: CommandLine,
	mounts: SandboxMounts | null = null,
): ContainedCommand {
	if (mounts !== null && level !== "bubblewrap") throw new Error(`${level} cannot mount anything`);
	if (level === "groups")
		return { command, args, pipes: { stdio: ["pipe", "pipe", "pipe"], output: 1, lifeline: null } };
	const isClosed = mounts !== null && mounts.open !== true;
	const wrapper =
		mounts === null
			? wrappers[level]()
			: [...bubblewrap, ...(isClosed ? ["--seccomp", "5"] : []), ...mountsOf(mounts), "--"];
	const outside = isClosed ? `${watched} 5</proc/self/fd/5` : watched;
	return {
		command: "/bin/sh",
		args: ["-c", outside, "sh", ...wrapper, "/bin/sh", "-c", inside, "sh", command, ...args],
		pipes: {
			stdio: ["pipe", "ignore", "pipe", "pipe", "pipe", ...(isClosed ? [callFilterFile()] : [])],
			output: 4,
			lifeline: 3,
		},
	};
}

// The wrappers ask the kernel for help step by step. A daemon that dies in between would leave processes that nobody
// ends. So two watchers read from a pipe until the daemon says that the program is up, and kill if the pipe closes
// first:
//
//   outside, the wrapper's process group: bubblewrap's inner process at first waits without end for a message from its
//            outer one. The watcher belongs to the group, so its number cannot be another group's
//   inside,  the namespace: later the inner process has left that group, and asks the kernel only when it is the
//            reaper. The pid is checked before, because `kill -1` must only run in this namespace
//
// They hold none of the program's pipes, so that we notice when those are closed. Processes share the position of an
// inherited file, so the filter of system calls (5) is opened again.
const watched =
	'((trap "" HUP INT TERM; read -r up <&3 || kill -KILL -$$) </dev/null >/dev/null 2>&1 4>&- 5<&- &); exec "$@"';
const inside = '[ $$ = 2 ] || exit 1; ((read -r up <&3 || kill -KILL -1) 2>/dev/null 4>&- &); exec "$@" 3<&- >&4 4>&-';

/** What the daemon writes when the program is up: a line for each watcher. */
export const upText = "up\nup\n";

const bubblewrap = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid"] as const;

const wrappers: Record<Exclude<ContainmentLevel, "groups">, () => readonly string[]> = {
	bubblewrap: () => [...bubblewrap, "--dev-bind", "/", "/", "--proc", "/proc", "--"],
	namespace: () => [
		...["setpriv", "--pdeathsig", "KILL", "unshare"],
		// root needs no user namespace, and could not become another user inside of one
		...(process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"]),
		...["--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "slave", "--"],
		// a shell that waits for its child adopts orphans; the `exit` keeps it from replacing itself with the child
		...["/bin/sh", "-c", '"$@"; exit $?', "sh", "setsid"],
	],
};

/** The user's caches are read-only inside, because an agent could poison them for others. */
const caches = { XDG_CACHE_HOME: "/tmp/cache", npm_config_cache: "/tmp/cache/npm" };

/** The environment of a program in a sandbox. */
export function sandboxEnvironment(
	environment: Readonly<Record<string, string>>,
	mounts: SandboxMounts | null,
): Record<string, string> {
	if (mounts === null || mounts.open === true) return { ...environment };
	return {
		...Object.fromEntries(
			Object.entries(environment).filter(([name]) => !desktopVariables.includes(name) && !isKeptOut(name)),
		),
		...caches,
		...mounts.environment,
	};
}
