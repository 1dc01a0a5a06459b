// Agents that try to stall or to drown the daemon. The daemon is a process of its own, and is looked at from outside:
// what it takes of memory, what it writes into its log, and whether others get on with their work.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { type Shell, shell } from "#test/support/cli.ts";
import { testProgram } from "#test/support/programs.ts";

const calls = process.env["BROOD_TORTURE"] === undefined ? 5000 : 20_000;
const mebibyte = 1024 * 1024;
const program = testProgram("bad-agent");

let brood: Shell;
let pid: number;
let client: Client;
beforeAll(async () => {
	brood = shell();
	await brood.brood("up");
	const { data } = await brood.json("status");
	({ pid } = data);
	client = new Client({ url: data.url, token: readFileSync(path.join(brood.home, "token"), "utf8").trim() });
});
afterAll(async () => await brood[Symbol.asyncDispose]());

async function add(how: string, more = ""): Promise<string> {
	const { data } = await brood.json(
		"agent",
		"add",
		how,
		"--no-project",
		"--type",
		"acp",
		"--program",
		`${process.execPath} ${program} ${how} ${more}`,
	);
	return data.id;
}
/** the most that it ever had */
const memory = (): number =>
	Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024;
const logBytes = (): number =>
	readdirSync(brood.home)
		.filter((name) => name.startsWith("daemon."))
		.reduce((sum, name) => sum + statSync(path.join(brood.home, name)).size, 0);
const stillUp = async (): Promise<void> => expect((await brood.json("status")).data.pid).toBe(pid);

test(`${calls} tool calls that never end are closed and kept in order, while others work`, async () => {
	const agent = await add("calls", String(calls));
	const ended = brood.json("prompt", agent, "go", "--wait");
	const other = (await brood.json("agent", "add", "honest", "--no-project", "--type", "scripted")).data.id;
	expect((await brood.json("prompt", other, "say hi", "--wait")).data.state).toBe("completed");
	expect((await ended).data.state).toBe("completed");
	const items = await client.call("items", { params: { agent } });
	const named = (kind: string) =>
		items.filter((item) => item.kind === kind).map((item) => Reflect.get(Object(item.data), "call"));
	expect([
		named("tool_call").length,
		new Set(named("tool_call")).size,
		named("tool_result").length,
		new Set(named("tool_result")).size,
	]).toEqual(Array(4).fill(calls));
	await stillUp();
}, 120_000);

test("a line of 66 MB fails its turn, with the reason, and costs no more memory than a line may have", async () => {
	const agent = await add("long-line");
	const before = memory();
	const { data } = await brood.json("prompt", agent, "go", "--wait");
	expect(data).toMatchObject({ state: "failed", reason: "it sent a message of more than 16 MiB" });
	expect(memory() - before).toBeLessThan(300 * mebibyte);
	// its next turn has a new process
	expect((await brood.json("prompt", agent, "again", "--wait")).data).toMatchObject({
		state: "failed",
		reason: "it sent a message of more than 16 MiB",
	});
	await stillUp();
}, 120_000);

test("messages that are none cost a few lines of the log, and the turn goes on", async () => {
	const agent = await add("noise");
	const before = logBytes();
	expect((await brood.json("prompt", agent, "go", "--wait")).data.state).toBe("completed");
	expect((await brood.json("log", agent)).data.map((item: { text: string }) => item.text)).toContain("still here");
	expect(logBytes() - before).toBeLessThan(64 * 1024);
	expect(logBytes()).toBeGreaterThan(before);
}, 120_000);

test("of a thousand questions a bounded number is open, and the agent is told", async () => {
	const agent = await add("asks");
	await brood.json("prompt", agent, "go");
	await expect
		.poll(async () => (await brood.json("log", agent)).data.map((item: { text: string }) => item.text).join(), {
			timeout: 60_000,
		})
		.toContain("which is the limit");
	const { data: open } = await brood.json("approval", "list");
	expect(open.filter((each: { agent: string }) => each.agent === agent)).toHaveLength(32);
	expect((await brood.json("agent", "interrupt", agent)).code).toBe(0);
	expect((await brood.json("approval", "list")).data).toEqual([]);
}, 120_000);

test("an agent that asks for ever and reads no answers is not listened to, and can be interrupted", async () => {
	const agent = await add("deaf");
	const before = memory();
	await brood.json("prompt", agent, "go");
	const other = (await brood.json("agent", "add", "quiet", "--no-project", "--type", "scripted")).data.id;
	for (let at = 0; at < 10; at++)
		expect((await brood.json("prompt", other, `say ${at}`, "--wait")).data.state).toBe("completed");
	expect(memory() - before).toBeLessThan(150 * mebibyte);
	expect((await brood.json("agent", "interrupt", agent)).code).toBe(0);
	await stillUp();
}, 120_000);
