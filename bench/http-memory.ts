// The memory of a daemon with many agents.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "#client/client.ts";
import { startEngine } from "#src/main.ts";
import { send } from "#surfaces/cli/daemon-request.ts";
import { spawn } from "./history.ts";
import { Program } from "./http-program.ts";
import { residentMib } from "./memory.ts";
import type { Result } from "./table.ts";

const run = promisify(execFile);
const agents = 10_000;

/** `emptyHome` is for a daemon with one agent. */
export async function memory(home: string, emptyHome: string): Promise<Result> {
	const empty = await measure(emptyHome);
	await fill(home);
	const checkout = await measure(home);
	const release = await measureRelease(home);
	const value = Number(release[2]);
	return {
		title: "Memory of a daemon that has listed its agents once over HTTP",
		columns: ["agents", "MiB at the start", "MiB after the list", "list, ms"],
		rows: [
			[`${empty[0]}, checkout`, ...empty.slice(1)],
			[`${checkout[0]}, checkout`, ...checkout.slice(1)],
			[`${release[0]}, release (ms with its command line)`, ...release.slice(1)],
		],
		ratio: {
			...{ name: `MiB of a release with ${agents.toLocaleString("en")} agents`, value },
			...{ target: "≤ 200", met: value <= 200 },
		},
	};
}

async function fill(home: string): Promise<void> {
	await using engine = await startEngine({ home });
	for (let at = 0; at < agents; at += 100)
		await Promise.all(Array.from({ length: 100 }, () => spawn(engine, engine.agentZero.id, "fresh")));
}

/** Reads the list in this process: the reader's memory is not the daemon's. */
async function measure(home: string): Promise<(string | number)[]> {
	await using daemon = new Program(new URL("./http-daemon.ts", import.meta.url), [home]);
	const before = await daemon.ask<{ url: string; token: string; mib: number }>("where");
	const from = performance.now();
	const list = await new Client(before, send).call("agents");
	const ms = performance.now() - from;
	const after = await daemon.ask<{ mib: number }>("measure");
	return [list.length.toLocaleString("en"), before.mib, after.mib, ms];
}

/**
 * The same with the program that users install; a checkout keeps what reads TypeScript in the memory of each thread.
 */
async function measureRelease(home: string): Promise<(string | number)[]> {
	await run(process.execPath, ["tools/build.ts"]);
	const env = { PATH: process.env["PATH"], HOME: path.dirname(home), BROOD_HOME: home, BROOD_PORT: "0" };
	const brood = async (...words: string[]): Promise<string> => {
		const options = { env, maxBuffer: 1024 * 1024 * 1024 };
		return (await run(process.execPath, ["dist/brood.cjs", ...words], options)).stdout;
	};
	await brood("up");
	try {
		const { pid } = JSON.parse(readFileSync(path.join(home, "daemon.json"), "utf8"));
		const before = residentMib(pid);
		const from = performance.now();
		const { data: list }: { data: unknown[] } = JSON.parse(await brood("agent", "list", "--json"));
		const ms = performance.now() - from;
		await pause(1000);
		return [list.length.toLocaleString("en"), before, residentMib(pid), ms];
	} finally {
		await brood("down");
	}
}
