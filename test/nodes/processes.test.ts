// N2, N3 and N5: three daemons as processes, and what becomes of them when one is killed or cut off.
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
	agentAt,
	type Daemons,
	give,
	label,
	sleepSeconds,
	stateOf,
	type TokenWork,
	testFolded,
	tokens,
	Worlds,
} from "#test/support/node-work.ts";
import { counted, eventually, type NodeProcess } from "#test/support/nodes.ts";
import { OtherVersion } from "#test/support/other-version.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const rounds = torture ? 200 : 1;
/** with the falls and partitions a thousand */
const sudden = torture ? 600 : 3;
/** a kill comes at any moment of the first turns */
const suddenWithinMs = 600;
/** shorter than the silence of a node that is taken for dead */
const cutForMs = 1500;

describe("three daemons on one database", { timeout: torture ? 14_400_000 : 120_000 }, () => {
	const worlds = new Worlds(torture ? 5 : 1);

	test("kill -9: its turn is interrupted at every node within 15 s, and its prompt was started once", async () => {
		const times: number[] = [];
		await worlds.share(rounds, async ({ all }, round) => {
			const [one, two, three] = all();
			const job = await agentAt(two);
			await give(one, job, "only");
			await eventually("the turn runs", () => counted(job.sleeps).running === 1);
			two.signal("SIGKILL");
			const streams = [one, three].map((node) => node.streamUntil("node.fell", round + 1));
			const shown = [one, three].map((node) => eventually("error", async () => (await label(node, job)) === "error"));
			times.push(...(await Promise.all(shown)));
			for (const seen of await Promise.all(streams)) expect(seen).toEqual(seen.map((_, at) => at + 1));
			expect([tokens(job.file), counted(job.sleeps).there]).toEqual([["only"], 0]);
			await two.start();
			expect(await stateOf(one, two)).toBe("up");
		});
		if (!torture) return;
		times.sort((a, b) => a - b);
		expect(times.at(-1)).toBeLessThan(15_000);
		expect(times[times.length >> 1]).toBeLessThan(11_000);
	});

	test("cut off: its processes stand still before anybody takes its place, and end before it exits", async () => {
		await worlds.share(rounds, async ({ all }) => {
			const [one, two] = all();
			const sleeps = sleepSeconds();
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
		});
	});

	const handed = `select data from event join agent on agent.seq = event.agent where agent.id = $1 and kind = 'turn.handed'`;

	/** How the turns of each of these prompts ended that were handed over to a process; once all were, and are over. */
	async function handedOver(
		{ all, query }: Daemons,
		{ agent }: TokenWork,
		prompts: readonly number[],
	): Promise<string[][]> {
		const [{ client }] = all();
		const ask = { params: { agent } };
		let states: string[][] = [];
		await eventually("each prompt was handed over, and its turn is over", async () => {
			const { id, holds } = await client.ask("agent", ask);
			// whatever was interrupted holds its agent
			if (holds.length > 0) await client.ask("resume", { ...ask, body: {} });
			const ids = (await query(handed, [id])).rows.map(({ data }) => Number(JSON.parse(data).turn));
			const turns = (await client.call("turns", ask)).filter((turn) => ids.includes(turn.id));
			// a turn that was not handed over has given its prompt back
			states = prompts.map((prompt) => turns.filter((turn) => turn.prompt === prompt).map(({ state }) => state));
			return states.every((each) => each.length > 0 && !each.includes("open"));
		});
		return states;
	}

	/** Out of reach of the database for a moment, at any moment. */
	async function cutOff({ proxy }: NodeProcess): Promise<void> {
		await pause(randomInt(suddenWithinMs));
		proxy.cut("to the server", "to the client");
		await pause(randomInt(cutForMs));
		proxy.heal();
	}

	async function killAndStart(node: NodeProcess): Promise<void> {
		await pause(randomInt(suddenWithinMs));
		node.signal("SIGKILL");
		await node.ended();
		await node.start();
	}

	test(`${sudden} kills and cuts at any moment: no prompt is started twice, and none is forgotten`, async () => {
		const words = ["first", "second", "third"];
		// a round has three of them
		await worlds.share(sudden / 3, async (daemons) => {
			const [one, two, three] = daemons.all();
			const jobs = await Promise.all([two, two, three, three].map(agentAt));
			const prompting = jobs.map(async ({ agent, file }) => {
				const ids: number[] = [];
				for (const token of words) {
					const body = { text: `echo ${token} >> ${file}` };
					ids.push((await one.client.ask("prompt", { params: { agent }, body })).id);
				}
				return ids;
			});
			await Promise.all([killAndStart(two), cutOff(three)]);
			const looking = jobs.map(async (job, at) => {
				const states = await handedOver(daemons, job, (await prompting[at]) ?? []);
				expect(states.map((each) => each.length)).toEqual([1, 1, 1]);
				const written = tokens(job.file);
				expect([...new Set(written)]).toEqual(written);
				expect(written).toEqual(
					expect.arrayContaining(words.filter((_, prompt) => states[prompt]?.[0] === "completed")),
				);
			});
			await Promise.all([cutOff(two), ...looking]);
		});
	});

	testFolded(worlds);

	test.runIf(torture)("control: if nobody looked whose turn it is, a prompt would be started twice", async () => {
		using careless = new OtherVersion([
			["const open = all.filter((turn) => isOwn(this.#parts.node, turn));", "const open = all;"],
			[
				'const refusal = refusedIfHandedOver(agent, turn);\n	if (refusal) return refusal;\n	if (turn.source === "mail"',
				'if (turn.source === "mail"',
			],
		]);
		const nodes = worlds.first.all();
		for (const node of nodes) node.signal("SIGKILL");
		await Promise.all(nodes.map((node) => node.ended()));
		await Promise.all(nodes.map((node) => node.start(careless.daemon)));
		const [one, two] = nodes;
		let most = 0;
		for (let at = 0; at < 10 && most < 2; at++) {
			const job = await agentAt(two);
			await give(one, job, "only");
			await eventually("it is started", () => tokens(job.file).includes("only"));
			// those that run it as well are not slower than a second prompt
			const next = await agentAt(two);
			await give(one, next, "only");
			await eventually("the next is started", () => tokens(next.file).includes("only"));
			most = tokens(job.file).filter((token) => token === "only").length;
		}
		expect(most).toBeGreaterThan(1);
	});
});
