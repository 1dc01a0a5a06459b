// Containment of processes that are not ours: agents, and the commands of projects.
//
// Both stronger levels put them into a PID namespace with its own /proc. They see no process outside, so they cannot read
// the daemon's environment. When the namespace's first process ends, the kernel kills everything in it:
//
//     the daemon
//      └─ outside   bwrap or unshare, started by us; the kernel kills it when the daemon dies
//          └─ 1     a reaper; the kernel kills it, and the rest, when the process outside dies
//              └─ 2 the program; when it ends, the reaper ends
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
		mounts === null ? wrappers[level]() : ([...(isClosed ? filtered : bubblewrap), ...mountsOf(mounts), "--"] as const);
	const [first, ...rest] = [...wrapper, "/bin/sh", "-c", lifeline, "sh", command, ...args];
	const filter = isClosed ? [callFilterFile()] : [];
	return {
		command: first,
		args: rest,
		pipes: { stdio: ["pipe", "ignore", "pipe", "pipe", "pipe", ...filter], output: 4, lifeline: 3 },
	};
}

const bubblewrap = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid"] as const;
/** Processes share the position of an inherited file, so the filter is opened again. */
const filtered = ["/bin/sh", "-c", 'exec "$@" 5</proc/self/fd/5', "sh", ...bubblewrap, "--seccomp", "5"] as const;

const wrappers: Record<Exclude<ContainmentLevel, "groups">, () => readonly [string, ...string[]]> = {
	bubblewrap: () => [...bubblewrap, "--dev-bind", "/", "/", "--proc", "/proc", "--"],
	namespace: () => [
		...(["setpriv", "--pdeathsig", "KILL", "unshare"] as const),
		// root needs no user namespace, and could not become another user inside of one
		...(process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"]),
		...["--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "slave", "--"],
		// a shell that waits for its child adopts orphans; the `exit` keeps it from replacing itself with the child
		...["setsid", "/bin/sh", "-c", '"$@"; exit $?', "sh"],
	],
};

// A daemon that dies while the wrapper sets up its protection would leave a program that nobody ends. So a watcher inside
// waits until the daemon says that the program is up, and kills everything if the pipe closes first. The pid is checked
// before: `kill -1` must only run in this namespace. The program's output is a separate pipe, so that we notice when it is
// closed; bubblewrap closes its copy, unshare does not.
const lifeline =
	'[ $$ = 2 ] || exit 1; ((read -r up <&3 || kill -KILL -1) 2>/dev/null 4>&- &); exec "$@" 3<&- >&4 4>&-';

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
