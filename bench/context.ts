// A long context over HTTP beside a raw read of the same rows.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startDaemon } from "#src/main.ts";
import { append, spawn } from "./history.ts";
import { median, type Result } from "./table.ts";

const items = 100_000;
const rounds = 9;

export async function context(): Promise<Result[]> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	try {
		await using daemon = await startDaemon({ home, limits: { descendantsMax: Number.POSITIVE_INFINITY } });
		const { engine, url, token } = daemon;
		const parent = await spawn(engine, engine.agentZero.id, "fresh");
		await append(engine, parent.id, items / 2);
		const leaf = await spawn(engine, parent.id, "inherit");
		await append(engine, leaf.id, items / 2);
		// a connection that is kept may be closed while the raw read blocks this thread
		const headers = { authorization: `Bearer ${token}`, connection: "close" };
		const overHttp = async (): Promise<number> => {
			const response = await fetch(`${url}/api/agents/${leaf.id}/context`, { headers });
			return Object(await response.json()).data.length;
		};
		using database = new DatabaseSync(path.join(home, "brood.db"), { readOnly: true });
		const raw = (): number => {
			const rows = database.prepare("select * from event where kind = 'assistant' order by id").all();
			return JSON.parse(JSON.stringify(rows)).length;
		};
		const times: Record<"http" | "raw", Taken[]> = { http: [], raw: [] };
		// in turn, so that noise hits both alike; the first round is to warm up
		for (let round = 0; round <= rounds; round++)
			for (const [name, read] of [["raw", raw] as const, ["http", overHttp] as const]) {
				const taken = await timed(read);
				if (round > 0) times[name].push(taken);
			}
		const of = (name: "http" | "raw", what: keyof Taken): number => median(times[name].map((taken) => taken[what]));
		const value = of("http", "ms") / of("raw", "ms");
		return [
			{
				title: `A context of ${items.toLocaleString("en")} items through one fork, read and parsed`,
				columns: ["", "median, ms", "CPU of all threads, ms"],
				rows: [
					["over HTTP", of("http", "ms"), of("http", "cpuMs")],
					["the same rows straight from SQLite, as JSON and back", of("raw", "ms"), of("raw", "cpuMs")],
					["ratio", value, of("http", "cpuMs") / of("raw", "cpuMs")],
				],
				ratio: { name: "over HTTP beside the raw read", value, target: "≤ 2", met: value <= 2 },
			},
		];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

interface Taken {
	ms: number;
	/** says more than the clock on a machine that is busy with other things */
	cpuMs: number;
}

async function timed(read: () => number | Promise<number>): Promise<Taken> {
	const [from, cpu] = [performance.now(), process.cpuUsage()];
	const count = await read();
	const used = process.cpuUsage(cpu);
	if (count < items) throw new Error(`only ${count} items of ${items}`);
	return { ms: performance.now() - from, cpuMs: (used.user + used.system) / 1000 };
}
