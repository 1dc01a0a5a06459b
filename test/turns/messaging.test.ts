// Questions, waits, long outputs and people, with real processes and over HTTP.
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client, Refused } from "#client/client.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { freshFolder } from "#test/support/stores.ts";

const home = freshFolder();
let daemon: Daemon;
let client: Client;
const start = async (): Promise<void> => {
	daemon = await startDaemon({ home });
	client = new Client(daemon);
};
beforeAll(start);
afterAll(async () => await daemon[Symbol.asyncDispose]());

const longTimeout = { timeout: 20_000 };
const add = async (prompt: string, more: object = {}) =>
	await client.call("agentAdd", { body: { type: "scripted", prompt, ...more } });
const items = async (agent: string) => await client.call("items", { params: { agent } });
const over = async (agent: string, count = 1) => {
	await expect
		.poll(
			async () => (await client.call("turns", { params: { agent } })).filter((turn) => turn.state !== "open").length,
			longTimeout,
		)
		.toBe(count);
	return (await items(agent)).map((item) => [item.kind, item.text]);
};
const asked = async (agent: string) => {
	await expect.poll(async () => (await client.call("approvals", { query: { agent } })).length, longTimeout).toBe(1);
	return String((await client.call("approvals", { query: { agent } }))[0]?.id);
};

describe("scripted asks", () => {
	test("and goes on when somebody allows it; who asks shows with its path in the tree", async () => {
		const parent = await add("say hello");
		const child = await client.call("fork", { params: { agent: parent.id }, body: { prompt: "ask May I?\nsay done" } });
		const approval = await asked(child.id);
		expect(await client.call("approvals", { query: { agent: child.id } })).toMatchObject([
			{ handles: ["init", parent.handle, child.handle], title: "May I?", state: "pending" },
		]);
		expect((await client.call("agent", { params: { agent: child.id } })).turn).toMatchObject({ phase: "approval" });
		await client.call("approvalAnswer", { params: { approval }, body: { allow: true } });
		expect((await over(child.id)).slice(-4)).toEqual([
			["tool_call", "May I?"],
			["tool_result", "allowed"],
			["assistant", "done"],
			["final", "done"],
		]);
	});

	test("and is told when somebody denies it", async () => {
		const agent = await add("ask May I?");
		await client.call("approvalAnswer", { params: { approval: await asked(agent.id) }, body: { allow: false } });
		expect(await over(agent.id)).toContainEqual(["tool_result", "denied"]);
	});

	test("and is asked no more once its turn was interrupted", async () => {
		const agent = await add("ask May I?");
		const approval = await asked(agent.id);
		await client.call("interrupt", { params: { agent: agent.id }, body: {} });
		await over(agent.id);
		const late = client.call("approvalAnswer", { params: { approval }, body: { allow: true } });
		await expect(late).rejects.toThrow(/was cancelled/);
	});
});

describe("scripted waits", () => {
	test("for its children, inside its turn", async () => {
		const agent = await add("fork sleep 300\nwait children 30\nsay they are done");
		expect((await over(agent.id)).slice(-3)).toEqual([
			["tool_result", "met"],
			["assistant", "they are done"],
			["final", "they are done"],
		]);
	});

	test("until time runs out", async () => {
		const other = await add("sleep 60000");
		const agent = await add(`wait ${other.handle} 0.2\nsay enough`);
		const all = await over(agent.id);
		expect(all.map(([kind]) => kind)).toEqual(["user", "tool_call", "timeout", "tool_result", "assistant", "final"]);
		expect(all[3]?.[1]).toBe("timeout");
		await client.call("kill", { params: { agent: other.id }, body: {} });
	});
});

describe("what a command had printed", () => {
	test("is kept when it is interrupted", async () => {
		const agent = await add("run echo the first half; sleep 100");
		await expect
			.poll(async () => (await items(agent.id)).some((item) => item.kind === "tool_call"), longTimeout)
			.toBe(true);
		await client.call("interrupt", { params: { agent: agent.id }, body: { reason: "enough" } });
		const results = (await over(agent.id)).filter(([kind]) => kind === "tool_result");
		expect(results).toHaveLength(1);
		expect(results[0]?.[1]).toMatch(/the first half/);
	});

	test("is kept up to the last flush when its process is killed", async () => {
		const agent = await add("run echo the first half; sleep 1; kill -9 $PPID; sleep 100");
		const results = (await over(agent.id)).filter(([kind]) => kind === "tool_result");
		expect(results).toEqual([["tool_result", "the first half\n"]]);
	});
});

