// `brood down` and `brood restart`.
import { setTimeout as pause } from "node:timers/promises";
import { Refused } from "#client/client.ts";
import { fullName } from "#contract/full-name.ts";
import { refuse } from "#contract/refusal.ts";
import type { Status } from "#contract/wire.ts";
import { holdersOf } from "#local/lock-holders.ts";
import { drainSignal } from "#local/signals.ts";
import { allowStart, givenAddress, homeOf, running } from "./connect.ts";
import { startProblem } from "./daemon-check.ts";
import { isRunning } from "./is-running.ts";
import { print, printData, printError, printToStderr } from "./print.ts";
import { retryCommand } from "./project-here.ts";
import { statusLine } from "./status.ts";

/** the daemon allows its turns ten seconds and itself ten more */
const downMs = 30_000;
const turnsMs = 10_000;

interface DownOptions {
	json?: boolean | undefined;
	/** wait for the running turns, however long they take */
	drain?: boolean | undefined;
	/** interrupt the running turns at once */
	now?: boolean | undefined;
	/** print no answer */
	quiet?: boolean;
}

/** Returns when the daemon has exited. */
export async function down(options: DownOptions): Promise<void> {
	try {
		// an agent's, whose PID namespace has other pids, or one on another machine
		if (givenAddress() !== null)
			throw new Refused(refuse("FORBIDDEN", "BROOD_URL names a daemon: only its own machine stops it."));
		const found = await findDaemon();
		const say = options.json === true ? () => {} : printToStderr;
		// one that does not answer is not asked again
		const busy = found !== null && "version" in found ? await runningTurns() : [];
		if (busy.length > 0) say(whatHappensTo(busy, options, await retryOf(busy)));
		const how = found === null ? null : await end(found.pid, options, { busy, say });
		if (options.quiet === true) return;
		if (options.json === true) printData(found);
		else print(found === null ? "no daemon was running" : `${how} (pid ${found.pid})`);
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	}
}

/** Stops the daemon, if it runs, and starts it again with the installed program; not if its configuration is wrong. */
export async function restart(options: Omit<DownOptions, "quiet">): Promise<void> {
	const wrong = givenAddress() === null ? startProblem(homeOf()) : null;
	if (wrong !== null) {
		const refusal = refuse("VALIDATION_ERROR", `${wrong}\nThe daemon was not stopped.`);
		process.exitCode = printError(new Refused(refusal), options.json === true);
		return;
	}
	await down({ ...options, quiet: true });
	if (process.exitCode) return;
	allowStart();
	const { act } = await import("./act.ts");
	await act(options, async ({ client }) => await client.call("status"), statusLine);
}

/** Ctrl+C ends the command. The daemon has its signal and goes on stopping. */
function leave(pid: number, busy: readonly RunningTurn[], { drain, quiet }: DownOptions): never {
	const restarts = quiet === true ? " and is not started again: `brood up` starts it" : "";
	const other = drain === true ? "" : "`brood down --drain` lets the running turns end, ";
	const turns = busy.length === 0 ? "" : `; ${other}\`brood down --now\` interrupts them`;
	printToStderr(`The daemon (pid ${pid}) goes on stopping${restarts}${turns}.`);
	process.exit(130);
}

async function retryOf(busy: readonly RunningTurn[]): Promise<string> {
	const found = await running().catch(() => null);
	return found === null ? "brood turn retry --all" : await retryCommand(found, busy);
}

function whatHappensTo(busy: readonly RunningTurn[], { drain, now }: DownOptions, retry: string): string {
	const [names, waiting] = [true, false].map((isHanded) =>
		busy.filter((turn) => turn.isHanded === isHanded).map(nameIn),
	);
	const [turns, them] = names?.length === 1 ? ["turn", "it"] : ["turns", "them"];
	if (drain === true)
		return `Waiting for the turns of ${busy.map(nameIn).join(", ")} to end; \`brood down --now\` interrupts them.`;
	const of = names?.join(", ");
	const ending =
		now === true
			? `Interrupting the ${turns} of ${of}; \`${retry}\` runs ${them} again.`
			: `Waiting up to ${turnsMs / 1000} s for the ${turns} of ${of}; what is not over by then is interrupted, and \`${retry}\` runs it again.`;
	return [
		...(of === "" ? [] : [ending]),
		...(waiting ?? []).map(
			(name) => `${name} has not begun: its prompt goes back to the queue and runs after the next start.`,
		),
	].join("\n");
}

