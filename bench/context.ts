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
		const times: { http: number[]; raw: number[] } = { http: [], raw: [] };
		for (let round = 0; round <= rounds; round++) {
			const before = performance.now();
			const counted = raw();
			const between = performance.now();
			const answered = await overHttp();
			const after = performance.now();
			if (counted !== items || answered !== items) throw new Error(`${counted} and ${answered} items, not ${items}`);
			// the first round is to warm up
			if (round === 0) continue;
			times.raw.push(between - before);
			times.http.push(after - between);
		}
		const value = median(times.http) / median(times.raw);
		return [
			{
				title: `A context of ${items.toLocaleString("en")} items through one fork, read and parsed, ms`,
				columns: ["", "median"],
				rows: [
					["over HTTP", median(times.http)],
					["the same rows straight from SQLite, as JSON and back", median(times.raw)],
				],
				ratio: { name: "over HTTP beside the raw read", value, target: "≤ 2", met: value <= 2 },
			},
		];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}
