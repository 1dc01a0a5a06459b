// Three daemons as processes, and what becomes of them when one is killed, cut off or frozen, or when the database is
// away. What happened is counted from the outside: tokens that the agents write to a file, and processes by their pid.
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEngine } from "#src/main.ts";
import { expectFolded } from "#test/support/folded.ts";
import { type Cluster, counted, eventually, type NodeProcess, startNodes } from "#test/support/nodes.ts";
import { freshFolder } from "#test/support/stores.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const rounds = torture ? 40 : 1;
const outageMs = torture ? [1000, 5000, 20_000, 60_000] : [9000];

const folder = freshFolder();
const tokens = (file: string): string[] =>
	existsSync(file)
		? readFileSync(file, "utf8")
				.split("\n")
				.filter((line) => line !== "")
		: [];
/** A time to sleep that nobody else sleeps. */
const word = (): string => `86${randomInt(1e8, 9e8)}`;
let agents = 0;

interface Job {
	agent: string;
	file: string;
	sleeps: string;
}

/** An agent at this node, whose turns write a token and then sleep. */
async function agentAt(node: NodeProcess): Promise<Job> {
	const name = `w${++agents}`;
	await node.client.ask("agentAdd", { body: { name, type: "shell" } });
	return { agent: name, file: path.join(folder, name), sleeps: word() };
}

/** Sent to any node. */
const give = async (by: NodeProcess, { agent, file, sleeps }: Job, token: string): Promise<unknown> =>
	await by.client.ask("prompt", {
		params: { agent },
		body: { text: `echo ${token} >> ${file}; sleep ${sleeps}; echo ended ${token} >> ${file}` },
	});

const label = async (by: NodeProcess, { agent }: Job): Promise<string> =>
	(await by.client.ask("agent", { params: { agent } })).label;
const stateOf = async (by: NodeProcess, node: NodeProcess): Promise<string | undefined> =>
	(await by.client.call("nodes")).find(({ name }) => name === node.name)?.state;
/** Of all nodes, when they fell last. */
const fallsSeen = async (by: NodeProcess): Promise<(string | null)[]> =>
	(await by.client.call("nodes")).map(({ fellAt }) => fellAt);

