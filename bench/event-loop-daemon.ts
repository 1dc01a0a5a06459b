// The program that `event-loop.ts` measures: it writes on command and prints how late its ticks were.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { system } from "#contract/ids.ts";
import { startEngine } from "#src/main.ts";
import { percentile } from "./table.ts";

const everyMs = 5;
const durationMs = 3000;
const home = mkdtempSync(path.join(os.tmpdir(), "brood-event-loop-"));
const writers: Record<string, (until: number) => Promise<number>> = { quiet, writing, inline };

try {
	const late: number[] = [];
	const write = writers[process.argv[2] ?? ""];
	if (write === undefined) throw new Error("quiet, writing or inline?");
	let expected = performance.now() + everyMs;
	const timer = setInterval(() => {
		late.push(Math.max(0, performance.now() - expected));
		expected = performance.now() + everyMs;
	}, everyMs);
	const commits = await write(performance.now() + durationMs);
	clearInterval(timer);
	const warm = late.slice(20);
	console.log(
		JSON.stringify({ p50: percentile(warm, 0.5), p99: percentile(warm, 0.99), max: Math.max(...warm), commits }),
	);
} finally {
	rmSync(home, { recursive: true, force: true });
}

async function quiet(until: number): Promise<number> {
	await pause(until - performance.now());
	return 0;
}

async function writing(until: number): Promise<number> {
	await using engine = await startEngine({ home });
	const agent = engine.agentZero.id;
	let items = 0;
	await Promise.all(
		Array.from({ length: 8 }, async () => {
			for (; performance.now() < until; items++) {
				await engine.dispatch({
					actor: system,
					key: null,
					command: { type: "item.append", agent, kind: "assistant", text: "a line of output" },
				});
			}
		}),
	);
	return items;
}

async function inline(until: number): Promise<number> {
	const database = new DatabaseSync(path.join(home, "inline.db"));
	database.exec("pragma journal_mode = wal; pragma synchronous = full; create table item (text)");
	const insert = database.prepare("insert into item values (?)");
	let commits = 0;
	for (; performance.now() < until; commits++) {
		insert.run("a line of output");
		await pause(1);
	}
	return commits;
}
