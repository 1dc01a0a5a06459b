// What every real agent has to show, through a whole daemon, against the fake model.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { Blocks } from "#views/conversation.ts";
import { AgentWorld, freshHome, longTimeout, other } from "./daemon.ts";
import { install } from "./install.ts";
import type { Kit } from "./kits.ts";

export function suite(kit: Kit): void {
	describe(`the real ${kit.type}`, { timeout: 180_000 }, () => {
		let world: AgentWorld;
		beforeAll(async () => {
			world = await AgentWorld.build(kit);
		}, 600_000);
		beforeEach(() => world.model.reset());
		afterAll(async () => await world[Symbol.asyncDispose](), 60_000);
		const asked = (): string => world.model.requests.at(-1)?.text ?? "";
		const params = (agent: Agent) => ({ params: { agent: agent.id } });

		test("edits a file with a tool call, once it is allowed to", async () => {
			const agent = await world.agent({ policy: "ask" });
			world.model.say(
				{ text: "I write it.", calls: [kit.write(at(agent, "made.txt"), "words")] },
				{ text: "It is written." },
			);
			const prompt = await world.prompt(agent, "please write made.txt");
			const open = async () => (await world.client.call("approvals")).filter((each) => each.agent === agent.id);
			await expect.poll(async () => (await open()).length, longTimeout).toBe(1);
			expect(existsSync(at(agent, "made.txt"))).toBe(false);
			expect((await world.items(agent)).map(({ kind }) => kind)).toContain("tool_call");
			const [approval] = await open();
			await world.client.call("approvalAnswer", { params: { approval: String(approval?.id) }, body: { allow: true } });
			const turn = await world.over(agent, prompt);
			expect(turn).toMatchObject({
				state: "completed",
				usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
			});
			expect(readFileSync(at(agent, "made.txt"), "utf8")).toBe("words");
			const items = await world.items(agent);
			const kinds = items.map(({ kind }) => kind).filter((kind) => kind !== "usage" && kind !== "thought");
			expect(kinds).toEqual(expect.arrayContaining(["user", "assistant", "tool_call", "tool_result", "final"]));
			expect(items.find(({ kind }) => kind === "tool_result")).toMatchObject({ data: { status: "completed" } });
			expect(items.at(-1)).toMatchObject({ kind: "final", text: "It is written." });
			expect((await world.now(agent)).session).toMatchObject({
				type: kit.type,
				how: "new",
				capabilities: expect.arrayContaining(["load"]),
			});
		});

		// Codex edits in its own sandbox without a question there
		test.skipIf(kit.type === "codex")(
			"under auto-edit edits files inside its workspace without a question, and asks about others",
			async () => {
				const agent = await world.agent({ policy: "auto-edit" });
				world.model.say(
					{ text: "I write it.", calls: [kit.write(at(agent, "new/made.txt"), "words\n/etc/passwd")] },
					{ text: "It is written." },
				);
				expect(await world.turn(agent, "please write made.txt")).toMatchObject({ state: "completed" });
				expect(readFileSync(at(agent, "new/made.txt"), "utf8")).toBe("words\n/etc/passwd");
				const blocks = new Blocks();
				for (const item of await world.items(agent)) blocks.add(item);
				expect(blocks.list.find(({ kind }) => kind === "call")?.change).toMatchObject({ added: 2, deleted: 0 });
				const settled = async () =>
					(await world.client.call("journal", { query: { agent: agent.id, kind: "approval" } })).events.map(
						({ data }) => data,
					);
				expect(await settled()).toMatchObject([{ inside: true, answer: { allowed: true, why: "policy auto-edit" } }]);
				// the control: a file that a program obeys is asked about
				world.model.say(
					{ text: "I write it.", calls: [kit.write(at(agent, "new/.claude/x.json"), "{}")] },
					{ text: "It is denied." },
				);
				const prompt = await world.prompt(agent, "please write x.json");
				const open = async () => (await world.client.call("approvals")).filter((each) => each.agent === agent.id);
				await expect.poll(async () => (await open()).length, longTimeout).toBe(1);
				await world.client.call("approvalAnswer", {
					params: { approval: String((await open())[0]?.id) },
					body: { allow: false },
				});
				await world.over(agent, prompt);
				expect(existsSync(at(agent, "new/.claude/x.json"))).toBe(false);
			},
		);

		test("stops in mid-turn, and goes on with what it knew", async () => {
			const agent = await world.agent();
			world.model.say({ hang: true, text: "I begin" });
			const prompt = await world.prompt(agent, "the first thing");
			const request = await world.model.asked(0);
			await world.client.call("interrupt", { ...params(agent), body: { reason: "enough" } });
			expect(await request.over).toBe("gone");
			expect(await world.over(agent, prompt)).toMatchObject({ state: "interrupted" });
			await world.client.call("resume", { ...params(agent), body: {} });
			world.model.say({ text: "Going on." });
			expect(await world.turn(agent, "the second thing")).toMatchObject({ state: "completed" });
			expect(asked()).toContain("the first thing");
		});

		test("forks with its history: natively where it can, else seeded, and the journal says which", async () => {
			const parent = await world.agent();
			const first = await world.turn(parent, "remember the word walrus");
			const child = await world.client.call("fork", { ...params(parent), body: {} });
			expect(await world.turn(child, "which word was it?")).toMatchObject({ state: "completed" });
			expect(asked()).toContain("walrus");
			expect((await world.now(child)).session?.how).toBe(kit.native.fork ? "forked" : "seeded");
			await world.turn(parent, "forget it, it is ostrich");
			const older = await world.client.call("fork", { ...params(parent), body: { at: first.finalItem ?? 0 } });
			await world.turn(older, "which word is it?");
			expect(asked()).toMatch(/walrus/);
			expect(asked()).not.toMatch(/ostrich/);
			expect((await world.now(older)).session?.how).toBe("seeded");
			const note = (await world.items(older)).find(({ kind }) => kind === "system");
			expect(note?.text).toMatch(/^A new session was begun with \d+ items/);
			await world.turn(parent, "and now?");
			expect(asked()).toContain("ostrich");
		});

		test("after a clear knows nothing of before", async () => {
			const agent = await world.agent();
			await world.turn(agent, "remember the word walrus");
			await world.client.call("clear", { ...params(agent), body: {} });
			await world.turn(agent, "which word was it?");
			expect(asked()).not.toContain("walrus");
		});

		test("is resumed by a new daemon, and after kill -9 in mid-turn told the journal's truth", async () => {
			const agent = await world.agent();
			await world.turn(agent, "remember the word walrus");
			await world.stop("SIGTERM");
			await world.start();
			await world.turn(agent, "which word was it?");
			expect(asked()).toContain("walrus");
			expect(kit.native.resume === true ? ["resumed"] : ["resumed", "seeded"]).toContain(
				(await world.now(agent)).session?.how,
			);
			// where its program tells what the session has cost, that is what we counted, turn by turn
			const told = (await world.turns(agent)).at(-1)?.usage?.sessionCost;
			expect((await world.now(agent)).spent.costs).toEqual(told === undefined ? [] : [told]);
			world.model.reset();
			world.model.say({ hang: true, text: "I think" });
			const prompt = await world.prompt(agent, "and the other word is ostrich");
			await world.model.asked(0);
			await world.stop("SIGKILL");
			await world.start();
			expect(await world.over(agent, prompt)).toMatchObject({ state: "interrupted", reason: "crash" });
			await world.client.call("resume", { ...params(agent), body: {} });
			expect(await world.turn(agent, "which words were they?")).toMatchObject({ state: "completed" });
			expect(asked()).toMatch(/walrus/);
			expect(asked()).toMatch(/ostrich/);
			expect((await world.now(agent)).session?.how).toBe("seeded");
		});

		test("is set to what it lets itself be set to, and names what it has if it does not have that", async () => {
			const agent = await world.agent();
			const { name, value, noticed } = kit.option;
			const set = async (options: Record<string, string>) =>
				await world.client.call("configure", { ...params(agent), body: { options } });
			await world.turn(agent, "hello");
			expect(asked()).not.toMatch(noticed);
			await set({ [name]: value });
			expect(await world.turn(agent, "hello again")).toMatchObject({ state: "completed" });
			expect(asked()).toMatch(noticed);
			await set({ nonsense: "much" });
			await world.prompt(agent, "and again");
			const reasons = async () => (await world.now(agent)).holds.map(({ reason }) => reason);
			await expect
				.poll(reasons, longTimeout)
				.toEqual([expect.stringMatching(`it has no option nonsense=much, but .*${name}`)]);
		});

		test("meets a limit: the turn fails, and its subscription cools down", async () => {
			const agent = await world.agent();
			world.model.say(kit.limit);
			const turn = await world.turn(agent, "too much");
			expect(turn).toMatchObject({ state: "failed" });
			const subscription = (await world.client.call("subscriptions")).find(({ type }) => type === kit.type);
			expect(subscription?.coolingUntil).not.toBeNull();
			await world.client.call("subscriptionCool", {
				params: { subscription: subscription?.name ?? "" },
				body: { until: null },
			});
		});

		test("uses Brood's own tools without a question, whatever its policy", async () => {
			const agent = await world.agent({ policy: "ask" });
			const reader = await world.beside(agent, { type: "human" });
			const to = "please write to the reader";
			world.model.say(
				{ to, calls: [kit.tool("send", { agent: reader.handle, body: "It is ready." })] },
				{ to, text: "It is sent." },
			);
			expect(await world.turn(agent, to)).toMatchObject({ state: "completed" });
			expect(await world.client.call("mail", params(reader))).toMatchObject([{ body: "It is ready." }]);
		});

		test("makes children and writes to another agent, with the tools that it was given", async () => {
			const parent = await world.agent();
			const reader = await world.beside(parent, { type: "human" });
			const [fresh, knowing] = [`${kit.type}-fresh`, `${kit.type}-knowing`];
			const to = "the word is walrus";
			world.model.say(
				{ to, calls: [kit.tool("fork", { prompt: "knit a sock", name: fresh })] },
				{ to, calls: [kit.tool("fork", { prompt: "knit a glove", name: knowing, inherit: true })] },
				{ to, calls: [kit.tool("send", { agent: reader.handle, body: "They are knitting." })] },
				{ to, text: "All of it is under way." },
			);
			expect(await world.turn(parent, `${to}: please make two children`)).toMatchObject({ state: "completed" });
			const all = await world.client.call("agents");
			const asker = `agent:${parent.id}`;
			const made = { type: kit.type, project: parent.project, supervisor: parent.id, createdBy: asker };
			const [first, second] = [fresh, knowing].map((handle) => all.find((agent) => agent.handle === handle));
			expect(first).toMatchObject({ ...made, lineage: null });
			expect(second).toMatchObject({ ...made, lineage: { agent: parent.id, forkPoint: expect.any(Number) } });
			// the parent's model was told their ids
			const told = world.model.requests.findLast(({ text }) => text.includes("They are knitting."))?.text;
			for (const child of [first, second]) expect(told).toContain(child?.id);
			expect(await world.client.call("mail", params(reader))).toMatchObject([
				{ from: asker, body: "They are knitting." },
			]);
			for (const [child, words, knows] of [
				[first, "knit a sock", false],
				[second, "knit a glove", true],
			] as const) {
				if (child === undefined) throw new Error("there is no child");
				await expect
					.poll(async () => (await world.turns(child)).map(({ state }) => state), longTimeout)
					.toEqual(["completed"]);
				const heard = world.model.requests.find(({ text }) => text.includes(`You are ${child.handle}, `))?.text ?? "";
				expect(heard).toContain(`You are ${child.handle}, ${knows ? "forked from" : "made by"} ${parent.handle}.`);
				expect(heard).toContain(`[a prompt from ${asker}, which is not the user]\\n| ${words}`);
				expect(heard.includes("walrus")).toBe(knows);
				// a call that goes on in the parent is answered in the child, if it had been told before the fork
				const context = await world.client.call("context", params(child));
				const calls = (kind: string) =>
					context.filter((item) => item.kind === kind).map(({ data }) => Object(data).call);
				expect(calls("tool_result")).toEqual(calls("tool_call"));
				expect(calls("tool_call").length > 0).toBe(knows);
			}
		});

		test.runIf(hasSandboxes)(
			"works in a sandbox, with the login of its subscription, and gets nowhere else",
			async () => {
				const agent = await world.agent({}, "sandbox: on\n");
				const outside = freshHome();
				world.model.say(
					{ calls: [kit.write(at(agent, "inside.txt"), "words")] },
					{ calls: [kit.write(path.join(outside, "outside.txt"), "words")] },
				);
				expect(await world.turn(agent, "remember the word walrus, and write two files")).toMatchObject({
					state: "completed",
				});
				expect(readFileSync(at(agent, "inside.txt"), "utf8")).toBe("words");
				expect(existsSync(path.join(outside, "outside.txt"))).toBe(false);
				await world.stop("SIGTERM");
				await world.start();
				await world.turn(agent, "which word was it?");
				expect(asked()).toContain("walrus");
				// what it keeps of its session is where a new process finds it
				expect(kit.native.resume === true ? ["resumed"] : ["resumed", "seeded"]).toContain(
					(await world.now(agent)).session?.how,
				);
			},
		);

		test("waits for another agent by ending its turn, and is continued", async () => {
			const agent = await world.agent();
			const sleeper = await world.beside(agent, { type: "scripted", prompt: "sleep 3600000" });
			world.model.say(
				{ calls: [kit.tool("wait", { agents: [sleeper.handle], timeoutSeconds: 3600 })] },
				{ text: "I end my turn." },
				{ text: "I go on." },
			);
			expect(await world.turn(agent, "wait for it")).toMatchObject({ state: "completed", source: "queue" });
			expect(asked()).toContain("End your turn now: you will be continued");
			expect(world.model.requests).toHaveLength(2);
			await world.client.call("kill", { ...params(sleeper), body: {} });
			await expect
				.poll(async () => (await world.turns(agent)).map(({ state, source }) => [state, source]), longTimeout)
				.toEqual([
					["completed", "queue"],
					["completed", "wait"],
				]);
			expect(asked()).toContain("What you waited for has happened");
			expect((await world.items(agent)).at(-1)).toMatchObject({ kind: "final", text: "I go on." });
		});

		test("is forked into another vendor's agent, which knows the conversation", async () => {
			const others = other(kit);
			await install(others.type);
			await world.giveCredentials(others);
			const parent = await world.agent();
			await world.turn(parent, "remember the word walrus");
			const child = await world.client.call("fork", { ...params(parent), body: { type: others.type, policy: "full" } });
			expect(await world.turn(child, "which word was it?")).toMatchObject({ state: "completed" });
			expect(world.model.requests.at(-1)?.wire).not.toBe(world.model.requests[0]?.wire);
			expect(asked()).toContain("walrus");
			expect((await world.now(child)).session).toMatchObject({ type: others.type, how: "seeded" });
		});
	});
}
