// What keeps an agent's processes together: the kernel where it can, our marks and sessions where it cannot.
//
// Both stronger levels put the agent into a PID namespace with a /proc of its own. It cannot see a process outside, so
// it cannot read the daemon's environment, and when the namespace's first process goes, everything in it goes, whatever
// it did to its parents, its session or its environment:
//
//     the daemon
//      └─ outside   bwrap or unshare: the process that we started; the kernel kills it when the daemon dies
//          └─ 1     a reaper; the kernel kills it, and all the rest, when the one outside dies
//              └─ 2 the agent's program; when it ends, the reaper ends
//
// It is no sandbox: the file system, the network and the user are the same inside.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ContainmentLevel } from "#contract/config.ts";
import { environmentFor } from "./environment.ts";

export interface Command {
	command: string;
	args: readonly string[];
}

/** Strongest first. */
const byKernel = ["bubblewrap", "namespace"] as const;
const probeMs = 10_000;

/** The level in force, or why the one that was asked for is not to be had. */
export type Found = { level: ContainmentLevel } | { reason: string };

/** Finds out by trying, with what an agent would get of this environment. */
export async function findContainment(asked: ContainmentLevel | "auto", environment: NodeJS.ProcessEnv): Promise<Found> {
	for (const level of byKernel) {
		if (asked !== "auto" && asked !== level) continue;
		const reason = await failure(level, environment);
		if (reason === null) return { level };
		if (asked === level) return { reason };
	}
	return { level: "groups" };
}

/** How to start it, and which of its pipes is for what. */
interface Contained extends Command {
	pipes: { stdio: readonly ("pipe" | "ignore")[]; output: number; lifeline: number | null };
}

/** The command line that runs a program inside; `groups` needs nothing. */
export function contained(level: ContainmentLevel, { command, args }: Command): Contained {
	if (level === "groups") return { command, args, pipes: { stdio: ["pipe", "pipe", "pipe"], output: 1, lifeline: null } };
	const [first, ...rest] = [...walls[level](), "/bin/sh", "-c", lifeline, "sh", command, ...args];
	return { command: first, args: rest, pipes: { stdio: ["pipe", "ignore", "pipe", "pipe", "pipe"], output: 4, lifeline: 3 } };
}

const walls: Record<(typeof byKernel)[number], () => [string, ...string[]]> = {
	bubblewrap: () => ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc", "--"],
	namespace: () => [
		...(["setpriv", "--pdeathsig", "KILL", "unshare"] as const),
		// root needs no user namespace, and could not become another user inside of one
		...(process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"]),
		...["--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "slave", "--"],
		// a shell that waits for a child takes in every orphan as well; what follows the child keeps it from becoming it
		...["setsid", "/bin/sh", "-c", '"$@"; exit $?', "sh"],
	],
};

// The kernel is asked for its help step by step, and a daemon that dies between two steps would leave an agent that nobody
// ends. So a watcher waits inside until the daemon says that the agent is up, and ends everything if it never can. The
// process number is checked first: `kill -1` is meant for this namespace only. The agent's output is not the wall's, so that
// we hear when it is closed; bubblewrap lets go of it, unshare does not.
const lifeline = '[ $$ = 2 ] || exit 1; ((read -r up <&3 || kill -KILL -1) 2>/dev/null 4>&- &); exec "$@" 3<&- >&4 4>&-';

/** Null if a command really runs inside, as this user and with a /proc of its own. */
async function failure(level: (typeof byKernel)[number], environment: NodeJS.ProcessEnv): Promise<string | null> {
	const { command, args, pipes } = contained(level, { command: "/bin/sh", args: ["-c", look] });
	const child = spawn(command, [...args], { env: environmentFor({}, environment), stdio: [...pipes.stdio], detached: true, timeout: probeMs });
	for (const pipe of child.stdio) pipe?.on("error", () => {});
	try {
		const [said, errors] = await Promise.all([heard(child.stdio[pipes.output]), heard(child.stderr), once(child, "close")]);
		const [self, own, user, namespace] = said.trim().split(" ");
		const inside = self === "2" && own === "2" && user === String(process.getuid?.()) && namespace !== readlinkSync("/proc/self/ns/pid");
		return inside ? null : errors.trim() || `it does not contain anything (${said.trim()})`;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

const heard = async (stream: unknown): Promise<string> => (stream instanceof Readable ? await text(stream) : "");
const look = 'read -r own rest </proc/self/stat; echo "$$ $own $(id -u) $(readlink /proc/self/ns/pid)"';
