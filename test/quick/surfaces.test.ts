// One pass through each surface, for `npm run test:quick`: the command line, HTTP, MCP, and a turn of a real process in
// a real worktree.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { toolNames } from "#client/tools.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { type Shell, shell } from "#test/support/cli.ts";
import { testProgram } from "#test/support/programs.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const vendor = {
	command: process.execPath,
	args: [testProgram("tool-agent")],
	leavesNothing: false,
};
let daemon: Daemon;
let cli: Shell;
beforeAll(async () => {
	const home = freshFolder();
	daemon = await startDaemon({ home, programs: { vendor } });
	cli = shell(home);
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

test("the command line runs a turn of a real process in a worktree, shows what it did, and merges it", async () => {
	const repository = freshRepository();
	expect((await cli.json("project", "add", repository, "--name", "web")).code).toBe(0);
	const { data: agent } = await cli.json("agent", "add", "worker", "--project", "web", "--type", "shell");
	const turn = await cli.json("prompt", "worker", "echo done > made.txt && ps -o ppid= -p $$", "--wait");
	expect([turn.code, turn.data.state]).toEqual([0, "completed"]);
	expect(readFileSync(path.join(agent.workspace.path, "made.txt"), "utf8")).toBe("done\n");
	expect((await cli.brood("agent", "diff", "worker")).out).toContain("+done");
	expect((await cli.json("agent", "commit", "worker", "--message", "Make it")).code).toBe(0);
	expect((await cli.json("agent", "approve", "worker")).code).toBe(0);
	expect(existsSync(path.join(repository, "made.txt"))).toBe(true);
	// the control: what is not there is refused, with exit 1
	expect(await cli.json("agent", "status", "nobody")).toMatchObject({ code: 1, error: { code: "AGENT_NOT_FOUND" } });
});

test("HTTP answers with the token and refuses without", async () => {
	expect(await new Client(daemon).call("agents")).toEqual(
		expect.arrayContaining([expect.objectContaining({ handle: "init" })]),
	);
	expect((await fetch(`${daemon.url}/api/agents`)).status).toBe(401);
});

test("a vendor's agent is given its tools over MCP", async () => {
	const client = new Client(daemon);
	const { id } = await client.call("agentAdd", { body: { type: "vendor", policy: "full", prompt: "list" } });
	const said = async (): Promise<(string | null)[]> =>
		(await client.call("items", { params: { agent: id } }))
			.filter(({ kind }) => kind === "assistant")
			.map(({ text }) => text);
	await expect.poll(said, { timeout: 30_000 }).toEqual([toolNames.join(" ")]);
});
