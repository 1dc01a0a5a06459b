// Our own agent on a model: real processes through a whole daemon, with a provider on loopback.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { Client } from "#client/client.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import {
	type Asked,
	conversationIn,
	type FakeProvider,
	fakeProvider,
	type Reply,
} from "#test/support/fake-provider.ts";
import { freshFolder } from "#test/support/stores.ts";

let fake: FakeProvider;
let daemon: Daemon;
let client: Client;
const home = freshFolder();
beforeAll(async () => {
	fake = await fakeProvider();
	for (const name of ["ANTHROPIC", "OPENAI", "COMPATIBLE"]) {
		vi.stubEnv(`${name}_API_KEY`, "k");
		vi.stubEnv(`${name}_BASE_URL`, `${fake.url}/v1`);
	}
	vi.stubEnv("GEMINI_API_KEY", "k");
	vi.stubEnv("GOOGLE_GENERATIVE_AI_BASE_URL", `${fake.url}/v1beta`);
	daemon = await startDaemon({ home });
	client = new Client(daemon);
});
afterAll(async () => {
	await daemon[Symbol.asyncDispose]();
	await fake[Symbol.asyncDispose]();
	vi.unstubAllEnvs();
});
afterEach(() => {
	fake.requests.length = 0;
});

const longTimeout = { timeout: 30_000 };
/** Each reply once, in their order; then the last words. */
const script = (...replies: Reply[]): void => {
	fake.answer = () => replies.shift() ?? { text: "done" };
};
const add = async (prompt: string, more: object = {}) =>
	await client.call("agentAdd", { body: { type: "llm", model: "anthropic/fake", policy: "full", prompt, ...more } });
const turns = async (agent: string) => await client.call("turns", { params: { agent } });
const over = async (agent: string, count = 1) => {
	await expect
		.poll(async () => (await turns(agent)).filter((turn) => turn.state !== "open").length, longTimeout)
		.toBe(count);
	return (await turns(agent)).at(-1);
};
const items = async (agent: string) => await client.call("items", { params: { agent } });
const story = async (agent: string) =>
	(await items(agent)).filter((item) => item.kind !== "usage").map((item) => [item.kind, item.text]);
const messages = (asked: Asked | undefined) => conversationIn(asked?.body ?? "{}");
const folderOf = (handle: string) => path.join(home, "agent-folders", "_", handle);

describe.each(["anthropic/fake", "openai/fake", "compatible/fake", "google/fake"])("with %s", (model) => {
	test("it streams, uses tools side by side, and goes on with what they gave", async () => {
		script(
			{
				text: "I look.",
				calls: [
					{ name: "write", input: { path: "a/b.txt", content: "one\ntwo\n" } },
					{ name: "bash", input: { command: "echo out; exit 3" } },
				],
			},
			{
				calls: [
					{ name: "read", input: { path: "a/b.txt" } },
					{ name: "nonsense", input: {} },
					{ name: "grep", input: {} },
				],
			},
			{ text: "All done." },
		);
		const agent = await add("work", { model });
		expect(await over(agent.id)).toMatchObject({ state: "completed" });
		const all = await story(agent.id);
		expect(all.filter(([kind]) => kind !== "tool_result")).toEqual([
			["user", "work"],
			["assistant", "I look."],
			["tool_call", "write a/b.txt"],
			["tool_call", "echo out; exit 3"],
			["tool_call", "read a/b.txt"],
			["tool_call", "nonsense"],
			["tool_call", "grep"],
			["assistant", "All done."],
			["final", "All done."],
		]);
		const results = all.flatMap(([kind, text]) => (kind === "tool_result" ? (text ?? "") : []));
		expect(results).toEqual(expect.arrayContaining(["wrote a/b.txt", "out\n[exit 3]", "1\tone\n2\ttwo\n3\t"]));
		expect(results.find((text) => text.includes("nonsense"))).toMatch(/nonsense/);
		expect(fake.requests).toHaveLength(3);
		// each request begins with the one before it
		for (const [at, { body }] of fake.requests.entries()) {
			const next = fake.requests[at + 1];
			if (next === undefined) continue;
			expect(messages(next).slice(0, messages(fake.requests[at]).length)).toEqual(messages(fake.requests[at]));
			expect(body.length).toBeLessThan(next.body.length);
		}
	});
});

