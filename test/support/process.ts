// Running one of our test programs as a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { testProgram } from "./programs.ts";

export interface Ran {
	lines: string[];
	code: number | null;
	signal: string | null;
	errors: string;
}

/** `node <program> <args>`, behind the words of `through` if there are any; `watch` sees each line and the process. */
export async function runProgram(
	program: string,
	args: readonly string[],
	options: {
		through?: readonly string[];
		watch?: (line: string, child: ChildProcess) => void;
		input?: Promise<string>;
	} = {},
): Promise<Ran> {
	const [command = process.execPath, ...rest] = [
		...(options.through ?? []),
		process.execPath,
		testProgram(program),
		...args,
	];
	const child = spawn(command, rest, { stdio: ["pipe", "pipe", "pipe"] });
	const ran: Ran = { lines: [], code: null, signal: null, errors: "" };
	let tail = "";
	child.stdout.on("data", (chunk: Buffer) => {
		const lines = (tail + chunk.toString()).split("\n");
		tail = lines.pop() ?? "";
		for (const line of lines) {
			ran.lines.push(line);
			options.watch?.(line, child);
		}
	});
	child.stderr.on("data", (chunk: Buffer) => {
		ran.errors += chunk.toString();
	});
	void options.input?.then((text) => child.stdin.end(text));
	await once(child, "close");
	return { ...ran, code: child.exitCode, signal: child.signalCode };
}
