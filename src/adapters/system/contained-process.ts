// Starts a program under containment.
import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { ContainmentLevel } from "#contract/config.ts";
import { expected } from "#contract/log.ts";
import { type CommandLine, containedCommand } from "./containment.ts";
import type { SandboxMounts } from "./mounts.ts";

export interface ContainedStart extends CommandLine {
	containment: ContainmentLevel;
	/** unrestricted if null */
	mounts: SandboxMounts | null;
	folder?: string;
	environment: Readonly<Record<string, string>>;
	/** no standard input */
	noInput?: boolean;
}

export interface ContainedProcess {
	child: ChildProcess;
	/** the number of the program's standard output outside of its containment */
	outputNumber: number;
	output: Readable;
	/** While it is open and nothing was written to it, the death of the daemon or of the wrapper ends everything. */
	lifeline: Writable | null;
}

/** `exit` and `error` of the child report its end, and so does the end of `output`. */
export function startContained(wanted: ContainedStart): ContainedProcess {
	const { containment, mounts, folder, environment, noInput = false } = wanted;
	const { command, args, pipes } = containedCommand(containment, wanted, mounts);
	const child = spawn(command, [...args], {
		...(folder !== undefined && { cwd: folder }),
		env: { ...environment },
		stdio: noInput ? ["ignore", ...pipes.stdio.slice(1)] : [...pipes.stdio],
		// signals of the daemon's terminal do not reach it, and the watcher of the lifeline has a group to kill
		detached: true,
	});
	child.on("error", expected("a program that cannot be started is reported as well"));
	for (const pipe of child.stdio) pipe?.on("error", expected("the end of the process is reported"));
	const lifeline = pipes.lifeline === null ? null : child.stdio[pipes.lifeline];
	// the watcher is outside, and a wrapper that dies during its start leaves its inner process to it
	child.once("exit", () => lifeline?.destroy());
	const output = child.stdio[pipes.output];
	if (!(output instanceof Readable)) throw new Error("a program without an output");
	return { child, outputNumber: pipes.output, output, lifeline: lifeline instanceof Writable ? lifeline : null };
}