describe("the context", () => {
	test("of a fork begins with the same bytes as its parent's, up to the fork point", async () => {
		script({ text: "hm", calls: [{ name: "bash", input: { command: "echo 1" } }] }, { text: "first answer" });
		const parent = await add("first question");
		await over(parent.id);
		const child = await client.call("fork", { params: { agent: parent.id }, body: { name: "the-child" } });
		fake.requests.length = 0;
		fake.answer = () => ({ text: "second answer" });
		for (const agent of [parent.id, child.id])
			await client.call("prompt", { params: { agent }, body: { text: `second question to ${agent}` } });
		await over(parent.id, 2);
		await over(child.id, 1);
		const [ofParent = "", ofChild = ""] = [parent.id, child.id].map(
			(agent) => fake.requests.find(({ body }) => body.includes(`second question to ${agent}`))?.body,
		);
		const cut = commonStart(ofParent, ofChild);
		expect(ofParent.slice(0, cut)).toContain("first answer");
		// what differs is only what was said after the fork point
		const rest = (text: string) => text.slice(cut);
		for (const words of ["first question", "first answer", "echo 1"]) expect(rest(ofParent)).not.toContain(words);
		expect(rest(ofChild)).toContain("You are the-child, forked from");
		// what comes before the conversation (tools, instructions, settings) names nobody
		const around = (body: string) => JSON.stringify({ ...JSON.parse(body), messages: [] });
		expect(around(ofParent)).toBe(around(ofChild));
		for (const name of [parent.id, parent.handle, child.id, child.handle, home])
			expect(around(ofChild)).not.toContain(name);
	});

	test("begins with the agent's own instructions, which its forks share, and its pinned files come with every prompt", async () => {
		script({ text: "first answer" });
		const parent = await add("hold", { prompt: undefined });
		mkdirSync(folderOf(parent.handle), { recursive: true });
		writeFileSync(path.join(folderOf(parent.handle), "rules.md"), "be brief");
		const configured = { systemPrompt: "You speak like a pirate.", pinned: ["rules.md", "../secret", "none.md"] };
		await expect(client.call("configure", { params: { agent: parent.id }, body: configured })).rejects.toThrow(
			/inside the workspace/,
		);
		await client.call("configure", {
			params: { agent: parent.id },
			body: { ...configured, pinned: ["rules.md", "none.md"] },
		});
		await client.call("prompt", { params: { agent: parent.id }, body: { text: "first question" } });
		await over(parent.id);
		const child = await client.call("fork", { params: { agent: parent.id }, body: {} });
		fake.requests.length = 0;
		for (const agent of [parent.id, child.id])
			await client.call("prompt", { params: { agent }, body: { text: `second question to ${agent}` } });
		await over(parent.id, 2);
		await over(child.id, 1);
		const asked = [parent.id, child.id].map(
			(agent) => fake.requests.find(({ body }) => body.includes(`second question to ${agent}`))?.body ?? "",
		);
		const [ofParent = "", ofChild = ""] = asked;
		expect(ofParent.slice(0, commonStart(ofParent, ofChild))).toContain("first answer");
		const [atParent, atChild] = asked.map((body) => ({
			system: JSON.stringify(JSON.parse(body).system),
			said: JSON.stringify(JSON.parse(body).messages),
		}));
		expect(atChild?.system).toBe(atParent?.system);
		expect(atChild?.system).toContain("You speak like a pirate.");
		// each sees its own files, once, behind what they share
		expect(
			atParent?.said.match(/\[the file rules\.md\]\\nbe brief\\n\[the file none\.md\]\\n\(it is not there\)/g),
		).toHaveLength(1);
		expect(atParent?.said.indexOf("be brief")).toBeGreaterThan(atParent?.said.indexOf("first answer") ?? 0);
		expect(atChild?.said).toContain("[the file rules.md]\\n(it is not there)");
		await client.call("configure", {
			params: { agent: child.id },
			body: { systemPrompt: "You are sober.", pinned: [] },
		});
		for (const agent of [parent.id, child.id])
			await client.call("prompt", { params: { agent }, body: { text: `third question to ${agent}` } });
		await over(parent.id, 3);
		await over(child.id, 2);
		const third = (agent: string) =>
			fake.requests.find(({ body }) => body.includes(`third question to ${agent}`))?.body;
		expect(third(parent.id)).toContain("pirate");
		expect(third(child.id)).not.toMatch(/pirate|the file/);
	});

	test("of a fork that the model asked for in mid-turn begins with its parent's too, and the child knows what it is", async () => {
		fake.answer = ({ body }) => {
			const { messages: said } = JSON.parse(body);
			if (body.includes("You are the fork")) return { text: "I am the fork" };
			return said.length === 1
				? {
						calls: [
							{ name: "bash", input: { command: "echo side" } },
							{ name: "fork", input: { prompt: "go on", inherit: true } },
						],
					}
				: { text: "forked" };
		};
		const parent = await add("split up");
		await over(parent.id);
		const child = (await client.call("agents")).find((agent) => agent.lineage?.agent === parent.id);
		await over(child?.id ?? "");
		expect((await story(child?.id ?? "")).at(-1)).toEqual(["final", "I am the fork"]);
		const [, ofParent, ofChild] = fake.requests
			.map(({ body }) => body)
			.sort((a, b) => Number(a.includes("go on")) - Number(b.includes("go on")));
		const cut = commonStart(ofParent ?? "", ofChild ?? "");
		expect(ofParent?.slice(0, cut)).toContain('"echo side"');
		expect(ofParent?.slice(0, cut)).not.toContain("You are the fork");
		expect(ofChild).toMatch(/You are the fork.*You are .*, forked from .*go on/);
	});

	test("is the journal's, also after a new process: clear, rewind and mail count", async () => {
		script({ text: "noted" });
		const agent = await add("remember 17");
		await over(agent.id);
		await client.call("clear", { params: { agent: agent.id }, body: {} });
		await client.call("send", { params: { agent: agent.id }, body: { body: "hello\nworld" } });
		await over(agent.id, 2);
		expect(messages(fake.requests.at(-1))).toEqual([
			{
				role: "user",
				content: [{ type: "text", text: expect.stringMatching(/^\[mail \d+ from human\]\n\| hello\n\| world\n/) }],
			},
		]);
	});
});

