// What HTTP adds to the engine behind it: a fork over HTTP, the command line from a cold start, the event stream to
// a hundred watchers, and the memory of a daemon with many agents.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "#client/client.ts";
import { type AgentId, system } from "#contract/ids.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { send } from "#surfaces/cli/daemon-request.ts";
import { append, spawn } from "./history.ts";
import { memory } from "./http-memory.ts";
import { Program } from "./http-program.ts";
import { median, percentile, type Result } from "./table.ts";

const run = promisify(execFile);
/** the clock that all processes of a machine share; the wall clock of each may be set while they run */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

export async function http(): Promise<Result[]> {
	return [
		await inHome(forkOverHttp),
		await inHome(coldStatus),
		...(await inHome(fanOut)),
		await inHome((home) => inHome((empty) => memory(home, empty))),
	];
}

async function inHome<T>(work: (home: string) => Promise<T>): Promise<T> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	try {
		return await work(home);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

const history = 100_000;

async function forkOverHttp(home: string): Promise<Result> {
	await using daemon = await startDaemon({ home, limits: { descendantsMax: Number.POSITIVE_INFINITY } });
	const { engine } = daemon;
	const parent = await spawn(engine, engine.agentZero.id, "fresh");
	await append(engine, parent.id, history);
	const client = new Client(daemon, send);
	const times: Record<"asked" | "http" | "engine" | "ready", number[]> = { asked: [], http: [], engine: [], ready: [] };
	// in turn, so that noise hits all of them alike
	for (let round = 0; round < 220; round++) {
		times.asked.push(await timed(() => client.call("agent", { params: { agent: parent.id } })));
		times.http.push(await timed(() => client.call("fork", { params: { agent: parent.id }, body: { fresh: false } })));
		using events = engine.publisher.follow();
		const from = performance.now();
		await spawn(engine, parent.id, "inherit");
		times.engine.push(performance.now() - from);
		// the child is made ready by a command of its own; HTTP answers after it, the engine before
		while (!(await events.next())?.some((event) => event.kind === "agent.provisioned"));
		times.ready.push(performance.now() - from);
	}
	const row = (name: string, all: number[]): [string, number, number] => [
		name,
		median(all.slice(20)),
		percentile(all.slice(20), 0.99),
	];
	const rows = [
		row("fork over HTTP, answered when the child is ready", times.http),
		row("fork in the engine", times.engine),
		row("fork in the engine, and the child is ready", times.ready),
		row("reading one agent over HTTP", times.asked),
	];
	const value = median(times.http.slice(20));
	return {
		title: `Fork at ${history.toLocaleString("en")} items over HTTP, ms`,
		columns: ["", "median", "p99"],
		rows,
		ratio: { name: "median ms of a fork over HTTP", value, target: "≤ 2", met: value <= 2 },
	};
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const from = performance.now();
	await work();
	return performance.now() - from;
}

async function coldStatus(home: string): Promise<Result> {
	const brood = fileURLToPath(new URL("../bin/brood", import.meta.url));
	// inside an agent these would lead to the daemon that started it
	const { BROOD_URL: _url, BROOD_TOKEN: _token, ...outside } = process.env;
	const env = { ...outside, BROOD_HOME: home };
	const root = fileURLToPath(new URL("..", import.meta.url));
	await run(process.execPath, ["tools/build.ts"], { cwd: root });
	await run(brood, ["up"], { env });
	const [status, bundled, bare]: [number[], number[], number[]] = [[], [], []];
	try {
		for (let round = 0; round < 15; round++) {
			status.push(await timed(() => run(brood, ["status"], { env })));
			bundled.push(await timed(() => run(process.execPath, [`${root}dist/brood.cjs`, "status"], { env })));
			bare.push(await timed(() => run(process.execPath, ["-e", ""], { env })));
		}
	} finally {
		await run(brood, ["down"], { env });
	}
	const row = (name: string, all: number[]): [string, number, number] => [name, median(all), Math.max(...all)];
	const value = median(status);
	return {
		title: "A command, the whole process, ms",
		columns: ["", "median", "max"],
		rows: [row("brood status, checkout", status), row("brood status, bundle", bundled), row("node -e ''", bare)],
		ratio: {
			name: "median ms of brood status from a checkout; at most 120 from the bundle",
			value,
			target: "≤ 200",
			met: value <= 200 && median(bundled.slice(1)) <= 120,
		},
	};
}

interface Seen {
	lastAt: number;
	least: number;
	cuts: number;
	cpuMs: number;
	arrivals: [stamp: number, at: number][];
}

const watcherCount = 100;
const burstMs = 4000;

async function fanOut(home: string): Promise<Result[]> {
	await using daemon = await startDaemon({ home });
	await using watchers = new Program(new URL("./http-watchers.ts", import.meta.url), [daemon.url, daemon.token]);
	const agent = (await spawn(daemon.engine, daemon.engine.agentZero.id, "fresh")).id;
	const rows: (string | number)[][] = [];
	// the first run compiles everything and does not count
	for (const count of [1, 0, 1, watcherCount]) {
		await watchers.ask({ do: "connect", count, after: await daemon.engine.reads.lastEvent() });
		// wait until each is live: one that still reads old events while 64 writers write may never catch up
		await pause(500);
		rows.push(await burst(daemon, watchers, agent, count));
	}
	const rate = Number(rows.at(-1)?.[2]);
	const fast: Result = {
		title: `Event stream while 64 writers write as fast as they can for ${burstMs / 1000} s; all on ${os.availableParallelism()} cores`,
		columns: ["watchers", "written/s", "seen by all/s", "cut", "daemon's cores", "watchers' cores"],
		rows: [...rows.slice(1), ["(plain http, one buffer for all, 100; no store)", "", 22_000, "", "", ""]],
		ratio: {
			name: `events/s that each of ${watcherCount} watchers saw`,
			value: rate,
			target: "≥ 10,000",
			met: rate >= 10_000,
		},
	};
	return [fast, await paced(daemon, watchers, agent)];
}

async function burst(daemon: Daemon, watchers: Program, agent: AgentId, count: number): Promise<(string | number)[]> {
	await watchers.ask({ do: "begin", stamps: false });
	const cpu = process.cpuUsage();
	const from = now();
	let written = 0;
	const writer = async (): Promise<void> => {
		for (; now() < from + burstMs; written++) await write(daemon, agent, "a line of output");
	};
	await Promise.all(Array.from({ length: 64 }, writer));
	const wroteMs = now() - from;
	const { lastAt, least, cuts, cpuMs } = await watchers.ask<Seen>({ do: "finish", events: count === 0 ? 0 : written });
	const used = process.cpuUsage(cpu);
	const tookMs = count === 0 ? wroteMs : lastAt - from;
	// until the slowest has received the last event
	const seen = count === 0 ? "" : Math.min(least, written) / (tookMs / 1000);
	return [
		String(count),
		written / (wroteMs / 1000),
		seen,
		cuts,
		(used.user + used.system) / 1000 / tookMs,
		cpuMs / tookMs,
	];
}

async function paced(daemon: Daemon, watchers: Program, agent: AgentId): Promise<Result> {
	const [perSecond, seconds] = [200, 3];
	await watchers.ask({ do: "begin", stamps: true });
	const committed = new Map<number, number>();
	const writes: Promise<void>[] = [];
	const from = now();
	for (let at = 0; at < perSecond * seconds; at++) {
		await pause(Math.max(0, from + (at * 1000) / perSecond - now()));
		// at least one decimal, so that the watchers know it from other texts
		const stamp = now().toFixed(6);
		writes.push(write(daemon, agent, stamp).then(() => void committed.set(Number(stamp), now())));
	}
	await Promise.all(writes);
	const { arrivals } = await watchers.ask<Seen>({ do: "finish", events: writes.length });
	if (arrivals.length !== writes.length * watcherCount)
		throw new Error(`${arrivals.length} arrivals of ${writes.length} events`);
	const sinceCommit = arrivals.map(([stamp, at]) => Math.max(0, at - (committed.get(stamp) ?? 0)));
	const sinceSaid = arrivals.map(([stamp, at]) => at - stamp);
	const row = (name: string, all: number[]): (string | number)[] => [
		name,
		median(all),
		percentile(all, 0.99),
		percentile(all, 1),
	];
	const value = percentile(sinceCommit, 0.99);
	return {
		title: `Event stream at ${perSecond} events/s to ${watcherCount} watchers, ms`,
		columns: ["", "p50", "p99", "max"],
		rows: [
			row("from the commit to each watcher", sinceCommit),
			row("from the command, with its fsync", sinceSaid),
			["(plain http, no store)", 1, 1.5, ""],
		],
		ratio: { name: "p99 ms from the commit to a watcher", value, target: "≤ 10", met: value <= 10 },
	};
}

async function write({ engine }: Daemon, agent: AgentId, text: string): Promise<void> {
	const outcome = await engine.dispatch({
		actor: system,
		key: null,
		command: { type: "item.append", agent, kind: "assistant", text },
	});
	if ("refused" in outcome) throw new Error(outcome.refused.message);
}
