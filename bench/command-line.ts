// A release: what a command takes beside an empty program of the same Node, and the memory of an idle daemon.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { residentMib } from "./memory.ts";
import { median, type Result } from "./table.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const brood = path.join(root, "dist/brood.cjs");
const commands = [["--version"], ["--help"], ["ps"]];
const rounds = 15;

export async function commandLine(): Promise<Result[]> {
	await run(process.execPath, ["tools/build.ts"], { cwd: root });
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	const env = { PATH: process.env["PATH"], HOME: home, BROOD_HOME: path.join(home, "home"), BROOD_PORT: "0" };
	const timed = async (args: string[]): Promise<number> => {
		const start = performance.now();
		await run(process.execPath, args, { env });
		return performance.now() - start;
	};
	try {
		await run(process.execPath, [brood, "up"], { env });
		const cases = [["-e", ""], ...commands.map((words) => [brood, ...words])];
		const times = cases.map((): number[] => []);
		// in turn, so that noise hits all alike; the first round fills the compile cache
		for (let round = 0; round <= rounds; round++)
			for (const [at, args] of cases.entries()) {
				const ms = await timed(args);
				if (round > 0) times[at]?.push(ms);
			}
		const [bare = 1, ...ours] = times.map((all) => median(all));
		const rows = commands.map((words, at) => [`brood ${words.join(" ")}`, ours[at] ?? 0, (ours[at] ?? 0) / bare]);
		const value = Math.max(...rows.map((row) => Number(row[2])));
		return [
			{
				title: "A command of a release, the whole process, ms",
				columns: ["", "median", "beside node -e ''"],
				rows: [["node -e ''", bare, 1], ...rows],
				ratio: { name: "the slowest beside node -e ''", value, target: "≤ 2", met: value <= 2 },
			},
			...(await idleMemory(env.BROOD_HOME)),
		];
	} finally {
		await run(process.execPath, [brood, "down"], { env });
		rmSync(home, { recursive: true, force: true });
	}
}

/** the daemon returns memory in its first idle seconds */
const idleMs = 15_000;

/**
 * Where the kernel tells: of the resident memory, Node's own program is shared with every other process that runs it.
 */
async function idleMemory(home: string): Promise<Result[]> {
	const { pid } = JSON.parse(readFileSync(path.join(home, "daemon.json"), "utf8"));
	if (!existsSync(`/proc/${pid}/status`)) return [];
	await pause(idleMs);
	const value = residentMib(pid);
	return [
		{
			title: "An idle daemon of a release, MiB",
			columns: ["", "MiB"],
			rows: [
				["resident", value],
				["its own", residentMib(pid, "RssAnon")],
				["Node's program", residentMib(pid, "RssFile")],
			],
			ratio: { name: "MiB resident", value, target: "≤ 100", met: value <= 100 },
		},
	];
}
