// What was used, and budgets, as a user meets them: a whole daemon and real processes.
import { afterEach, describe, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { freshFolder } from "#test/support/stores.ts";

const open: Daemon[] = [];
afterEach(async () => {
	for (const daemon of open.splice(0)) await daemon[Symbol.asyncDispose]();
});

const longTimeout = { timeout: 60_000 };

async function started(home = freshFolder()) {
	const daemon = await startDaemon({ home });
	open.push(daemon);
	const client = new Client(daemon);
	const add = async (prompt: string, more: object = {}) =>
		await client.ask("agentAdd", { body: { type: "scripted", prompt, ...more } });
	const agent = async (id: string) => await client.call("agent", { params: { agent: id } });
	const turns = async (id: string) => (await client.call("turns", { params: { agent: id } })).map(({ state }) => state);
	const said = async (id: string) =>
		(await client.call("items", { params: { agent: id } })).flatMap(({ kind, text }) =>
			kind === "assistant" ? [text] : [],
		);
	const prompt = async (id: string, text: string) =>
		await client.ask("prompt", { params: { agent: id }, body: { text } });
	return { daemon, client, home, add, agent, turns, said, prompt };
}

describe("what was used", () => {
	test("is added up by turn, agent, subscription, project and fork family", longTimeout, async () => {
		const { client, add, turns, agent } = await started();
		await client.ask("subscriptionAdd", { body: { name: "max", type: "scripted", maxConcurrent: 2 } });
		const parent = await add("spend 100 0.5\nspend 20 0.25\nsay done");
		await expect.poll(() => turns(parent.id), longTimeout).toEqual(["completed"]);
		const child = await client.ask("fork", { params: { agent: parent.id }, body: { prompt: "spend 7" } });
		await expect.poll(() => turns(child.id), longTimeout).toEqual(["completed"]);
		const [turn] = await client.call("turns", { params: { agent: parent.id } });
		expect(turn?.usage).toMatchObject({ inputTokens: 120, cost: { amount: 0.75, currency: "USD" } });
		const own = { inputTokens: 120, costs: [{ amount: 0.75, currency: "USD" }] };
		expect(await agent(parent.id)).toMatchObject({ spent: own, budget: null });
		expect(await client.call("agentUsage", { params: { agent: parent.id } })).toMatchObject({
			spent: own,
			tokens: 120,
			withForks: { inputTokens: 127 },
		});
		expect(await client.call("usage", { query: { by: "subscription" } })).toMatchObject([
			{ name: "max", spent: { inputTokens: 127 } },
		]);
		expect(await client.call("usage", { query: { by: "project" } })).toMatchObject([
			{ name: "-", spent: { inputTokens: 127 } },
		]);
	});
});

describe("a budget", () => {
	test("stops a turn between two steps, leaves room for last words, and holds the agent", longTimeout, async () => {
		const { client, add, agent, turns, said } = await started();
		const { id } = await add("spend 60\nspend 60\nsleep 60000\nsay never", { budget: { tokens: 100 } });
		await client.ask("prompt", { params: { agent: id }, body: { text: "say later" } });
		await expect.poll(() => turns(id), longTimeout).toEqual(["interrupted", "completed"]);
		expect(await said(id)).toEqual([expect.stringMatching(/^Your budget is used up/)]);
		expect(await agent(id)).toMatchObject({
			label: "paused",
			holds: [{ kind: "budget" }],
			queueLength: 1,
			budgetLeft: { tokens: 0 },
		});
		// more of it lets the queue go on by itself
		await client.ask("configure", { params: { agent: id }, body: { budget: { tokens: 1000 } } });
		await expect.poll(() => turns(id), longTimeout).toEqual(["interrupted", "completed", "completed"]);
		expect(await said(id)).toContain("later");
		expect(await agent(id)).toMatchObject({ label: "idle", holds: [], budgetLeft: { tokens: 880 } });
	});

	test("that a turn ends over holds only what comes after it", longTimeout, async () => {
		const { agent, add, turns, said } = await started();
		const { id } = await add("say whole\nspend 200", { budget: { tokens: 100 } });
		await expect.poll(async () => (await agent(id)).label, longTimeout).toBe("paused");
		expect((await said(id))[0]).toBe("whole");
		expect((await turns(id)).length).toBeGreaterThan(0);
	});

	test("is split by a fork, and what is left comes back when the fork ends", longTimeout, async () => {
		const { client, add, agent, turns } = await started();
		const { id } = await add("spend 20", { budget: { tokens: 100, cost: { amount: 2, currency: "USD" } } });
		await expect.poll(() => turns(id), longTimeout).toEqual(["completed"]);
		const child = await client.ask("fork", { params: { agent: id }, body: { prompt: "spend 10" } });
		expect(child).toMatchObject({ budget: { tokens: 40, cost: { amount: 1 } } });
		expect(await agent(id)).toMatchObject({ budget: { tokens: 60 }, budgetLeft: { tokens: 40, cost: { amount: 1 } } });
		await expect.poll(() => turns(child.id), longTimeout).toEqual(["completed"]);
		await client.ask("kill", { params: { agent: child.id }, body: {} });
		expect(await agent(id)).toMatchObject({ budget: { tokens: 90 }, budgetLeft: { tokens: 70, cost: { amount: 2 } } });
		await expect(client.ask("fork", { params: { agent: id }, body: { budget: { tokens: 71 } } })).rejects.toThrow(
			"70 tokens",
		);
	});

	test("counts on after a restart", longTimeout, async () => {
		const { home, daemon, add, turns } = await started();
		const { id } = await add("spend 30", { budget: { tokens: 100 } });
		await expect.poll(() => turns(id), longTimeout).toEqual(["completed"]);
		await daemon[Symbol.asyncDispose]();
		open.length = 0;
		const again = await started(home);
		await again.prompt(id, "spend 30");
		await expect.poll(() => again.turns(id), longTimeout).toEqual(["completed", "completed"]);
		expect(await again.agent(id)).toMatchObject({ spent: { inputTokens: 60 }, budgetLeft: { tokens: 40 } });
	});
});
