// Does a slow disk stop the event loop? A tick every 5 ms while 8 writers keep the store committing, on a disk
// whose every fsync takes 20 ms (strace delays the system call), beside the same ticks with nothing to write.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Result } from "./table.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("./event-loop-daemon.ts", import.meta.url));
const fsyncMs = 20;

interface Lateness {
	p50: number;
	p99: number;
	max: number;
	commits: number;
}

export async function eventLoop(): Promise<Result[]> {
	const quiet = await measured([process.execPath, program, "quiet"]);
	const slow = await measured(slowed([process.execPath, program, "writing"]));
	const inline = await measured(slowed([process.execPath, program, "inline"]));
	const rows = [
		["nothing to write", quiet],
		["8 writers, store in its own thread", slow],
		["control: the same commits on the main thread", inline],
	] as const;
	// a blocked loop is late by an fsync; ours must stay far below that
	const value = slow.p99 / fsyncMs;
	return [
		{
			title: `Ticks of the event loop, every fsync delayed by ${fsyncMs} ms: how late, in ms`,
			columns: ["", "p50", "p99", "max", "commits"],
			rows: rows.map(([name, { p50, p99, max, commits }]) => [name, p50, p99, max, commits]),
			ratio: { name: "p99 lateness as a share of one fsync", value, target: "≤ 0.5", met: value <= 0.5 },
		},
	];
}

const slowed = (command: string[]): string[] => [
	"strace",
	"-f",
	"--seccomp-bpf",
	"-qq",
	"-o",
	"/dev/null",
	"-e",
	"trace=fsync,fdatasync",
	"-e",
	`inject=fsync,fdatasync:delay_enter=${fsyncMs * 1000}`,
	...command,
];

async function measured([command, ...args]: string[]): Promise<Lateness> {
	const { stdout } = await run(command ?? "", args);
	return JSON.parse(stdout);
}
