// Several nodes on one PostgreSQL (fsync on), each a process of its own: what they write together, what idle ones cost the
// first, and how soon a prompt that one is given begins at another.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { randomIds } from "#adapters/system/ids.ts";
import { human } from "#contract/ids.ts";
import { NodeId } from "#contract/node.ts";
import type { Engine } from "#engine/engine.ts";
import { until } from "#engine/loop/until.ts";
import { startEngine } from "#src/main.ts";
import { FakeDriver } from "#test/support/fake-driver.ts";
import { startPostgres } from "#test/support/postgres.ts";
import { median, type Result } from "./table.ts";
import { type Kind, makeAgents } from "./writing.ts";

const rounds = 3;
const total = 12_000;

export async function nodesBench(): Promise<Result[]> {
	await using server = await startPostgres({ durable: true });
	return [...(await throughput(await server.createDatabase())), await latency(await server.createDatabase())];
}

async function throughput(url: string): Promise<Result[]> {
	const nodes = [];
	const rows: (string | number)[][] = [];
	const sums = new Map<string, number>();
	for (const count of [1, 2, 4]) {
		while (nodes.length < count) nodes.push(await Writer.start(url, `n${nodes.length}`));
		for (const kind of ["items", "whole commands"] as const) {
			if (count > 1 && kind !== "items") continue;
			const seen: number[] = [];
			for (let round = 0; round < rounds; round++) {
				const rates = await Promise.all(nodes.slice(0, count).map((node) => node.write(kind, 64, total / count)));
				seen.push(rates.reduce((sum, rate) => sum + rate, 0));
			}
			sums.set(`${count} ${kind}`, median(seen));
			rows.push([`${kind}, ${count} nodes with 64 writers each`, median(seen)]);
		}
	}
	// the others are idle now
	const beside: number[] = [];
	for (let round = 0; round < rounds; round++) beside.push((await nodes[0]?.write("items", 64, total)) ?? 0);
	rows.push(["items, 1 node beside 3 idle ones", median(beside)]);
	for (const node of nodes) await node.stop();
	const of = (name: string): number => sums.get(name) ?? 0;
	const title = "Nodes on PostgreSQL (fsync on), per second";
	const ratios = [
		["items of one node, 64 writers", of("1 items"), 10_000],
		["whole commands of one node, 64 writers", of("1 whole commands"), 6000],
		["items of 2 nodes beside 1", of("2 items") / of("1 items"), 0.8],
		["items of 4 nodes beside 1", of("4 items") / of("1 items"), 0.5],
		["items beside 3 idle nodes", median(beside) / of("1 items"), 0.94],
	] as const;
	return ratios.map(([name, value, target], at) => ({
		title: at === 0 ? title : `${title}: ${name}`,
		columns: ["", "per second"],
		rows: at === 0 ? rows : [],
		ratio: { name, value, target: `≥ ${target}`, met: value >= target },
	}));
}

class Writer {
	readonly #child: ChildProcess;
	readonly #lines: AsyncIterator<string>;

	private constructor(child: ChildProcess, lines: AsyncIterator<string>) {
		this.#child = child;
		this.#lines = lines;
	}

	static async start(url: string, name: string): Promise<Writer> {
		const child = spawn(process.execPath, ["bench/nodes-daemon.ts", url, name], { stdio: ["pipe", "pipe", "inherit"] });
		const writer = new Writer(child, createInterface(child.stdout)[Symbol.asyncIterator]());
		await writer.#next();
		return writer;
	}

	async write(kind: Kind, writers: number, count: number): Promise<number> {
		this.#child.stdin?.write(`${kind}:${writers}:${count}\n`);
		return Number(await this.#next());
	}

	async #next(): Promise<string> {
		const { done, value } = await this.#lines.next();
		if (done === true) throw new Error("a node of the bench ended");
		return value;
	}

	async stop(): Promise<void> {
		this.#child.stdin?.end();
		await new Promise((resolve) => this.#child.once("exit", resolve));
	}
}

/** From the prompt at one node to the turn that another one has begun. */
async function latency(url: string): Promise<Result> {
	await using here = await nodeOn(url, "here", null);
	await using there = await nodeOn(url, "there", new FakeDriver());
	const agents = await makeAgents(there, 50, "far");
	const took: number[] = [];
	for (const { id } of agents) {
		const from = performance.now();
		const begun = until(there.publisher, async () => ((await there.reads.agent(id))?.turn ? true : null));
		await here.dispatch({ actor: human, key: null, command: { type: "prompt.queue", agent: id, text: "go" } });
		await begun;
		took.push(performance.now() - from);
	}
	const list = async (engine: Engine): Promise<number> => {
		const times: number[] = [];
		for (let at = 0; at < 50; at++) {
			const from = performance.now();
			await engine.reads.agents({ life: "living" });
			times.push(performance.now() - from);
		}
		return median(times);
	};
	const p50 = median(took);
	return {
		title: "A prompt at one node, begun at another, in milliseconds",
		columns: ["", "ms"],
		rows: [
			["p50", p50],
			["p99", took.toSorted((a, b) => a - b).at(-1) ?? 0],
			["50 agents listed at their node", await list(there)],
			["50 agents listed at the other", await list(here)],
		],
		ratio: { name: "prompt at A to turn begun at B, p50 in ms", value: p50, target: "≤ 20", met: p50 <= 20 },
	};
}

async function nodeOn(url: string, name: string, driver: FakeDriver | null): Promise<Engine> {
	const node = { node: NodeId.parse(randomIds.key()), name, boot: randomIds.key(), version: "0", schema: 1, types: [] };
	return await startEngine({ url }, { turnsMax: 100 }, { node, driver });
}
