// Containment of processes that are not ours: agents, and the commands of projects.
//
// Both stronger levels put them into a PID namespace with its own /proc. They see no process outside, so they cannot read
// the daemon's environment. When the namespace's first process ends, the kernel kills everything in it:
//
//     the daemon
//      └─ outside   bwrap or unshare, started by us; the kernel kills it when the daemon dies
//          └─ 1     a reaper in the group of the process outside; the kernel kills it, and the rest, when that dies
//              └─ 2 the program, in its own session; when it ends, the reaper ends
//
// That alone is no sandbox: file system, network and user are the same inside. With mounts it is one.

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
		args: ["-c", outside, "sh", ...wrapper, "/bin/sh", "-c", 'exec "$@" >&4 4>&-', "sh", command, ...args],
		pipes: {
			stdio: ["pipe", "ignore", "pipe", "pipe", "pipe", ...(isClosed ? [callFilterFile()] : [])],
			output: 4,
			lifeline: 3,
		},
	};
}

// The wrappers ask the kernel for help step by step. A daemon that dies in between would leave processes that nobody ends:
// a program whose reaper has not asked yet, or bubblewrap's inner process, which waits without end for a word of its outer
// one. So a watcher outside reads from a pipe until the daemon says that the program is up. If the pipe closes first, it
// kills its process group: the wrapper, the reaper, and with the reaper everything inside. The watcher belongs to the group,
// so its number cannot be another group's. It holds none of the program's pipes, so that we notice when they are closed.
// Processes share the position of an inherited file, so the filter of system calls (5) is opened again.
const watched =
	'((trap "" HUP INT TERM; read -r up <&3 || kill -KILL -$$) </dev/null >/dev/null 2>&1 4>&- 5<&- &); exec "$@" 3<&-';

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
