// Runs a shell command in the agent's folder.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { signalGroup } from "#adapters/system/process-group.ts";

const outputMax = 8 * 1024 * 1024;
/** The output so far is reported at this interval, so that it survives a crash; a longer one only at the end. */
const flushMs = 300;
const flushMax = 256 * 1024;
const graceMs = 300;

/** Returns its output; rejects with output and exit status if it failed. Aborting ends its process group. */
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
	child.stdout.setEncoding("utf8").on("data", take);
	child.stderr.setEncoding("utf8").on("data", take);
	let reported = 0;
	const flush = setInterval(() => {
		if (output.length === reported || output.length > flushMax) return;
		reported = output.length;
		soFar(output);
	}, flushMs);
	const stopped = Promise.withResolvers<void>();
	const stop = (): void => void endGroup(child).then(stopped.resolve);
	signal.addEventListener("abort", stop, { once: true });
	// processes that it left running may hold its output open, so a stopped command is not waited for
	await Promise.race([once(child, "close"), stopped.promise]);
	signal.removeEventListener("abort", stop);
	clearInterval(flush);
	if (dropped > 0) output += `\n[cut: ${dropped} more characters were put out than are kept]\n`;
	if (child.exitCode !== 0)
		throw new Error(
			`${output}${output === "" || output.endsWith("\n") ? "" : "\n"}[${child.signalCode ?? `exit ${child.exitCode}`}]`,
		);
	return output;
}

async function endGroup(child: ChildProcess): Promise<void> {
	const exit = child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
	signalGroup(child.pid, "SIGTERM");
	const timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), graceMs);
	await exit;
	clearTimeout(timer);
	signalGroup(child.pid, "SIGKILL");
}