describe("three daemons on one database", { timeout: 120_000 * rounds }, () => {
	let cluster: Cluster;
	let [a, b, c]: NodeProcess[] = [];
	const all = (): [NodeProcess, NodeProcess, NodeProcess] =>
		a !== undefined && b !== undefined && c !== undefined ? [a, b, c] : expect.unreachable();

	beforeAll(async () => {
		cluster = await startNodes("a", "b", "c");
		[a, b, c] = cluster.nodes;
	}, 60_000);
	afterAll(async () => await cluster[Symbol.asyncDispose]());

	test("kill -9: its turn is interrupted at every node within 15 s, and its prompt was started once", async () => {
		const [one, two, three] = all();
		for (let round = 0; round < rounds; round++) {
			const job = await agentAt(two);
			await give(one, job, "only");
			await eventually("the turn runs", () => counted(job.sleeps).running === 1);
			two.signal("SIGKILL");
			const streams = [one, three].map((node) => node.streamUntil("node.fell", round + 1));
			const shown = Promise.all(
				[one, three].map((node) => eventually("error", async () => (await label(node, job)) === "error")),
			);
			for (const ms of await shown) if (torture) expect(ms).toBeLessThan(15_000);
			for (const seen of await Promise.all(streams)) expect(seen).toEqual(seen.map((_, at) => at + 1));
			expect([tokens(job.file), counted(job.sleeps).there]).toEqual([["only"], 0]);
			await two.start();
			expect(await stateOf(one, two)).toBe("up");
		}
	});

	test("cut off: its processes stand still before anybody takes its place, and end before it exits", async () => {
		const [one, two] = all();
		for (let round = 0; round < rounds; round++) {
			const sleeps = word();
			const [here, there] = [await agentAt(one), await agentAt(two)].map((job) => ({ ...job, sleeps }));
			if (here === undefined || there === undefined) expect.unreachable();
			await one.client.ask("subscriptionAdd", { body: { name: `s${sleeps}`, type: "shell", maxConcurrent: 1 } });
			await give(one, there, "first");
			await eventually("the turn runs", () => counted(sleeps).running === 1);
			await give(one, here, "second");
			two.proxy.cut("to the server", "to the client");
			let most = 0;
			await eventually("the other one starts", () => {
				most = Math.max(most, counted(sleeps).running);
				return tokens(here.file).includes("second");
			});
			await eventually("both are there, one stands still", () => counted(sleeps).running === 1);
			// there are two processes now, of which one stands still: it is no longer its turn
			expect([most, counted(sleeps).there]).toEqual([1, 2]);
			// control: without the hold there would be two
			for (const pid of counted(sleeps).pids) process.kill(pid, "SIGCONT");
			await eventually("the count notices", () => counted(sleeps).running === 2);
			two.proxy.heal();
			expect(await two.ended()).toBe(71);
			expect(counted(sleeps)).toMatchObject({ there: 1, running: 1 });
			expect(tokens(there.file)).toEqual(["first"]);
			await one.client.ask("interrupt", { params: { agent: here.agent }, body: { force: true } });
			await one.client.ask("subscriptionRemove", { params: { subscription: `s${sleeps}` } });
			await two.start();
		}
	});

	test("frozen: the watchdog ends a daemon that stands still, with its processes, before it falls", async () => {
		const [one, , three] = all();
		for (let round = 0; round < rounds; round++) {
			const job = await agentAt(three);
			await give(one, job, "only");
			await eventually("the turn runs", () => counted(job.sleeps).running === 1);
			three.signal("SIGSTOP");
			// what one writes meanwhile waits for no longer than a frozen batch may keep the lock
			let longest = 0;
			const other = await agentAt(one);
			const writes = (async () => {
				for (let at = 0; (await stateOf(one, three)) === "up"; at++) {
					const from = performance.now();
					await one.client.ask(at % 2 === 0 ? "pause" : "resume", { params: { agent: other.agent }, body: {} });
					longest = Math.max(longest, performance.now() - from);
				}
			})();
			expect(await three.ended()).toBe("SIGKILL");
			await eventually("its processes are gone", () => counted(job.sleeps).there === 0, 3000);
			expect(await stateOf(one, three)).toBe("up");
			await writes;
			expect([await stateOf(one, three), tokens(job.file)]).toEqual(["down", ["only"]]);
			if (torture) expect(longest).toBeLessThan(2500);
			await three.start();
		}
	});

	test("control: without a watchdog the processes of a frozen daemon go on after it fell", async () => {
		const [one, , three] = all();
		const job = await agentAt(three);
		await give(one, job, "only");
		await eventually("the turn runs", () => counted(job.sleeps).running === 1);
		three.signal("SIGSTOP");
		process.kill(three.watchdog(), "SIGKILL");
		await eventually("it fell", async () => (await stateOf(one, three)) === "down");
		expect(counted(job.sleeps).running).toBe(1);
		// it learns it when it goes on
		three.signal("SIGCONT");
		expect(await three.ended()).toBe(71);
		expect(counted(job.sleeps).there).toBe(0);
		await three.start();
	});

	test("the database is away: all processes stand still, nobody falls, and every turn goes on", async () => {
		const [one, ...others] = all();
		const jobs = await Promise.all([one, ...others].map(agentAt));
		for (const job of jobs) await give(one, job, "only");
		await eventually("all run", () => jobs.every(({ sleeps }) => counted(sleeps).running === 1));
		const before = await fallsSeen(one);
		for (const ms of outageMs) {
			const nodes = [one, ...others];
			for (const { proxy } of nodes) proxy.cut("to the server", "to the client");
			const over = new Promise((resolve) => setTimeout(resolve, ms));
			if (ms > 7000) {
				await eventually("all are held", () => jobs.every(({ sleeps }) => counted(sleeps).running === 0), ms);
				const { problems } = await one.client.call("status");
				expect(problems[0]?.text).toMatch(
					/the database does not answer for \d+ s; the processes of all agents are held/,
				);
			}
			await over;
			for (const { proxy } of nodes) proxy.heal();
			await eventually("all go on", () => jobs.every(({ sleeps }) => counted(sleeps).running === 1));
		}
		const labels = await Promise.all(jobs.map((job) => label(one, job)));
		expect([await fallsSeen(one), labels]).toEqual([before, labels.map(() => "running")]);
		expect(jobs.map(({ file }) => tokens(file))).toEqual(jobs.map(() => ["only"]));
	});

	test("after all of that the rows are the fold of the journal", async () => {
		await using engine = await startEngine({ url: cluster.url });
		await expectFolded(engine.reads);
	});
});
