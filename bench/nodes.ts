// Several nodes on one PostgreSQL (fsync on), each a process of its own: what they write together, what idle ones cost
// the first, how soon a prompt that one is given begins at another, and what it takes to list agents there.
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
import { straightPerSecond } from "./nodes-straight.ts";
import { median, percentile, type Result } from "./table.ts";
import { type Kind, makeAgents } from "./writing.ts";

const rounds = 5;
const total = 12_000;

export async function nodesBench(): Promise<Result[]> {
	await using server = await startPostgres({ durable: true });
	const [shared, straight] = [await server.createDatabase(), await server.createDatabase()];
	return [...(await throughput(shared, straight)), ...(await latency(await server.createDatabase()))];
}

/** What is compared runs in turns, in every round: the machine may be busy with other things. */
async function throughput(shared: string, straight: string): Promise<Result[]> {
	const seen = new Map<string, number[]>();
	const note = (name: string, value: number): number => {
		seen.set(name, [...(seen.get(name) ?? []), value]);
		return value;
	};
	const of = (name: string): number => median(seen.get(name) ?? []);
	await using tables = await nodeOn(straight, "straight", null);
	await makeAgents(tables, 64);
	await using first = await Writer.start(shared, "n0");
	for (const kind of ["items", "whole commands"] as const)
		for (let round = 0; round < rounds; round++) {
			const least = note(`straight ${kind}`, await straightPerSecond(straight, kind, total));
			note(`${kind} share`, note(kind, await first.write(kind, 64, total)) / least);
		}
	await using others = new AsyncDisposableStack();
	const nodes = [first];
	for (let at = 1; at < 4; at++) nodes.push(others.use(await Writer.start(shared, `n${at}`)));
	for (let round = 0; round < rounds; round++) {
		for (let pair = 0; pair < 3; pair++) {
			const least = note("alone", await alonePerSecond(nodes));
			note("beside", (await first.write("items", 64, total)) / least);
		}
		const alone = median((seen.get("alone") ?? []).slice(-3));
		for (const count of [2, 4]) {
			const rates = await Promise.all(nodes.slice(0, count).map((node) => node.write("items", 64, total / count)));
			note(`${count} nodes`, rates.reduce((sum, rate) => sum + rate, 0) / alone);
		}
	}
	const title = "Nodes on PostgreSQL (fsync on), per second";
	const rows = ["items", "whole commands"].map((kind) => [
		`${kind}, 64 writers on one node`,
		...[of(kind), of(`straight ${kind}`), of(`${kind} share`)],
	]);
	const ratios = [
		["items of one node, 64 writers", of("items"), 10_000],
		["whole commands of one node, 64 writers", of("whole commands"), 6000],
		["items of 2 nodes beside 1", of("2 nodes"), 0.8],
		["items of 4 nodes beside 1", of("4 nodes"), 0.5],
		["items beside 3 idle nodes", of("beside"), 0.94],
	] as const;
	return ratios.map(([name, value, target], at) => ({
		title: at === 0 ? title : `${title}: ${name}`,
		columns: ["", "per second", "straight on pg, 64 a commit", "share of straight"],
		rows: at === 0 ? rows : [],
		ratio: { name, value, target: `≥ ${target}`, met: value >= target },
	}));
}

/** The others stand still, for less time than would make them fall. */
async function alonePerSecond([first, ...others]: readonly Writer[]): Promise<number> {
	for (const node of others) node.signal("SIGSTOP");
	const rate = await first?.write("items", 64, total);
	for (const node of others) node.signal("SIGCONT");
	// what they missed is over when they have written something themselves
	await Promise.all(others.map((node) => node.write("items", 1, 1)));
	return rate ?? 0;
}

class Writer implements AsyncDisposable {
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

	signal(signal: NodeJS.Signals): void {
		this.#child.kill(signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.stdin?.end();
		if (this.#child.exitCode === null && this.#child.signalCode === null)
			await new Promise((resolve) => this.#child.once("exit", resolve));
	}
}

/** From the prompt at one node to the turn that another one has begun; the other has a place for each. */
async function latency(url: string): Promise<Result[]> {
	await using here = await nodeOn(url, "here", null);
	await using there = await nodeOn(url, "there", new FakeDriver());
	const agents = await makeAgents(there, 1000, "far");
	const took: number[] = [];
	for (const { id } of agents.slice(0, 100)) {
		const from = performance.now();
		const begun = until(there.publisher, async () => ((await there.reads.agent(id))?.turn ? true : null));
		await here.dispatch({ actor: human, key: null, command: { type: "prompt.queue", agent: id, text: "go" } });
		await begun;
		took.push(performance.now() - from);
	}
	const lists = { there: [] as number[], here: [] as number[] };
	for (let at = 0; at < 50; at++)
		for (const [name, engine] of [
			["there", there],
			["here", here],
		] as const) {
			const from = performance.now();
			await engine.reads.agents({ life: "living" });
			lists[name].push(performance.now() - from);
		}
	const [p50, listed] = [median(took), median(lists.here) / median(lists.there)];
	return [
		{
			title: "A prompt at one node, begun at another, in milliseconds",
			columns: ["", "ms"],
			rows: [
				["p50", p50],
				["p99", percentile(took, 0.99)],
			],
			ratio: { name: "prompt at A to turn begun at B, p50 in ms", value: p50, target: "≤ 20", met: p50 <= 20 },
		},
		{
			title: "1,000 agents of one node, listed, in milliseconds",
			columns: ["", "ms"],
			rows: [
				["at their node", median(lists.there)],
				["at the other", median(lists.here)],
			],
			ratio: { name: "listed at the other beside their own", value: listed, target: "≤ 1.2", met: listed <= 1.2 },
		},
	];
}

async function nodeOn(url: string, name: string, driver: FakeDriver | null): Promise<Engine> {
	const node = {
		node: NodeId.parse(randomIds.key()),
		name,
		startId: randomIds.key(),
		version: "0",
		schema: 1,
		types: [],
	};
	return await startEngine({ url }, { turnsMax: 100 }, { node, driver });
}
