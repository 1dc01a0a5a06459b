// Finds and ends the processes that we started.
//
// A process is identified by pid and start time: a pid alone may have been reused. Every process of an agent inherits
// the home's id in its environment, which finds those that left their group, session and parent. Only processes with
// this home's id, and their descendants, are ever signalled. A process that clears its environment and leaves its
// parents is found only inside a PID namespace, where our reaper adopts orphans.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { attempt } from "./errors.ts";

export interface Process {
	pid: number;
	/** in clock ticks since boot, as the kernel tells it */
	startedAt: string;
	parent: number;
	session: number;
	environment: string;
}

/** A signal, and how long to wait for its effect before the next one. After the last comes KILL. */
export type Signals = readonly { name: NodeJS.Signals; waitMs: number }[];
export const quick: Signals = [{ name: "SIGTERM", waitMs: 500 }];
/** for tools that clean up on SIGINT */
export const graceful: Signals = [
	{ name: "SIGINT", waitMs: 2000 },
	{ name: "SIGTERM", waitMs: 2000 },
];

const pollMs = 15;
/** a process that survives the first SIGKILL this long cannot be ended */
const timeoutMs = 5000;

export function alive(): Process[] {
	// without /proc only the agents' own process groups are ended
	if (!existsSync("/proc/self/stat")) return [];
	return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
}

/** A file of a process in /proc; null if the process has ended or may not be read. */
const procFile = (pid: number, name: string): string | null =>
	attempt(() => readFileSync(`/proc/${pid}/${name}`, "latin1"), null);

function processOf(pid: number): Process | null {
	const stat = procFile(pid, "stat");
	if (stat === null) return null;
	// the program's name is in parentheses and may contain anything
	const [state, parent, , session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	if (state === "Z" || state === "X") return null;
	const environment = procFile(pid, "environ") ?? "";
	return { pid, startedAt: rest[15] ?? "", parent: Number(parent), session: Number(session), environment };
}

/** The command line, for people. */
export function commandOf(pid: number): string {
	const line = attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), null);
	return line === null ? "gone" : line.replaceAll("\0", " ").trim().slice(0, 200);
}

export const childrenOf = (pid: number): number[] =>
	(procFile(pid, `task/${pid}/children`)?.match(/\d+/g) ?? []).map(Number);

/** All processes with these variables, those in a session of one of them or of the roots, and everything below. */
export function findProcesses(variables: Readonly<Record<string, string>>, roots: readonly number[] = []): Process[] {
	const everyone = alive();
	const wanted = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	const carries = ({ environment }: Process): boolean => {
		const entries = environment.split("\0");
		return wanted.length > 0 && wanted.every((entry) => entries.includes(entry));
	};
	const found = new Map(
		everyone
			.filter((each) => carries(each) || roots.includes(each.pid) || roots.includes(each.session))
			.map((each) => [each.pid, each]),
	);
	for (let grew = true; grew; ) {
		const below = everyone.filter(
			(each) => !found.has(each.pid) && (found.has(each.parent) || found.has(each.session)),
		);
		for (const each of below) found.set(each.pid, each);
		grew = below.length > 0;
	}
	found.delete(process.pid);
	return [...found.values()];
}

/** The private memory of a process and its descendants. */
export function rssOf(pid: number): number {
	const [, kibibytes = "0"] = /^RssAnon:\s+(\d+) kB/m.exec(procFile(pid, "status") ?? "") ?? [];
	return childrenOf(pid).reduce((sum, child) => sum + rssOf(child), Number(kibibytes) * 1024);
}

/** Sends a signal, if the pid still belongs to the same process. */
export function signal(target: Process, name: NodeJS.Signals): void {
	if (processOf(target.pid)?.startedAt === target.startedAt) attempt(() => process.kill(target.pid, name), false);
}

/** Its pid in the namespace right below ours; null if it is in ours. */
export function innerPid(pid: number): number | null {
	const [, inner] = /^NSpid:\t\d+\t(\d+)/m.exec(procFile(pid, "status") ?? "") ?? [];
	return inner === undefined ? null : Number(inner);
}

export interface EndOptions {
	signals?: Signals;
	/** processes that get SIGKILL and nothing else */
	killOnly?(processOf: Process): boolean;
}

/**
 * Ends every process that `find` finds, SIGTERM before SIGKILL, and resolves when it finds none. Rejects if some cannot
 * be ended.
 */
export async function endAll(
	find: () => Process[],
	{ signals = quick, killOnly = () => false }: EndOptions = {},
): Promise<number> {
	const first = find();
	let left = first;
	for (const { name, waitMs } of signals) {
		for (const target of left) if (!killOnly(target)) signal(target, name);
		for (const until = performance.now() + waitMs; left.length > 0 && performance.now() < until; left = find())
			await pause(pollMs);
	}
	const deadline = performance.now() + timeoutMs;
	for (let rest = find(); rest.length > 0; rest = find()) {
		if (performance.now() > deadline)
			throw new Error(`These processes could not be ended: ${rest.map(({ pid }) => pid).join(", ")}.`);
		// frozen before it is killed, so that a fork bomb cannot outrun us
		for (const target of rest) signal(target, "SIGSTOP");
		for (const target of rest) signal(target, "SIGKILL");
		await pause(pollMs);
	}
	return first.length;
}