interface RunningTurn {
	name: string;
	project: string | null;
	asks: boolean;
	/** its program has the prompt; otherwise the prompt goes back to the queue */
	isHanded: boolean;
}

const nameIn = ({ name, asks }: RunningTurn): string => `${name}${asks ? " (asks for an approval)" : ""}`;

/** The open turns that have a process of this daemon's; empty if it does not answer. */
async function runningTurns(): Promise<RunningTurn[]> {
	const { client, status } = (await running().catch(() => null)) ?? {};
	const own = status?.nodeName ?? null;
	const [agents = [], nodes = []] = await Promise.all([
		client?.call("agents").catch(() => []),
		own === null ? [] : client?.call("nodes").catch(() => []),
	]);
	const isOfAnother = (id: string | null): boolean => nodes.some((node) => node.id === id && node.name !== own);
	const busy = agents.flatMap(({ id, turn, type, node, ...agent }) =>
		turn === null || type === "human" || isOfAnother(node)
			? []
			: [{ id, turn, name: fullName(agent), project: agent.project }],
	);
	return await Promise.all(
		busy.map(async ({ id, turn, ...named }) => {
			const query = { agent: id, kind: "turn.handed", after: turn.id, limit: 1 };
			const handed = await client?.call("journal", { query }).catch(() => null);
			return { ...named, asks: turn.phase === "approval", isHanded: handed?.events.length !== 0 };
		}),
	);
}

/** Finds the daemon by its status, or, if it does not answer or its files are gone, by its lock on the home. */
async function findDaemon(): Promise<Status | { pid: number; home: string } | null> {
	const home = homeOf();
	const status = await statusIfAnswering();
	const [pid] = holdersOf(home) ?? [];
	if (status === null) return pid === undefined ? null : { pid, home };
	if (pid !== undefined && pid !== status.pid) return { pid, home };
	if (pid === undefined && holdersOf(home) !== null)
		throw new Refused(
			refuse(
				"FORBIDDEN",
				`The daemon (pid ${status.pid}) is out of reach from here: it runs in another container or for another user. Stop it there.`,
			),
		);
	return status;
}

async function statusIfAnswering(): Promise<Status | null> {
	try {
		return (await running({ anyContract: true }))?.status ?? null;
	} catch (error) {
		if (error instanceof Refused && error.refusal.code === "TIMEOUT") return null;
		throw error;
	}
}

async function end(
	pid: number,
	options: DownOptions,
	{ busy, say }: { busy: readonly RunningTurn[]; say: (text: string) => void },
): Promise<string> {
	const { drain, now } = options;
	const onInterrupt = (): never => leave(pid, busy, options);
	process.once("SIGINT", onInterrupt);
	try {
		process.kill(pid, drain === true ? drainSignal : "SIGTERM");
		// a frozen process (SIGSTOP) would never handle it
		process.kill(pid, "SIGCONT");
		// the second signal interrupts the turns that the first one lets end
		if (now === true) process.kill(pid, "SIGINT");
		if (drain === true) await untilDrained(pid, say);
		if (await isGone(pid)) return "stopped";
		// another command may have told it to wait for the turns
		if (busy.length > 0 && (await untilDrained(pid, say)) && (await isGone(pid))) return "stopped";
		// acknowledged events are on the disk, so nothing is lost
		process.kill(pid, "SIGKILL");
		while (isRunning(pid)) await pause(20);
		return `did not stop within ${downMs / 1000} s and was killed`;
	} finally {
		process.removeListener("SIGINT", onInterrupt);
	}
}

async function isGone(pid: number): Promise<boolean> {
	for (const until = performance.now() + downMs; performance.now() < until; await pause(20))
		if (!isRunning(pid)) return true;
	return false;
}

/** Says which turns are left whenever that changes. False if there were none. */
async function untilDrained(pid: number, say: (text: string) => void): Promise<boolean> {
	let before = "";
	for (; isRunning(pid); await pause(500)) {
		const left = await runningTurns();
		if (left.length === 0) break;
		const text = left.map(nameIn).join(", ");
		if (before !== "" && text !== before) say(`Still running: ${text}.`);
		before = text;
	}
	return before !== "";
}