test("a long output is kept whole, apart; the item has its beginning, and a backup has both", async () => {
	const agent = await add("run head -c 3000000 /dev/zero | tr '\\0' x");
	await over(agent.id);
	const result = (await items(agent.id)).find((item) => item.kind === "tool_result");
	const whole = "x".repeat(3_000_000);
	const name = createHash("sha256").update(whole).digest("hex");
	expect(result?.text?.length).toBeLessThan(20_000);
	expect(result).toMatchObject({
		text: expect.stringMatching(/\[truncated: 3000000 bytes, the full text is in a blob\]$/),
		data: { blob: name, bytes: 3_000_000 },
	});
	const item = { params: { item: String(result?.id) } };
	expect((await client.call("item", item)).text === whole).toBe(true);
	const file = path.join(freshFolder(), "copy.db");
	await client.call("backup", { body: { file } });
	const other = freshFolder();
	copyFileSync(file, path.join(other, "brood.db"));
	cpSync(`${file}.blobs`, path.join(other, "blobs"), { recursive: true });
	await using restored = await startDaemon({ home: other });
	const there = new Client(restored);
	expect((await there.call("item", item)).text === whole).toBe(true);
	expect((await there.call("agents", { query: {} })).map(({ id }) => id)).toEqual(
		(await client.call("agents", { query: {} })).map(({ id }) => id),
	);
	await expect(
		client.call("backup", { body: { file: file.replace("copy.db", "copy.db.blobs/x") } }),
	).resolves.toMatchObject({ bytes: expect.any(Number) });
	expect(existsSync(path.join(home, "blobs", name))).toBe(true);
});

describe("a human agent", () => {
	test("has a turn that outlives the daemon, and ends it in words", async () => {
		const agent = await add("please look at it", { type: "human", name: "reviewer" });
		await expect
			.poll(async () => (await client.call("agent", { params: { agent: agent.id } })).label, longTimeout)
			.toBe("running");
		await daemon[Symbol.asyncDispose]();
		await start();
		expect(await client.call("agent", { params: { agent: agent.id } })).toMatchObject({
			label: "running",
			holds: [],
			turn: { phase: "wait" },
		});
		expect((await client.call("inbox")).humanAgents).toMatchObject([{ id: agent.id }]);
		expect(
			await client.call("turnFinish", { params: { agent: agent.id }, body: { message: "it is good" } }),
		).toMatchObject({ state: "completed" });
		expect(await over(agent.id)).toEqual([
			["user", "please look at it"],
			["assistant", "it is good"],
			["final", "it is good"],
		]);
		expect((await client.call("inbox")).humanAgents).toEqual([]);
		await expect(
			client.call("turnFinish", { params: { agent: agent.id }, body: { message: "again" } }),
		).rejects.toThrow(Refused);
	});

	test("can be interrupted like anybody else", async () => {
		const agent = await add("please look", { type: "human" });
		await expect
			.poll(async () => (await client.call("agent", { params: { agent: agent.id } })).label, longTimeout)
			.toBe("running");
		expect(
			await client.call("interrupt", { params: { agent: agent.id }, body: { reason: "no longer" } }),
		).toMatchObject({ label: "paused" });
	});
});

test("the journal is read by agent, kind and time", async () => {
	const agent = await add("say one");
	await over(agent.id);
	const journal = async (query: object) => (await client.ask("journal", { query })).events;
	expect((await journal({ agent: agent.id, kind: "turn" })).map((event) => event.kind)).toEqual([
		"turn.started",
		"turn.handed",
		"turn.ended",
	]);
	expect((await journal({ agent: agent.id, kind: "final" })).map((event) => event.text)).toEqual(["one"]);
	const [first] = await journal({ agent: agent.id });
	expect((await journal({ since: first?.at })).every((event) => event.at >= (first?.at ?? ""))).toBe(true);
	expect(await journal({ since: new Date(daemon.engine.now() + 60_000).toISOString() })).toEqual([]);
	const pages = await client.ask("journal", { query: { limit: 2 } });
	expect([pages.events.length, pages.next]).toEqual([2, 2]);
});
