// Three daemons as processes, of which one stands still: what it does when it wakes up, and for how long the others
// wait.
import { describe, expect, test } from "vitest";
import { writerLock } from "#adapters/store/postgres/begin.ts";
import { agentAt, type Daemons, give, stateOf, testFolded, tokens, Worlds } from "#test/support/node-work.ts";
import { counted, eventually, type NodeProcess } from "#test/support/nodes.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const rounds = torture ? 100 : 1;
const lateMax = 20;
/** Each freezes a node of its own. In the long form the first also measures for how long others wait. */
const testBeside = torture ? test : test.concurrent;

describe("a daemon that is frozen", { timeout: torture ? 14_400_000 : 120_000 }, () => {
	const worlds = new Worlds(torture ? 5 : 1);

	testBeside("frozen: the watchdog ends a daemon that stands still, with its processes, before it falls", async () => {
		await worlds.share(rounds, async ({ all }) => {
			const [one, , three] = all();
			const job = await agentAt(three);
			await give(one, job, "only");
			await eventually("the turn runs", () => counted(job.sleeps).running === 1);
			three.signal("SIGSTOP");
			// what one writes meanwhile waits for no longer than a frozen batch may keep the lock
			let longest = 0;
			const other = await agentAt(one);
			let written = 0;
			const write = async (): Promise<boolean> => {
				const from = performance.now();
				const verb = written++ % 2 === 0 ? "pause" : "resume";
				await one.client.ask(verb, { params: { agent: other.agent }, body: {} });
				longest = Math.max(longest, performance.now() - from);
				return (await stateOf(one, three)) !== "up";
			};
			const writes = torture ? untilTrue(write) : eventually("it fell", write);
			expect(await three.ended()).toBe("SIGKILL");
			await eventually("its processes are gone", () => counted(job.sleeps).there === 0, 3000);
			expect(await stateOf(one, three)).toBe("up");
			await writes;
			expect([await stateOf(one, three), tokens(job.file)]).toEqual(["down", ["only"]]);
			if (torture) expect(longest).toBeLessThan(2500);
			await three.start();
		});
	});

	/** Without a pause: any moment may be the one. */
	async function untilTrue(check: () => Promise<boolean>): Promise<void> {
		while (!(await check()));
	}

	/**
	 * Frozen without its watchdog until it fell; what it is asked meanwhile lies in its socket. Not while the process
	 * that sleeps this long is suspended, as it may be on a machine under load.
	 */
	async function fallFrozen(
		one: NodeProcess,
		three: NodeProcess,
		sleeps?: string,
	): Promise<{ late: Promise<string[]> }> {
		const { agent } = await agentAt(one);
		await one.client.ask("pause", { params: { agent }, body: {} });
		await eventually("it stands still at work", () => {
			three.signal("SIGSTOP");
			const isAtWork = sleeps === undefined || counted(sleeps).running === 1;
			if (!isAtWork) three.signal("SIGCONT");
			return isAtWork;
		});
		process.kill(three.watchdog(), "SIGKILL");
		const texts = Array.from({ length: lateMax }, (_, at) => `late ${at}`);
		const late = texts.map((text) => three.client.ask("prompt", { params: { agent }, body: { text } }));
		const settled = Promise.allSettled(late).then((all) => all.map(({ status }) => status));
		await eventually("it fell", async () => (await stateOf(one, three)) === "down");
		return { late: settled };
	}

	const landed = async ({ query }: Daemons): Promise<number> =>
		Number((await query("select count(*) from event where text like 'late %'")).rows[0].count);

	testBeside("frozen until it fell: nothing that it was asked is written any more, and its processes end", async () => {
		await worlds.share(rounds, async (daemons) => {
			const [one, two] = daemons.all();
			const job = await agentAt(two);
			await give(one, job, "only");
			await eventually("the turn runs", () => counted(job.sleeps).running === 1);
			const { late } = await fallFrozen(one, two, job.sleeps);
			// control: without a watchdog its processes go on after it fell
			expect(counted(job.sleeps)).toMatchObject({ there: 1, running: 1 });
			// it learns it when it goes on
			two.signal("SIGCONT");
			expect(await two.ended()).toBe(71);
			expect(counted(job.sleeps).there).toBe(0);
			expect(await late).toEqual(Array(lateMax).fill("rejected"));
			expect(await landed(daemons)).toBe(0);
			await two.start();
		});
	});

	test.runIf(torture)("control: if its life were not compared, all of it would be written", async () => {
		const { all, query } = worlds.first;
		const [one, , three] = all();
		const rowOf = async () => (await query("select * from node where state like $1", ['%"name":"c"%'])).rows[0];
		const up = await rowOf();
		const { late } = await fallFrozen(one, three);
		const down = await rowOf();
		const put = async (row: typeof up) =>
			await query("update node set epoch = $2, active = $3, state = $4 where id = $1", [
				...[row.id, row.epoch, row.active, row.state],
			]);
		await put(up);
		three.signal("SIGCONT");
		expect(await late).toEqual(Array(lateMax).fill("fulfilled"));
		expect(await landed(worlds.first)).toBe(lateMax);
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
		const { all, query } = worlds.first;
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
			if ((await query(stuck)).rows.length > 0) {
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
		await query(`begin; select pg_advisory_xact_lock(${writerLock})`);
		let answered = false;
		const waits = write(one, "pause").then(() => {
			answered = true;
		});
		await eventually("it waits longer", async () => (await query(waiting)).rows.some((row) => row.seconds > 2.5));
		expect(answered).toBe(false);
		await query("commit");
		await waits;
	});

	testFolded(worlds);
});
