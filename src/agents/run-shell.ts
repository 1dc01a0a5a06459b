// Running a shell command in the agent's folder, as one step of a turn.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { signalGroup } from "#adapters/system/process-group.ts";

const outputMax = 8 * 1024 * 1024;
/**
 * Now and then what there is so far is told, so that it survives whoever ends us; longer outputs are told only at the
 * end.
 */
const flushMs = 300;
const flushMax = 256 * 1024;
const graceMs = 300;

/**
 * Answers with what it printed; rejects with that and how it ended if it failed. Aborting ends it and all of its group.
 */
export async function runShell(
	command: string,
	signal: AbortSignal,
	soFar: (output: string) => void = () => {},
): Promise<string> {
	// who was stopped in the meantime begins nothing, and would hear of no stop any more
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
	let told = 0;
	const flush = setInterval(() => {
		if (output.length === told || output.length > flushMax) return;
		told = output.length;
		soFar(output);
	}, flushMs);
	const stopped = Promise.withResolvers<void>();
	const stop = (): void => void endGroup(child).then(stopped.resolve);
	signal.addEventListener("abort", stop, { once: true });
	// what it left running may hold its output open; a command that was stopped is not waited for any longer than that
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
