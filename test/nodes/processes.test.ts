// Three daemons as processes, and what becomes of them when one is killed, cut off or frozen, or when the database is
// away. What happened is counted from the outside: tokens that the agents write to a file, and processes by their pid.
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writerLock } from "#adapters/store/postgres/begin.ts";
import { startEngine } from "#src/main.ts";
import { expectFolded } from "#test/support/folded.ts";
import { type Cluster, counted, eventually, type NodeProcess, startNodes } from "#test/support/nodes.ts";
import { freshFolder } from "#test/support/stores.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const rounds = torture ? 40 : 1;
const lateMax = 20;
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
	let admin: pg.Client;
	let [a, b, c]: NodeProcess[] = [];
	const all = (): [NodeProcess, NodeProcess, NodeProcess] =>
		a !== undefined && b !== undefined && c !== undefined ? [a, b, c] : expect.unreachable();

	beforeAll(async () => {
		cluster = await startNodes("a", "b", "c");
		[a, b, c] = cluster.nodes;
		admin = new pg.Client(cluster.url);
		await admin.connect();
	}, 60_000);
	afterAll(async () => {
		await admin.end();
		await cluster[Symbol.asyncDispose]();
	});

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

	/** Frozen without its watchdog until it fell; what it is asked meanwhile lies in its socket. */
	async function fallFrozen(one: NodeProcess, three: NodeProcess): Promise<{ late: Promise<string[]> }> {
		const { agent } = await agentAt(one);
		await one.client.ask("pause", { params: { agent }, body: {} });
		three.signal("SIGSTOP");
		process.kill(three.watchdog(), "SIGKILL");
		const texts = Array.from({ length: lateMax }, (_, at) => `late ${at}`);
		const late = texts.map((text) => three.client.ask("prompt", { params: { agent }, body: { text } }));
		const settled = Promise.allSettled(late).then((all) => all.map(({ status }) => status));
		await eventually("it fell", async () => (await stateOf(one, three)) === "down");
		return { late: settled };
	}

	const landed = async (): Promise<number> =>
		Number((await admin.query("select count(*) from event where text like 'late %'")).rows[0].count);

	test("frozen until it fell: nothing that it was asked is written any more, and its processes end", async () => {
		const [one, , three] = all();
		for (let round = 0; round < rounds; round++) {
			const job = await agentAt(three);
			await give(one, job, "only");
			await eventually("the turn runs", () => counted(job.sleeps).running === 1);
			const { late } = await fallFrozen(one, three);
			// control: without a watchdog its processes go on after it fell
			expect(counted(job.sleeps).running).toBe(1);
			// it learns it when it goes on
			three.signal("SIGCONT");
			expect(await three.ended()).toBe(71);
			expect(counted(job.sleeps).there).toBe(0);
			expect(await late).toEqual(Array(lateMax).fill("rejected"));
			expect(await landed()).toBe(0);
			await three.start();
		}
	});

	test.runIf(torture)("control: if its life were not compared, all of it would be written", async () => {
		const [one, , three] = all();
		const rowOf = async () => (await admin.query("select * from node where state like $1", ['%"name":"c"%'])).rows[0];
		const up = await rowOf();
		const { late } = await fallFrozen(one, three);
		const down = await rowOf();
		const put = async (row: typeof up) =>
			await admin.query("update node set epoch = $2, active = $3, state = $4 where id = $1", [
				...[row.id, row.epoch, row.active, row.state],
			]);
		await put(up);
		three.signal("SIGCONT");
		expect(await late).toEqual(Array(lateMax).fill("fulfilled"));
		expect(await landed()).toBe(lateMax);
		three.signal("SIGKILL");
		await three.ended();
		await put(down);
		await three.start();
	});

	/** Who waits for the writer's lock, and since when. */
	const waiting = `select extract(epoch from clock_timestamp() - query_start) as seconds from pg_locks l
		join pg_stat_activity a using (pid) where l.locktype = 'advisory' and not l.granted and a.datname = current_database()`;
	const stuck = `select pid from pg_locks l join pg_stat_activity a using (pid)
		where l.locktype = 'advisory' and l.granted and a.state = 'idle in transaction' and a.datname = current_database()`;

	test("a writer that freezes in the middle of a batch keeps the others waiting for two seconds", async () => {
		const [one, two] = all();
		const { agent } = await agentAt(one);
		const write = (node: NodeProcess, name: "pause" | "resume") =>
			node.client.ask(name, { params: { agent }, body: {} });
		let isOver = false;
		const load = Array.from({ length: 8 }, async () => {
			while (!isOver) await write(two, "pause").catch(() => null);
		});
		for (let frozen = 0; frozen < rounds; ) {
			two.signal("SIGSTOP");
			// at another moment it would keep nobody waiting
			if ((await admin.query(stuck)).rows.length > 0) {
				const from = performance.now();
				await write(one, "pause");
				if (torture) expect(performance.now() - from).toBeLessThan(2500);
				frozen++;
			}
			two.signal("SIGCONT");
			// it writes again before it is frozen again
			await write(two, "pause");
		}
		isOver = true;
		await Promise.all(load);
		// control: a writer whose silence is not bounded
		await admin.query(`begin; select pg_advisory_xact_lock(${writerLock})`);
		let answered = false;
		const waits = write(one, "pause").then(() => {
			answered = true;
		});
		await eventually("it waits longer", async () => (await admin.query(waiting)).rows.some((row) => row.seconds > 2.5));
		expect(answered).toBe(false);
		await admin.query("commit");
		await waits;
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
