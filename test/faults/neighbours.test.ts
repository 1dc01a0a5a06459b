// One bad thing stays one bad thing: whatever is wrong with one agent, subscription, event or file, its neighbours work
// and the daemon starts.

import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { at } from "#test/support/in-workspace.ts";
import { testProgram } from "#test/support/programs.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const home = freshFolder();
const repository = freshRepository();
const vendor = {
	command: process.execPath,
	args: [testProgram("tool-agent")],
	leavesNothing: false,
};
const envFile = path.join(freshFolder(), "key.env");
let daemon: Daemon;
let client: Client;

async function start(programs: Parameters<typeof startDaemon>[0]["programs"] = {}): Promise<void> {
	daemon = await startDaemon({ home, programs });
	client = new Client(daemon);
}
const add = async (
	name: string,
	{ project, ...more }: { project?: string; type?: string; subscription?: string } = {},
) =>
	project === undefined
		? await client.call("agentAdd", { body: { name, type: "scripted", ...more } })
		: await client.call("agentAddTo", { params: { project }, body: { name, type: "scripted", ...more } });
const of = (agent: string) => ({ params: { agent } });
const prompt = async (agent: string, text = "say hello") =>
	await client.call("prompt", { ...of(agent), body: { text } });
const longTimeout = { timeout: 20_000 };
const completed = async (agent: string) =>
	(await client.call("turns", of(agent))).filter(({ state }) => state === "completed").length;
const works = async (agent: string): Promise<void> => {
	const before = await completed(agent);
	await prompt(agent);
	await expect.poll(() => completed(agent), longTimeout).toBe(before + 1);
};
const held = async (agent: string) =>
	(await client.call("agent", of(agent))).holds.map(({ kind, reason }) => `${kind}: ${reason}`);

beforeAll(async () => {
	await start({ vendor });
	await client.call("projectAdd", { body: { slug: "web", path: repository } });
	await add("sound", { project: "web" });
	await add("typeless", { type: "vendor" });
	await add("damaged", { project: "web" });
}, 60_000);
afterAll(async () => await daemon[Symbol.asyncDispose]());

test("a subscription whose file is gone, unreadable or nonsense holds its own agents, with a sentence that does not repeat the file", async () => {
	writeFileSync(envFile, "KEY=hunter2hunter2\n", { mode: 0o600 });
	await client.call("subscriptionAdd", { body: { name: "paid", type: "shell", credential: { envFile } } });
	await add("paying", { type: "shell", subscription: "paid" });
	await prompt("paying", "true");
	await expect.poll(() => completed("paying"), longTimeout).toBe(1);
	for (const [name, harm, words] of [
		["gone", () => rmSync(envFile), /There is no .*key\.env/],
		["a-folder", () => mkdirSync(envFile), /is not a file/],
		[
			"open",
			() => {
				rmSync(envFile, { recursive: true });
				writeFileSync(envFile, "KEY=hunter2hunter2\n");
				chmodSync(envFile, 0o644);
			},
			/is readable by others/,
		],
		["nonsense", () => writeFileSync(envFile, "hunter2hunter2"), /Line 1 of/],
	] as const) {
		harm();
		if (name === "nonsense") chmodSync(envFile, 0o600);
		await add(name, { type: "shell", subscription: "paid" });
		await prompt(name);
		await expect.poll(() => held(name), longTimeout).toEqual([expect.stringMatching(words)]);
		const [paid] = await client.call("subscriptions");
		if (name !== "nonsense") expect(paid?.problem).toMatch(words);
	}
	rmSync(envFile, { recursive: true });
	await works("sound");
	daemon.engine.log.warn("test", "somebody says hunter2hunter2");
	expect(readFileSync(path.join(home, "daemon.log"), "utf8")).toContain("somebody says [secret]");
});

test("a workspace that nobody may look into holds its own agent", async () => {
	const damaged = await client.call("agent", of("damaged"));
	// root can read every folder: a file instead of the folder has the same effect
	rmSync(at(damaged), { recursive: true });
	writeFileSync(at(damaged), "");
	await prompt("damaged");
	await expect.poll(() => held("damaged"), longTimeout).toEqual([expect.stringMatching(/^(drift|error): /)]);
	expect((await client.call("health", of("damaged"))).healthy).toBe(false);
	await works("sound");
});

test("an agent whose type is not known any more, and an event of a newer release, stop nobody: not at the start, and not afterwards", async () => {
	await daemon[Symbol.asyncDispose]();
	const store = new DatabaseSync(path.join(home, "brood.db"));
	const columns = store
		.prepare("select name from pragma_table_info('event')")
		.all()
		.map(({ name }) => String(name));
	const rest = columns.filter((name) => !["id", "kind", "data", "text"].includes(name)).join(", ");
	for (const kind of ["agent.teleported", "hologram"])
		store.exec(
			`insert into event (kind, data, text, ${rest}) select '${kind}', '{"new":true}', 'from a newer release', ${rest} from event where agent is not null order by id desc limit 1`,
		);
	store.close();
	await start();
	await works("sound");
	await prompt("typeless");
	await expect
		.poll(() => held("typeless"), longTimeout)
		.toEqual([expect.stringMatching(/There is no agent type vendor/)]);
	expect((await client.call("agents")).length).toBeGreaterThan(3);
	expect(
		(await client.call("journal", { query: { kind: "hologram" } })).events.some(({ kind }) => kind === "hologram"),
	).toBe(true);
	for (const { id } of await client.call("agents")) {
		await client.call("context", of(id));
		await client.call("items", of(id));
	}
	expect((await client.call("status")).problems).toEqual([]);
});
