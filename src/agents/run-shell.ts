// Runs a shell command in the agent's folder.
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as pause, setImmediate as polled } from "node:timers/promises";
import { endGroup, signalGroup } from "#adapters/system/process-group.ts";

const outputMax = 8 * 1024 * 1024;
/** The output so far is reported at this interval, so that it survives a crash; a longer one only at the end. */
const flushMs = 300;
const flushMax = 256 * 1024;
const graceMs = 300;
/** A command that has ended is read on until nothing has come for this long, at most for the longer time. */
const quietMs = 100;
const drainMs = 2000;

/**
 * Returns its output when the command itself has ended; rejects with output and exit status if it failed. Processes
 * that it left in the background may hold its output open; they are not waited for. Aborting ends its process group.
 */
export async function runShell(
	command: string,
	signal: AbortSignal,
	soFar: (output: string) => void = () => {},
): Promise<string> {
	// an aborted signal would not fire again
	if (signal.aborted) throw new Error("stopped");
	const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"], detached: true });
	let output = "";
	let dropped = 0;
	const take = (chunk: string): void => {
		const remaining = Math.max(0, outputMax - output.length);
		output += chunk.slice(0, remaining);
		dropped += Math.max(0, chunk.length - remaining);
	};
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", take);
	let reported = 0;
	const flush = setInterval(() => {
		if (output.length === reported || output.length > flushMax) return;
		reported = output.length;
		soFar(output);
	}, flushMs);
	const stopped = Promise.withResolvers<void>();
	const stop = (): void => void endAll(child).then(stopped.resolve);
	signal.addEventListener("abort", stop, { once: true });
	const hasLeft = await Promise.race([
		once(child, "close").then(() => false),
		once(child, "exit").then(async () => await quiet(child)),
		stopped.promise.then(() => false),
	]);
	for (const stream of [child.stdout, child.stderr]) stream.off("data", take).resume();
	signal.removeEventListener("abort", stop);
	clearInterval(flush);
	if (hasLeft) output = `${asLines(output)}[processes that it left in the background end with the turn]\n`;
	if (dropped > 0) output += `\n[truncated: ${dropped} more characters were printed]\n`;
	if (child.exitCode !== 0) throw new Error(`${asLines(output)}[${child.signalCode ?? `exit ${child.exitCode}`}]`);
	return output;
}

const asLines = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/**
 * Resolves when everything that the ended command wrote has been read. True if another process holds its output open.
 */
async function quiet({ stdout, stderr }: ChildProcessByStdio<null, Readable, Readable>): Promise<boolean> {
	const read = (): number => Number(Reflect.get(stdout, "bytesRead")) + Number(Reflect.get(stderr, "bytesRead"));
	const end = performance.now() + drainMs;
	for (let before = -1; before !== read() && performance.now() < end; ) {
		before = read();
		await pause(quietMs);
		// after a stall of this process, what waits in the pipe is read before the count is compared
		await polled();
	}
	await polled();
	return !(stdout.readableEnded && stderr.readableEnded);
}

async function endAll(child: ChildProcess): Promise<void> {
	const exit = child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
	const ended = endGroup(child.pid, graceMs);
	await exit;
	ended();
	signalGroup(child.pid, "SIGKILL");
}
