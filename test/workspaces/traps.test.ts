// What once went wrong with workspaces, and must not again.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommandInput } from "#contract/command.ts";
import { Actor } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { done } from "#test/support/say.ts";
import { git, longTimeout, params, refusal, TestDaemon } from "#test/support/test-daemon.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

const fork = async (agent: Agent, body: object = {}): Promise<Agent> =>
	await shop.client.ask("fork", { ...params(agent), body });
const contextOf = async (agent: Agent) =>
	(await shop.client.call("context", params(agent))).map((item) => item.text ?? "");

describe("a fork cuts files and conversation together", () => {
	test("also when it has to wait for the end of a tool call", async () => {
		const { add } = await shop.project();
		const parent = await add();
		await shop.client.call("prompt", {
			...params(parent),
			body: { text: "run sleep 1; echo made > made.txt; echo done" },
		});
		await expect
			.poll(async () => (await shop.items(parent)).some((item) => item.kind === "tool_call"), longTimeout)
			.toBe(true);
		const child = await fork(parent);
		expect([(await contextOf(child)).includes("done\n"), existsSync(at(child, "made.txt"))]).toEqual([true, true]);
	});

	test("also at an item that the parent inherited", async () => {
		const { add } = await shop.project();
		const grandparent = await add();
		const first = await shop.turn(grandparent, "write f one");
		const parent = await fork(grandparent);
		await shop.turn(parent, "write f two");
		const child = await fork(parent, { at: first.finalItem });
		expect([readFileSync(at(child, "f"), "utf8"), readFileSync(at(parent, "f"), "utf8")]).toEqual(["one\n", "two\n"]);
	});

	test("also after a turn that changed nothing", async () => {
		const { add } = await shop.project();
		const parent = await add();
		await shop.turn(parent, "write f one");
		const quiet = await shop.turn(parent, "say nothing to do");
		await shop.turn(parent, "write f two");
		expect(readFileSync(at(await fork(parent, { at: quiet.finalItem }), "f"), "utf8")).toBe("one\n");
	});

	test("of an agent that was deleted has its conversation, and the files of base", async () => {
		const { add } = await shop.project();
		const parent = await add();
		await shop.turn(parent, "say remember me");
		await shop.client.call("agentDelete", { ...params(parent), body: {} });
		const child = await fork(parent);
		expect([child.label, await contextOf(child)]).toEqual(["idle", expect.arrayContaining(["remember me"])]);
	});
});

describe("an agent", () => {
	test("that amends its own commit goes on", async () => {
		const { add } = await shop.project();
		const agent = await add();
		await shop.turn(agent, "write a.txt one\nrun git add -A && git commit -qm one");
		await shop.turn(agent, "run git commit -q --amend -m other\nwrite wip.txt wip");
		expect(await shop.turn(agent, "run cat wip.txt")).toMatchObject({ state: "completed" });
		expect((await shop.now(agent)).holds).toEqual([]);
	});

	test("whose place cannot be looked at is held once, and not tried for ever", async () => {
		const { add, slug } = await shop.project();
		const agent = await add();
		mkdirSync(path.join(shop.home, "projects", slug, "config.yaml"), { recursive: true });
		await shop.client.call("prompt", { ...params(agent), body: { text: "say hello" } });
		await expect.poll(async () => (await shop.now(agent)).label, longTimeout).toBe("error");
		expect((await shop.client.call("turns", params(agent))).length).toBeLessThanOrEqual(2);
		rmSync(path.join(shop.home, "projects", slug, "config.yaml"), { recursive: true });
	});

	test("that is killed while its place is made leaves none", async () => {
		const { add, slug, repository } = await shop.project();
		const config = path.join(shop.home, "projects", slug, "config.yaml");
		mkdirSync(path.dirname(config), { recursive: true });
		writeFileSync(config, "setup: sleep 100\n");
		const waiting = add({ name: "victim" });
		const victim = async () =>
			(await shop.client.call("agents", { query: { project: slug } })).find((each) => each.handle === "victim");
		await expect
			.poll(
				async () =>
					(await victim()) !== undefined &&
					existsSync(path.join(shop.home, "projects", slug, "agents", "victim", ".git")),
				longTimeout,
			)
			.toBe(true);
		const { id } = (await victim()) ?? { id: "" };
		await shop.client.call("kill", { params: { agent: id }, body: {} });
		await waiting;
		await expect
			.poll(() => existsSync(path.join(shop.home, "projects", slug, "agents", "victim")), longTimeout)
			.toBe(false);
		await expect.poll(() => git(repository, "branch", "--list", "brood/victim"), longTimeout).toBe("");
	});
});

test("a prompt that comes while an agent is being deleted is refused, not thrown away", async () => {
	const { add, slug } = await shop.project();
	const config = path.join(shop.home, "projects", slug, "config.yaml");
	mkdirSync(path.dirname(config), { recursive: true });
	writeFileSync(config, "teardown: sleep 2\n");
	const agent = await add();
	const deleting = shop.client.call("agentDelete", { ...params(agent), body: {} });
	await expect.poll(async () => (await shop.now(agent)).lease, longTimeout).toBe("delete");
	expect(await refusal(shop.client.call("prompt", { ...params(agent), body: { text: "say late" } }))).toMatchObject({
		code: "AGENT_BUSY",
	});
	expect(await deleting).toMatchObject({ label: "deleted" });
});

test("a commit that is asked for twice under one key is made once", async () => {
	const { add, repository } = await shop.project();
	const agent = await add();
	writeFileSync(at(agent, "a.txt"), "one");
	const ask = { ...params(agent), key: "commit-once", body: { message: "one" } };
	const first = await shop.client.call("commit", ask);
	writeFileSync(at(agent, "a.txt"), "two");
	expect((await shop.client.call("commit", ask)).commit).toBe(first.commit);
	expect(git(repository, "rev-list", "--count", `main..${agent.workspace?.branch}`)).toBe("1");
});

test("an agent gives its child no more than it has itself, and starts nothing in spite of a person's pause", async () => {
	const { add } = await shop.project();
	const agent = await add();
	const child = await fork(agent, { fresh: true });
	await shop.client.call("prompt", { ...params(agent), body: { text: "sleep 60000" } });
	await expect.poll(async () => (await shop.now(agent)).turn, longTimeout).not.toBeNull();
	const as = Actor.parse(`agent:${agent.id}`);
	const said = async (command: CommandInput): Promise<string> => {
		const outcome = await shop.daemon.engine.dispatch({ actor: as, key: null, command });
		return "refused" in outcome ? outcome.refused.code : "done";
	};
	const spawn = { type: "agent.spawn", parent: agent.id, context: "fresh" } as const;
	expect(await said({ ...spawn, policy: "full" })).toBe("FORBIDDEN");
	expect(await said({ ...spawn, workspace: "new", workspaceKind: "main" })).toBe("FORBIDDEN");
	expect(await said({ ...spawn, agentType: "shell" })).toBe("FORBIDDEN");
	await done(shop.daemon.engine, { type: "agent.pause", agent: child.id });
	expect(await said({ type: "prompt.queue", agent: child.id, text: "x", now: true })).toBe("FORBIDDEN");
	await shop.client.call("interrupt", { ...params(agent), body: {} });
});
