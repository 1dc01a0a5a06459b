// Running a shell command in the agent's folder, as one step of a turn.
import { spawn } from "node:child_process";
import { once } from "node:events";

const outputMax = 1024 * 1024;

/** Answers with what it printed; rejects with that and the exit code if it failed. Aborting ends it. */
export async function runCommand(command: string, signal: AbortSignal, on: (text: string) => void = () => {}): Promise<string> {
	const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	const take = (chunk: Buffer): void => {
		const text = chunk.toString();
		if (output.length < outputMax) output += text;
		on(text);
	};
	child.stdout.on("data", take);
	child.stderr.on("data", take);
	const stop = (): void => void child.kill("SIGTERM");
	signal.addEventListener("abort", stop, { once: true });
	await once(child, "close");
	signal.removeEventListener("abort", stop);
	if (child.exitCode !== 0) throw new Error(`${output}${output === "" || output.endsWith("\n") ? "" : "\n"}[${child.signalCode ?? `exit ${child.exitCode}`}]`);
	return output;
}
