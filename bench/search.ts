// The cost of a search, and the share of the writer's time that indexing takes: 200 items are indexed once a second,
// apart from the writes.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { system } from "#contract/ids.ts";
import { termsOf } from "#contract/search-words.ts";
import type { Engine } from "#engine/engine.ts";
import { startEngine } from "#src/main.ts";
import { median, type Result } from "./table.ts";

const items = 50_000;
const portion = 200;

export async function search(): Promise<Result[]> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	try {
		await using engine = await startEngine({ home });
		await write(engine);
		const start = performance.now();
		while (!(await engine.queries.search({ terms: termsOf("w1"), limit: 1 })).complete);
		const indexing = performance.now() - start;
		const share = (indexing / items) * portion;
		const rows: (string | number)[][] = [
			["making 50,000 items findable, per second", (items / indexing) * 1000],
			["a portion of 200, ms", share],
		];
		for (const [name, text] of [
			["a word of every item, 20 newest", "the"],
			["two words, one of them rare", "the w31000"],
			["a beginning", "w310*"],
		] as const)
			rows.push([`${name}, ms`, await timed(engine, text)]);
		const value = share / 1000;
		return [
			{
				title: "Search on SQLite",
				columns: ["", ""],
				rows,
				ratio: { name: "of the writer's time for indexing", value, target: "≤ 0.15", met: value <= 0.15 },
			},
		];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

async function write(engine: Engine): Promise<void> {
	for (let at = 0; at < items; at += 500)
		await Promise.all(
			Array.from({ length: 500 }, (_, next) => {
				const text = Array.from({ length: 70 }, (__, word) =>
					word % 5 === 0 ? "the" : `w${((at + next) * (word + 7)) % 40_000}`,
				).join(" ");
				return engine.dispatch({
					actor: system,
					key: null,
					command: { type: "item.append", agent: engine.agentZero.id, kind: "assistant", text },
				});
			}),
		);
}

async function timed(engine: Engine, text: string): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round < 20; round++) {
		const start = performance.now();
		await engine.queries.search({ terms: termsOf(text), limit: 20 });
		times.push(performance.now() - start);
	}
	return median(times);
}
