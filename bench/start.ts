// The time from start to first answer of a daemon with a large store, and its memory then.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEngine } from "#src/main.ts";
import { append, spawn } from "./history.ts";
import { median, type Result } from "./table.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("./start-daemon.ts", import.meta.url));
const agents = 10_000;
const items = 1_000_000;

export async function start(): Promise<Result[]> {
	const empty = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	const full = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	try {
		await fill(full);
		const rows: (string | number)[][] = [];
		for (const [name, home] of [
			["nothing", empty],
			[`${agents.toLocaleString("en")} agents, ${items.toLocaleString("en")} items`, full],
		] as const) {
			const starts: { ms: number; mib: number }[] = [];
			for (let round = 0; round < 5; round++) starts.push(await once(home));
			rows.push([name, median(starts.map((start) => start.ms)), median(starts.map((start) => start.mib))]);
		}
		const [ms, mib] = [Number(rows.at(-1)?.[1]), Number(rows.at(-1)?.[2])];
		return [
			{
				title: "From the start of the process to the list of all agents",
				columns: ["home with", "ms", "MiB"],
				rows,
				ratio: {
					name: "seconds to the first answer, with at most 200 MiB",
					value: ms / 1000,
					target: "≤ 1",
					met: ms <= 1000 && mib <= 200,
				},
			},
		];
	} finally {
		for (const home of [empty, full]) rmSync(home, { recursive: true, force: true });
	}
}

async function fill(home: string): Promise<void> {
	await using engine = await startEngine({ home });
	const made: Awaited<ReturnType<typeof spawn>>[] = [];
	for (let at = 0; at < agents; at += 100)
		made.push(...(await Promise.all(Array.from({ length: 100 }, () => spawn(engine, engine.agentZero.id, "fresh")))));
	for (let at = 0; at < made.length; at += 8)
		await Promise.all(made.slice(at, at + 8).map((agent) => append(engine, agent.id, items / agents)));
}

async function once(home: string): Promise<{ ms: number; mib: number }> {
	const start = performance.now();
	// with the compile cache, like the launcher
	const { stdout } = await run(process.execPath, [program, home], {
		env: { ...process.env, NODE_COMPILE_CACHE: "node_modules/.cache/compile" },
	});
	const { answeredAt, mib }: { answeredAt: number; mib: number } = JSON.parse(stdout);
	return { ms: answeredAt - (performance.timeOrigin + start), mib };
}
