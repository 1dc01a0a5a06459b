// Processes that we started, and how to be sure that they are gone.
//
// A process is known by its pid and its start time: a pid alone may have been reused. Every process of an
// agent inherits a mark in its environment, so that also those that left their group, their session and their parent
// are found. Nothing is ever signalled that does not carry this home's mark or descend from a process that does. One
// that throws its environment away and leaves its parents as well is only found inside a PID namespace, where orphans
// fall to a reaper that is ours.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** The name of the mark; its value is the home's random id. */
export const markName = "BROOD_MARK";

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
/** for tools that tidy up after themselves */
export const graceful: Signals = [
	{ name: "SIGINT", waitMs: 2000 },
	{ name: "SIGTERM", waitMs: 2000 },
];

const lookMs = 15;
/** a process that is still there this long after the first KILL cannot be ended */
const deadlineMs = 5000;

export function alive(): Process[] {
	// elsewhere than on Linux only the agents' own process groups are ended
	if (!existsSync("/proc/self/stat")) return [];
	return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
}

function processOf(pid: number): Process | null {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		// the program's name is in parentheses and may contain anything
		const [state, parent, , session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		if (state === "Z" || state === "X") return null;
		return {
			pid,
			startedAt: rest[15] ?? "",
			parent: Number(parent),
			session: Number(session),
			environment: environmentOf(pid),
		};
	} catch {
		return null;
	}
}

function environmentOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1");
	} catch {
		return "";
	}
}

/** As it was started, for people. */
export function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim().slice(0, 200);
	} catch {
		return "gone";
	}
}

/** All processes with these variables, those in a session of one of the roots, and everything below them. */
export function findTree(variables: Readonly<Record<string, string>>, roots: readonly number[] = []): Process[] {
	const everyone = alive();
	const marks = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	const carries = ({ environment }: Process): boolean => {
		const entries = environment.split("\0");
		return marks.length > 0 && marks.every((mark) => entries.includes(mark));
	};
	const found = new Map(
		everyone
			.filter((each) => carries(each) || roots.includes(each.pid) || roots.includes(each.session))
			.map((each) => [each.pid, each]),
	);
	for (let grew = true; grew; ) {
		const below = everyone.filter((each) => !found.has(each.pid) && found.has(each.parent));
		for (const each of below) found.set(each.pid, each);
		grew = below.length > 0;
	}
	found.delete(process.pid);
	return [...found.values()];
}

/** What a process and all below it have in memory for themselves. */
export function rssOf(pid: number): number {
	try {
		const [, kibibytes = "0"] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
		const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").match(/\d+/g) ?? [];
		return children.reduce((sum, child) => sum + rssOf(Number(child)), Number(kibibytes) * 1024);
	} catch {
		return 0;
	}
}

/** Sends a signal, if the pid still belongs to the process that we mean. */
export function signal(target: Process, name: NodeJS.Signals): void {
	if (processOf(target.pid)?.startedAt !== target.startedAt) return;
	try {
		process.kill(target.pid, name);
	} catch {
		// it ended in between
	}
}

/** Its pid in the namespace right below ours; null if it is in ours. */
export function innerPid(pid: number): number | null {
	try {
		const [, inner] = /^NSpid:\t\d+\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
		return inner === undefined ? null : Number(inner);
	} catch {
		return null;
	}
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
			await pause(lookMs);
	}
	const deadline = performance.now() + deadlineMs;
	for (let rest = find(); rest.length > 0; rest = find()) {
		if (performance.now() > deadline)
			throw new Error(`These processes could not be ended: ${rest.map(({ pid }) => pid).join(", ")}.`);
		// stopped before it is killed, so that a storm of forks cannot outrun us
		for (const target of rest) signal(target, "SIGSTOP");
		for (const target of rest) signal(target, "SIGKILL");
		await pause(lookMs);
	}
	return first.length;
}