describe("approvals", () => {
	test("what changes something asks first; what only looks does not", async () => {
		script({
			calls: [
				{ name: "write", input: { path: "x", content: "y" } },
				{ name: "glob", input: { pattern: "*" } },
			],
		});
		const agent = await add("write it", { policy: "ask" });
		await expect
			.poll(
				async () =>
					(await client.call("approvals", { query: { agent: agent.id } })).map(({ title, tool }) => [title, tool]),
				longTimeout,
			)
			.toEqual([["write x", "edit"]]);
		const [question] = await client.call("approvals", { query: { agent: agent.id } });
		await client.call("approvalAnswer", { params: { approval: String(question?.id) }, body: { allow: false } });
		await over(agent.id);
		expect(existsSync(path.join(folderOf(agent.handle), "x"))).toBe(false);
		expect((await story(agent.id)).filter(([kind]) => kind === "tool_result")).toContainEqual([
			"tool_result",
			"denied",
		]);
		expect(messages(fake.requests.at(-1)).at(-1).content).toContainEqual(expect.objectContaining({ is_error: true }));
	});

	test("nothing outside of the workspace is read or written, by name or by link", async () => {
		const agent = await add("hold", { prompt: undefined });
		const folder = folderOf(agent.handle);
		mkdirSync(path.join(folder, ".git"), { recursive: true });
		writeFileSync(path.join(home, "secret"), "s3cret");
		symlinkSync(home, path.join(folder, "link"));
		const inputs = [{ path: "../../../secret" }, { path: path.join(home, "secret") }, { path: "link/secret" }];
		script({
			calls: [
				...inputs.map((input) => ({ name: "read", input })),
				...[...inputs, { path: "link/new" }, { path: ".git/config" }].map((input) => ({
					name: "write",
					input: { ...input, content: "mine" },
				})),
				{ name: "glob", input: { pattern: "../**" } },
				{ name: "grep", input: { pattern: "s3cret", path: "link" } },
			],
		});
		await client.call("prompt", { params: { agent: agent.id }, body: { text: "go" } });
		await over(agent.id);
		const results = (await items(agent.id)).filter((item) => item.kind === "tool_result");
		expect(results).toHaveLength(10);
		for (const { text, data } of results) {
			expect(data).toMatchObject({ status: "failed" });
			expect(text).not.toContain("s3cret");
		}
		expect(readFileSync(path.join(home, "secret"), "utf8")).toBe("s3cret");
		expect(existsSync(path.join(home, "new"))).toBe(false);
	});
});

