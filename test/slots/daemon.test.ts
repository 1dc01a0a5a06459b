// Slots as a user meets them: a whole daemon, real processes, and the command line's own routes.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { Client, Refused } from "#client/client.ts";
import { Handle, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { insiders, killAll } from "#test/support/processes.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const open: Daemon[] = [];
afterEach(async () => {
	for (const daemon of open.splice(0)) await daemon[Symbol.asyncDispose]();
});

const longTimeout = { timeout: 60_000 };

async function started(limits: Partial<Limits> = {}, home = freshFolder()) {
	const daemon = await startDaemon({ home, limits: { turnsMax: 8, ...limits } });
	open.push(daemon);
	const client = new Client(daemon);
	const subscribe = async (name: string, more: object = {}) =>
		await client.ask("subscriptionAdd", { body: { name, type: "scripted", maxConcurrent: 1, ...more } });
	const add = async (prompt: string, more: object = {}) =>
		await client.ask("agentAdd", { body: { type: "scripted", prompt, ...more } });
	const agent = async (id: string) => await client.call("agent", { params: { agent: id } });
	const turns = async (id: string) => (await client.call("turns", { params: { agent: id } })).map(({ state }) => state);
	const said = async (id: string) =>
		(await client.call("items", { params: { agent: id } })).flatMap(({ kind, text }) =>
			kind === "assistant" || kind === "tool_result" ? [text] : [],
		);
	return { daemon, client, home, subscribe, add, agent, turns, said };
}

describe("fork and wait", () => {
	const family = "fork say I am the child\nwait children 30\nsay my child is done";

	test("completes with one slot, which the parent lends to the child", longTimeout, async () => {
		const { daemon, client, subscribe, add, turns, said } = await started();
		await subscribe("only", { maxConcurrent: 1 });
		const parent = await add(family);
		await expect.poll(() => turns(parent.id), longTimeout).toEqual(["completed"]);
		expect((await said(parent.id)).slice(1)).toEqual(["met", "my child is done"]);
		const [child] = (await client.call("agents", { query: {} })).filter(({ supervisor }) => supervisor === parent.id);
		expect(await turns(child?.id ?? "")).toEqual(["completed"]);
		expect(await client.call("subscription", { params: { subscription: "only" } })).toMatchObject({
			used: 0,
			maxConcurrent: 1,
		});
		// the child ran between the parent's start and its end, on the one slot that there is
		const events = await daemon.engine.reads.events({ after: 0, limit: 10_000 });
		const order = events.flatMap(({ kind, agent }) =>
			/^turn\.(started|continued|ended)$/.test(kind) ? [`${agent === parent.id ? "parent" : "child"} ${kind}`] : [],
		);
		expect(order).toEqual([
			"parent turn.started",
			"child turn.started",
			"child turn.ended",
			"parent turn.continued",
			"parent turn.ended",
		]);
	});

	test("completes with one place on the machine", longTimeout, async () => {
		const { add, turns } = await started({ turnsMax: 1 });
		const parent = await add(family);
		await expect.poll(() => turns(parent.id), longTimeout).toEqual(["completed"]);
	});

	test("completes in one workspace that both share, with one slot and one place", longTimeout, async () => {
		const { client, subscribe, turns, said } = await started({ turnsMax: 1 });
		await subscribe("only");
		const slug = ProjectSlug.parse("web");
		await client.call("projectAdd", { body: { slug, path: freshRepository() } });
		const parent = await client.call("agentAddTo", { params: { project: slug }, body: { type: "scripted" } });
		const child = await client.call("fork", {
			params: { agent: parent.id },
			body: { name: Handle.parse("child"), workspace: "share" },
		});
		expect(child.workspace?.path).toBe(parent.workspace?.path);
		await client.call("prompt", {
			params: { agent: parent.id },
			body: { text: "ask shall I wait?\nwait child 30\nrun cat shared.txt" },
		});
		await expect.poll(async () => (await client.call("approvals", { query: {} })).length, longTimeout).toBe(1);
		await client.call("prompt", { params: { agent: child.id }, body: { text: "write shared.txt from the child" } });
		const [question] = await client.call("approvals", { query: {} });
		await client.call("approvalAnswer", { params: { approval: String(question?.id) }, body: { allow: true } });
		await expect
			.poll(async () => [await turns(parent.id), await turns(child.id)], longTimeout)
			.toEqual([["completed"], ["completed"]]);
		expect((await said(parent.id)).slice(1)).toEqual(["met", expect.stringContaining("from the child")]);
	});

	test("completes for two parents with children on one slot and one place", longTimeout, async () => {
		const { subscribe, add, turns } = await started({ turnsMax: 1 });
		await subscribe("only");
		const families = [await add(family), await add(family)];
		await expect
			.poll(async () => await Promise.all(families.map(({ id }) => turns(id))), longTimeout)
			.toEqual([["completed"], ["completed"]]);
	});

	test("goes on before others that wait, and says so meanwhile", longTimeout, async () => {
		const { daemon, client, add, agent, turns } = await started({ turnsMax: 1 });
		// its deadline passes while the child has the only place
		const waiter = await add("fork ask may I?\nwait children 1\nsay on I go");
		await expect.poll(async () => (await agent(waiter.id)).turn?.phase, longTimeout).toBe("slot");
		const later = await add("say last");
		expect(await agent(waiter.id)).toMatchObject({
			waitingFor: "the machine runs 1 turn, which is its limit",
			turnsAhead: 0,
		});
		expect(await agent(later.id)).toMatchObject({
			waitingFor: "the machine runs 1 turn, which is its limit, 1 ahead",
			turnsAhead: 1,
		});
		await expect.poll(async () => (await client.call("approvals", { query: {} })).length, longTimeout).toBe(1);
		const [question] = await client.call("approvals", { query: {} });
		await client.call("approvalAnswer", { params: { approval: String(question?.id) }, body: { allow: true } });
		await expect.poll(() => turns(later.id), longTimeout).toEqual(["completed"]);
		const events = await daemon.engine.reads.events({ after: 0, limit: 10_000 });
		const place = (kind: string, of: string) => events.findIndex((event) => event.kind === kind && event.agent === of);
		expect(place("turn.continued", waiter.id)).toBeLessThan(place("turn.started", later.id));
		expect([await turns(waiter.id), await turns(String(question?.agent))]).toEqual([["completed"], ["completed"]]);
	});

	test("does not complete if a turn that waits keeps its place: the control", longTimeout, async () => {
		// a process that waits without saying so: the child can never start
		const { add, turns, client } = await started({ turnsMax: 1 });
		const parent = await add("fork say I am the child\nask is my child done?");
		await expect.poll(async () => (await client.call("approvals", { query: {} })).length, longTimeout).toBe(1);
		const [child] = (await client.call("agents", { query: {} })).filter(({ supervisor }) => supervisor === parent.id);
		expect([await turns(child?.id ?? ""), child?.waitingFor]).toEqual([
			[],
			"the machine runs 1 turn, which is its limit",
		]);
	});
});

describe("a lease", () => {
	test(
		"goes with the process that had it, though nobody told anybody: whoever waits for the slot starts",
		longTimeout,
		async () => {
			const { daemon, home, client, subscribe, add, agent, turns } = await started();
			await subscribe("only");
			const doomed = await add("run sleep 1000");
			await expect.poll(async () => (await agent(doomed.id)).turn?.phase, longTimeout).toBe("tool");
			const next = await add("say at last");
			await expect.poll(async () => (await agent(next.id)).waitingFor, longTimeout).toBe("waiting for a slot of only");
			expect(await daemon.engine.reads.turnLeases()).toMatchObject([{ agent: doomed.id, subscription: "only" }]);
			killAll(insiders(home, daemon.containment));
			await expect.poll(() => turns(doomed.id), longTimeout).toEqual(["failed"]);
			await expect.poll(() => turns(next.id), longTimeout).toEqual(["completed"]);
			expect([
				await daemon.engine.reads.turnLeases(),
				await client.call("subscription", { params: { subscription: "only" } }),
			]).toMatchObject([[], { used: 0 }]);
		},
	);
});

describe("a usage limit", () => {
	test("cools the subscription down, holds its agents, and lets them go on by themselves", longTimeout, async () => {
		const { client, subscribe, add, agent, turns, said } = await started();
		await subscribe("max", { maxConcurrent: 2 });
		const other = await client.call("agentAdd", { body: { type: "scripted", name: "other" } });
		const first = await add("say before\nlimit 2\nsay after");
		await expect
			.poll(async () => (await agent(first.id)).holds, longTimeout)
			.toMatchObject([{ kind: "limit", by: "system", until: expect.any(String) }]);
		await expect.poll(async () => (await agent(other.id)).label, longTimeout).toBe("paused");
		const { coolingUntil } = await client.call("subscription", { params: { subscription: "max" } });
		expect(coolingUntil).not.toBeNull();
		expect(await agent(first.id)).toMatchObject({ waitingFor: "held: limit", queueLength: 1 });
		await expect.poll(() => turns(first.id), longTimeout).toEqual(["failed", "completed"]);
		expect(await said(first.id)).toEqual(["before", "before", "no limit now", "after"]);
		const queued = await client.call("journal", { query: { agent: first.id, kind: "prompt.queued" } });
		expect(queued.events.map(({ data }) => Object(data).retries)).toEqual([
			undefined,
			{ prompt: queued.events[0]?.id, turn: expect.any(Number) },
		]);
		await expect.poll(async () => (await agent(other.id)).label, longTimeout).toBe("idle");
		expect(await client.call("subscription", { params: { subscription: "max" } })).toMatchObject({
			coolingUntil: null,
			used: 0,
		});
	});

	test("sends its agents to the fallback first, with that one's variables", longTimeout, async () => {
		const { home, subscribe, client, add, agent, turns } = await started();
		const file = path.join(home, "spare.env");
		writeFileSync(file, "# the spare key\nexport SCRIPTED_LIMIT='off'\nSECRET_WORD=xyzzy\n", { mode: 0o600 });
		await subscribe("spare", { credential: { envFile: file } });
		await subscribe("max", { fallback: "spare" });
		const { id } = await add('limit 600\nrun test "$SECRET_WORD" = xyzzy && echo let in', { subscription: "max" });
		await expect.poll(() => turns(id), longTimeout).toEqual(["failed", "completed"]);
		expect((await client.call("turns", { params: { agent: id } })).map(({ subscription }) => subscription)).toEqual([
			"max",
			"spare",
		]);
		expect((await agent(id)).holds).toEqual([]);
		// what lets it in is nowhere but in its environment
		const journal = await client.call("journal", { query: {} });
		expect(JSON.stringify(journal)).not.toMatch(/xyzzy(?! && echo)/);
	});

	test("is no reason to give up on an agent that goes to and fro between two plans", longTimeout, async () => {
		const { client, subscribe, add, turns } = await started();
		await subscribe("one");
		await subscribe("two");
		const { id } = await add("say 0", { subscription: "one" });
		const done: string[] = ["completed"];
		await expect.poll(() => turns(id), longTimeout).toEqual(done);
		// each of them needs another process, more than a program that does not stay up would get
		for (const subscription of ["two", "one", "two", "one", "two", "one"]) {
			await client.call("configure", {
				params: { agent: id },
				body: { subscription: SubscriptionName.parse(subscription) },
			});
			await client.call("prompt", { params: { agent: id }, body: { text: "say more" } });
			done.push("completed");
			await expect.poll(() => turns(id), longTimeout).toEqual(done);
		}
	});

	test("outlives the daemon", longTimeout, async () => {
		const before = await started();
		await before.subscribe("max");
		const { id } = await before.add("limit 600");
		await expect.poll(async () => (await before.agent(id)).label, longTimeout).toBe("paused");
		const { coolingUntil } = await before.client.call("subscription", { params: { subscription: "max" } });
		for (const daemon of open.splice(0)) await daemon[Symbol.asyncDispose]();
		const after = await started({}, before.home);
		expect(await after.client.call("subscriptions")).toMatchObject([{ name: "max", used: 0, coolingUntil }]);
		expect(await after.agent(id)).toMatchObject({ label: "paused", queueLength: 1 });
	});

	test("can be overruled by whoever resumes the agent, and by whoever knows better", longTimeout, async () => {
		const { client, subscribe, add, agent, turns } = await started();
		await subscribe("max");
		const { id } = await add("limit 600");
		await expect.poll(async () => (await agent(id)).label, longTimeout).toBe("paused");
		await client.call("resume", { params: { agent: id }, body: {} });
		// the limit is still there, so it is reached again
		await expect.poll(() => turns(id), longTimeout).toEqual(["failed", "failed"]);
		await expect.poll(async () => (await agent(id)).label, longTimeout).toBe("paused");
		await client.call("queueClear", { params: { agent: id } });
		await client.call("subscriptionCool", { params: { subscription: "max" }, body: { until: null } });
		await expect.poll(async () => (await agent(id)).label, longTimeout).toBe("idle");
	});

	test("ends for whoever waits for any slot while the others are taken", longTimeout, async () => {
		const { client, subscribe, add, agent, turns } = await started();
		await subscribe("busy");
		await subscribe("cool");
		const coolUntil = async (until: string | null): Promise<void> =>
			void (await client.call("subscriptionCool", { params: { subscription: "cool" }, body: { until } }));
		await coolUntil(new Date(Date.now() + 3_600_000).toISOString());
		const taken = await add("run sleep 1000");
		await expect.poll(async () => (await agent(taken.id)).turn?.phase, longTimeout).toBe("tool");
		const lifted = await add("say somebody knew better");
		await expect.poll(async () => (await agent(lifted.id)).waitingFor, longTimeout).toMatch(/^waiting for a slot of/);
		await coolUntil(null);
		await expect.poll(() => turns(lifted.id), longTimeout).toEqual(["completed"]);
		await coolUntil(new Date(Date.now() + 1500).toISOString());
		const passed = await add("say it is over");
		await expect.poll(() => turns(passed.id), longTimeout).toEqual(["completed"]);
		expect(await turns(taken.id)).toEqual(["open"]);
	});
});

describe("the HTTP API", () => {
	test("shows who is free, and since when somebody waits for what", longTimeout, async () => {
		const { client, subscribe, add, agent } = await started();
		await subscribe("only");
		const idle = await client.call("agentAdd", { body: { type: "scripted", name: "idle" } });
		const shell = await client.call("agentAdd", { body: { name: "shell", type: "shell" } });
		const free = async () => (await client.call("agentsAvailable", { query: {} })).map(({ handle }) => handle);
		expect(await free()).toEqual(["idle", "shell"]);
		const busy = await add("ask may I?");
		await expect.poll(async () => (await agent(busy.id)).turn?.phase, longTimeout).toBe("approval");
		const next = await add("say hello");
		await expect.poll(async () => (await agent(next.id)).waitingFor, longTimeout).toBe("waiting for a slot of only");
		// no slot is left for agents of that type
		expect(await free()).toEqual(["shell"]);
		const why = async (query: object) =>
			(await client.call("availability", { query })).map(({ available, reason }) => [available, reason]);
		expect(await why({ type: "scripted" })).toEqual([
			[false, "waiting for a slot of only"],
			[false, "its turn is running"],
			[false, "1 queued prompt"],
		]);
		expect([await why({ type: "shell" }), await why({ type: "llm" })]).toEqual([[[true, null]], []]);
		await client.call("prompt", {
			params: { agent: idle.id },
			body: { text: "later", notBefore: "2100-01-01T00:00:00Z" },
		});
		expect(await agent(idle.id)).toMatchObject({ waitingFor: "not before 2100-01-01T00:00:00.000Z", turnsAhead: 0 });
		await client.call("pause", { params: { agent: shell.id }, body: {} });
		await client.call("prompt", { params: { agent: shell.id }, body: { text: "true" } });
		expect(await agent(shell.id)).toMatchObject({ waitingFor: "held: user" });
		await expect(
			client.call("prompt", { params: { agent: next.id }, body: { text: "x", now: true } }),
		).rejects.toMatchObject({ refusal: { code: "NO_SLOT" } });
		await client.call("interrupt", { params: { agent: busy.id }, body: {} });
		await expect.poll(async () => (await agent(next.id)).label, longTimeout).toBe("idle");
		expect((await agent(next.id)).availableAt).toBeNull();
	});

	test(
		"takes a file of variables only if nobody else can read it, and refuses what does not fit",
		longTimeout,
		async () => {
			const { home, client, subscribe } = await started();
			const file = path.join(home, "open.env");
			writeFileSync(file, "A=1\n");
			chmodSync(file, 0o644);
			const wrong = async (more: object) =>
				(await subscribe("x", more).catch((error: unknown) =>
					error instanceof Refused ? error.refusal : error,
				)) as object;
			expect(await wrong({ credential: { envFile: file } })).toMatchObject({
				code: "VALIDATION_ERROR",
				message: expect.stringContaining("chmod 600"),
			});
			expect(await wrong({ credential: { envFile: path.join(home, "none") } })).toMatchObject({
				code: "VALIDATION_ERROR",
			});
			expect(await wrong({ maxConcurrent: 0 })).toMatchObject({ code: "VALIDATION_ERROR" });
			expect(await wrong({ quiet: { from: "22:00", to: "7", zone: "UTC" } })).toMatchObject({
				code: "VALIDATION_ERROR",
			});
			expect(await wrong({ quiet: { from: "22:00", to: "07:00", zone: "Nowhere/Land" } })).toMatchObject({
				code: "VALIDATION_ERROR",
			});
			await expect(client.ask("agentAdd", { body: { type: "scripted", subscription: "x" } })).rejects.toMatchObject({
				refusal: { code: "NOT_FOUND" },
			});
			const folder = path.join(home, "login");
			mkdirSync(folder);
			await subscribe("y", { credential: { configDir: folder } });
			const { id } = await client.ask("agentAdd", {
				body: { type: "scripted", prompt: 'run echo "$XDG_CONFIG_HOME"', subscription: "y" },
			});
			await expect
				.poll(
					async () =>
						(await client.call("items", { params: { agent: id } })).find(({ kind }) => kind === "tool_result")?.text,
					longTimeout,
				)
				.toContain(folder);
		},
	);
});
