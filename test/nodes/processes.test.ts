// Three daemons as processes, and what becomes of them when one is killed or cut off.
import { describe, expect, test } from "vitest";
import { agentAt, give, label, stateOf, testFolded, threeDaemons, tokens, word } from "#test/support/node-jobs.ts";
import { counted, eventually } from "#test/support/nodes.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const rounds = torture ? 200 : 1;

describe("three daemons on one database", { timeout: torture ? 14_400_000 : 120_000 }, () => {
	const daemons = threeDaemons();
	const { all } = daemons;

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

	testFolded(daemons);
});