describe("when something goes wrong", () => {
	test("a busy provider is asked again, and nothing shows of it", async () => {
		script({ status: 529 }, { status: 429, headers: { "retry-after-ms": "5" } }, { text: "here I am" });
		const agent = await add("are you there");
		expect(await over(agent.id)).toMatchObject({ state: "completed" });
		expect(await story(agent.id)).toEqual([
			["user", "are you there"],
			["assistant", "here I am"],
			["final", "here I am"],
		]);
	});

	test("a limit that lasts is reported as one; another failure fails the turn in a sentence", async () => {
		fake.answer = () => ({ status: 429, headers: { "retry-after": "3600" } });
		const limited = await add("more");
		await expect
			.poll(
				async () => (await client.call("agent", { params: { agent: limited.id } })).holds.map(({ kind }) => kind),
				longTimeout,
			)
			.toEqual(["limit"]);
		fake.answer = () => ({ status: 400 });
		const failed = await add("bad");
		expect(await over(failed.id)).toMatchObject({ state: "failed", reason: expect.stringContaining("400") });
		const without = await add("no model", { model: "none/x" });
		expect(await over(without.id)).toMatchObject({
			state: "failed",
			reason: expect.stringContaining("none/x is not a model"),
		});
	});

	test("an interrupt stops the model in mid-sentence and keeps what it said", async () => {
		script({ text: "I think that", hangs: true });
		const agent = await add("think");
		await expect.poll(() => fake.requests.length, longTimeout).toBe(1);
		await expect
			.poll(async () => (await client.call("agent", { params: { agent: agent.id } })).turn !== null, longTimeout)
			.toBe(true);
		await client.call("interrupt", { params: { agent: agent.id }, body: { reason: "enough" } });
		expect(await over(agent.id)).toMatchObject({ state: "interrupted" });
		await expect.poll(() => fake.hungUp, longTimeout).toBeGreaterThan(0);
		expect(await story(agent.id)).toContainEqual(["interrupt", "enough"]);
	});
});

function commonStart(a: string, b: string): number {
	let at = 0;
	while (at < a.length && a[at] === b[at]) at++;
	return at;
}

test("a fork waits for the results of its own calls, whatever those of its parent were called", async () => {
	script({ calls: [{ name: "bash", input: { command: "echo of the parent" } }] });
	const parent = await add("work");
	await over(parent.id);
	script({ calls: [{ name: "bash", input: { command: "echo of the child" } }] });
	const child = await client.call("fork", { params: { agent: parent.id }, body: { prompt: "work on" } });
	await over(child.id);
	expect(fake.requests.at(-1)?.body).toContain("of the child\\n");
	const calls = (await client.call("context", { params: { agent: child.id } })).filter(
		({ kind }) => kind === "tool_call",
	);
	expect(new Set(calls.map(({ data }) => String(Reflect.get(Object(data), "call")))).size).toBe(2);
});

test.each([
	["anthropic/fake", 100],
	["google/fake", 60],
])(
	"what %s read from its cache is told apart from what it was given, and counts against no budget",
	async (model, inputTokens) => {
		script();
		const agent = await add("hello", { model });
		expect((await over(agent.id))?.usage).toMatchObject({ inputTokens, cachedReadTokens: 40, outputTokens: 20 });
		expect(await client.call("agentUsage", { params: { agent: agent.id } })).toMatchObject({
			tokens: inputTokens + 20,
		});
	},
);
