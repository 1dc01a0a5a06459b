// The tools for agents: over standard input and output, as a vendor's agent starts them, and over HTTP.
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { toolNames } from "#client/tools.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { openTurnToken } from "#test/support/open-turn-token.ts";
import { testProgram } from "#test/support/programs.ts";
import { freshFolder } from "#test/support/stores.ts";

const vendor = {
	command: process.execPath,
	args: [testProgram("tool-agent")],
	leavesNothing: false,
};
let daemon: Daemon;
let client: Client;
beforeAll(async () => {
	daemon = await startDaemon({ home: freshFolder(), programs: { vendor } });
	client = new Client(daemon);
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const longTimeout = { timeout: 30_000 };
const said = async (agent: string) =>
	(await client.call("items", { params: { agent } })).flatMap((item) =>
		item.kind === "assistant" ? (item.text ?? "") : [],
	);
const turnsOver = async (agent: string, count: number) =>
	await expect
		.poll(
			async () =>
				(await client.call("turns", { params: { agent } })).filter((turn) => turn.state === "completed").length,
			longTimeout,
		)
		.toBe(count);
const ask = async (prompt: string, more: object = {}) => {
	const { id } = await client.call("agentAdd", { body: { type: "vendor", policy: "full", prompt, ...more } });
	await turnsOver(id, 1);
	return { id, answers: (await said(id)).map((text) => (text.startsWith("{") ? JSON.parse(text) : text)) };
};

describe("a vendor's agent", () => {
	test("is given the tools with its process, and nothing in them names an agent", async () => {
		const { answers } = await ask("list");
		expect(answers).toEqual([toolNames.join(" ")]);
	});

	test("forks itself and learns its child's id; refusals are errors with their code", async () => {
		const { id, answers } = await ask(
			[
				'fork {"prompt":"say I am the child","name":"mcp-child","type":"scripted"}',
				'kill {"agent":"init"}',
				'send {"agent":"nobody","body":"x"}',
				'send {"agent":"init"}',
			].join("\n"),
		);
		const child = await client.call("agent", { params: { agent: "mcp-child" } });
		expect(answers).toMatchObject([
			{ error: false, text: `Your child is mcp-child (id ${child.id}), idle.` },
			{ error: true, text: "CANNOT_KILL_ROOT: Agent 0 cannot be killed." },
			{ error: true, text: expect.stringMatching(/^AGENT_NOT_FOUND: /) },
			{ error: true, text: expect.stringMatching(/body/) },
		]);
		expect(child).toMatchObject({ supervisor: id, lineage: null, createdBy: `agent:${id}` });
		await turnsOver(child.id, 1);
		expect(await said(child.id)).toEqual(["I am the child"]);
		// the child learns who it is and who asked
		const { handle } = await client.call("agent", { params: { agent: id } });
		expect((await client.call("context", { params: { agent: child.id } })).slice(0, 2)).toMatchObject([
			{ kind: "fork", text: `You are mcp-child, made by ${handle}.`, data: { parent: id } },
			{ kind: "user", text: "say I am the child", data: { from: `agent:${id}` } },
		]);
	});

	test("waits by ending its turn and is continued with a prompt; what has happened already is answered at once", async () => {
		const { id, answers } = await ask(
			[
				'fork {"prompt":"sleep 3600000","name":"sleeper","type":"scripted"}',
				'wait {"agents":["sleeper"],"timeoutSeconds":60}',
			].join("\n"),
		);
		expect(answers.at(-1)).toMatchObject({ error: false, text: expect.stringMatching(/End your turn now/) });
		await expect
			.poll(async () => (await client.call("agent", { params: { agent: "sleeper" } })).turn !== null, longTimeout)
			.toBe(true);
		await client.call("interrupt", { params: { agent: "sleeper" }, body: { resume: true } });
		await turnsOver(id, 2);
		expect((await said(id)).at(-1)).toBe("heard: What you waited for has happened (idle: sleeper).");
		await client.call("prompt", { params: { agent: id }, body: { text: 'wait {"agents":["sleeper"]}' } });
		await turnsOver(id, 3);
		expect(JSON.parse((await said(id)).at(-1) ?? "")).toEqual({
			error: false,
			text: "It has happened.\nsleeper: idle",
		});
		// and nothing more comes of it
		expect(await client.call("queue", { params: { agent: id } })).toEqual([]);
	});

	test("has its mail, its queue, a search and a list", async () => {
		await client.call("agentAdd", { body: { name: "writer", type: "scripted", prompt: "say the xylophone is blue" } });
		await turnsOver("writer", 1);
		const { id } = await client.call("agentAdd", { body: { name: "reader", type: "vendor" } });
		await client.call("pause", { params: { agent: id }, body: {} });
		await client.call("send", { params: { agent: id }, body: { body: "one\ntwo" } });
		await client.call("prompt", {
			params: { agent: id },
			body: {
				text: 'check_mail\nread_mail\nread_mail\nsearch {"text":"xylo*"}\nlist_agents\nqueue_prompt {"agent":"reader","text":"later"}\ndiff',
				now: true,
			},
		});
		await turnsOver(id, 1);
		const [check, read, again, found, all, queued, diff] = (await said(id)).map((text) => JSON.parse(text).text);
		expect(check).toMatch(/^1 unread of 1\.\nmail \d+ from human, 7 characters$/);
		expect(read).toMatch(/^\[mail (\d+) from human\]\n\| one\n\| two\n\[end of mail \1\]$/);
		expect(again).toBe("No unread mail.");
		expect(found).toMatch(/assistant of writer\]\n\| the xylophone is blue/);
		expect(all).toMatch(/^reader \(\S+\), you: vendor, running, queue \d$/m);
		expect(queued).toMatch(/^Prompt \d+ is number \d in the queue\.$/);
		expect(diff).toMatch(/^[A-Z_]+: /);
	});
});

describe("over HTTP", () => {
	test("the same tools answer at /mcp with the token of the process", async () => {
		const agent = await client.call("agentAdd", { body: { name: "http-agent", type: "scripted" } });
		const token = await openTurnToken(daemon, agent.id);
		const mcp = new McpClient({ name: "test", version: "1" });
		await mcp.connect(
			new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), {
				requestInit: { headers: { authorization: `Bearer ${token}` } },
			}),
		);
		expect((await mcp.listTools()).tools.map((tool) => tool.name)).toEqual(toolNames);
		const forked = await mcp.callTool({ name: "fork", arguments: { prompt: "say hi", name: "http-child" } });
		expect(forked._meta?.["brood/data"]).toMatchObject({ handle: "http-child" });
		const refused = await mcp.callTool({ name: "kill", arguments: { agent: "init" } });
		expect(refused).toMatchObject({ isError: true, _meta: { "brood/data": { code: "CANNOT_KILL_ROOT" } } });
		// an own agent may wait inside its turn
		const waited = await mcp.callTool({ name: "wait", arguments: { agents: ["http-child"] } });
		expect(waited._meta?.["brood/data"]).toMatchObject({ state: "met", seen: [{ handle: "http-child", met: true }] });
		await client.call("interrupt", { params: { agent: agent.id }, body: {} });
		expect(await mcp.callTool({ name: "list_agents", arguments: {} })).toMatchObject({
			isError: true,
			_meta: { "brood/data": { code: "TURN_NOT_OPEN" } },
		});
		await client.call("kill", { params: { agent: agent.id }, body: {} });
		await expect(mcp.callTool({ name: "list_agents", arguments: {} })).rejects.toThrow(/401|Unauthorized/i);
		await mcp.close();
	});

	test("is not for people, strangers and other pages", async () => {
		const post = async (headers: Record<string, string>) => {
			const response = await fetch(`${daemon.url}/mcp`, { method: "POST", headers, body: "{}" });
			return [response.status, JSON.parse(await response.text()).error.code];
		};
		expect(await post({ authorization: `Bearer ${daemon.token}` })).toEqual([403, "FORBIDDEN"]);
		expect(await post({})).toEqual([401, "UNAUTHORIZED"]);
		expect(await post({ authorization: `Bearer ${daemon.token}`, origin: "http://evil.example" })).toEqual([
			401,
			"UNAUTHORIZED",
		]);
	});
});
