// What a store promises, held against all three of them.

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { AgentId, actingAgent, human, initHandle, ProjectSlug, system } from "#contract/ids.ts";
import { fold } from "#domain/fold/fold.ts";
import type { Engine } from "#engine/engine.ts";
import { everyAgent, everyIssue } from "#test/support/every.ts";
import { gateText, poisonText } from "#test/support/gate.ts";
import { gatedStore } from "#test/support/gated-store.ts";
import { done, openTurn, refused, say, spawn } from "#test/support/say.ts";
import { durable, flavors, freshTestStore } from "#test/support/stores.ts";
import { noRows } from "#views/rows.ts";

/** Quiet hours that are over now, whatever the clock says. */
const quietTomorrow = (now: number) => {
	const hour = (ahead: number) => `${String((new Date(now).getUTCHours() + ahead) % 24).padStart(2, "0")}:00`;
	return { from: hour(12), to: hour(20), zone: "UTC" };
};
const allEvents = async (engine: Engine) => await engine.reads.events({ after: 0, limit: 100_000 });

describe.each(flavors)("%s", (flavor) => {
	test("agent 0 is there from the first start", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		expect(await everyAgent(engine.reads)).toEqual([engine.agentZero]);
		expect(engine.agentZero).toMatchObject({
			handle: "init",
			life: "live",
			supervisor: null,
			lineage: null,
			type: "scripted",
			createdBy: "system",
		});
	});

	test("the rows are what the journal adds up to", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		const parent = await spawn(engine, engine.agentZero.id, { name: "opus-1", project: "web" });
		const child = await spawn(engine, parent.id, { title: "Font replacement" });
		await spawn(engine, child.id);
		await done(engine, { type: "agent.pause", agent: child.id, reason: "lunch" });
		await done(engine, { type: "agent.kill", agent: parent.id });
		await done(engine, { type: "agent.reap", agent: parent.id });
		await done(engine, { type: "item.append", agent: child.id, kind: "user", text: "hello" });
		await done(engine, { type: "project.add", slug: "api", path: "/srv/api" });
		await done(engine, { type: "project.remove", slug: "api" });
		const folded = noRows();
		for (const event of await allEvents(engine)) fold(event, folded, () => expect.unreachable());
		const rows = await everyAgent(engine.reads);
		expect(rows).toHaveLength(4);
		expect([...folded.agent.values()]).toEqual(rows);
		expect([...folded.project.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1))).toEqual(
			await engine.reads.projects(),
		);
	});

	test("a batch is seen whole or not at all, and only after its commit", async () => {
		await using gated = await gatedStore(flavor);
		const { engine, store } = gated;
		const before = await allEvents(engine);
		const answers: string[] = [];
		const published = engine.publisher.follow();
		const waiting = Promise.all(
			["one", gateText, "three"].map(async (text) => {
				await done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text });
				answers.push(text);
			}),
		);
		await gated.arrived();
		if (flavor !== "memory") expect(await store.reads.events({ after: 0, limit: 1000 })).toEqual(before);
		expect(answers).toEqual([]);
		gated.open();
		await waiting;
		expect(answers).toEqual(["one", gateText, "three"]);
		const after = await allEvents(engine);
		expect(after.slice(before.length).map((event) => event.text)).toEqual(["one", gateText, "three"]);
		expect("next" in published && (await published.next())).toEqual(after.slice(before.length));
	});

	test("a refused command leaves nothing behind, and its neighbours in the batch are not harmed", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const zero = engine.agentZero.id;
		const outcomes = await Promise.all([
			say(engine, { type: "agent.spawn", parent: zero, context: "fresh", name: "same" }),
			say(engine, { type: "agent.spawn", parent: zero, context: "fresh", name: "same" }),
			say(engine, { type: "agent.kill", agent: zero }),
			say(engine, { type: "agent.spawn", parent: zero, context: "fresh", name: "other" }),
		]);
		expect(
			outcomes.map((outcome) => ("refused" in outcome ? outcome.refused.code : outcome.done.agent?.handle)),
		).toEqual(["same", "CONFLICT", "CANNOT_KILL_ROOT", "other"]);
		expect((await everyAgent(engine.reads)).map((agent) => agent.handle)).toEqual(["init", "same", "other"]);
	});

	test("a bug in one command leaves nothing of it, harms no neighbour and changes no order", async () => {
		await using gated = await gatedStore(flavor);
		const { engine } = gated;
		const texts = Array.from({ length: 60 }, (_, at) => (at === 23 ? poisonText : `${at}`));
		const results = await Promise.allSettled(
			texts.map((text) => say(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text })),
		);
		expect(results.flatMap((result, at) => (result.status === "rejected" ? at : []))).toEqual([23]);
		expect((await allEvents(engine)).flatMap((event) => event.text ?? [])).toEqual(
			texts.filter((text) => text !== poisonText),
		);
	});

	test("ids rise in the order of the answers, without an event of a refusal in between", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const ids: number[] = [];
		await Promise.all(
			Array.from({ length: 200 }, async (_, at) => {
				const { event: item } = await done(engine, {
					type: "item.append",
					agent: engine.agentZero.id,
					kind: "user",
					text: String(at),
				});
				ids.push(item ?? 0);
			}),
		);
		expect(ids).toEqual([...ids].sort((a, b) => a - b));
		const events = (await allEvents(engine)).filter((event) => event.kind === "user");
		expect(events.map((event) => event.id)).toEqual(ids);
		expect(events.map((event) => event.text)).toEqual(Array.from({ length: 200 }, (_, at) => String(at)));
	});

	test("events are read in pages and by agent", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const one = await spawn(engine, engine.agentZero.id);
		for (const text of ["a", "b", "c", "d"])
			await done(engine, { type: "item.append", agent: one.id, kind: "user", text });
		const events = await allEvents(engine);
		const first = await engine.reads.events({ after: 0, limit: 3 });
		expect(first).toEqual(events.slice(0, 3));
		expect(await engine.reads.events({ after: first.at(-1)?.id ?? 0, limit: 1000 })).toEqual(events.slice(3));
		expect(await engine.reads.events({ after: 0, limit: 1000, agent: one.id })).toEqual(
			events.filter((event) => event.agent === one.id),
		);
		expect(await engine.reads.newestItem(one.id)).toEqual(events.at(-1));
		expect(await engine.reads.newestItem(engine.agentZero.id)).toBeUndefined();
		const said = events.filter((event) => event.kind === "user");
		expect(await engine.reads.newestOfKind(one.id, "user", Number.MAX_SAFE_INTEGER)).toEqual(said[3]);
		expect(await engine.reads.newestOfKind(one.id, "user", (said[2]?.id ?? 0) - 1)).toEqual(said[1]);
		// @ts-expect-error no event has this kind: a misspelt one does not compile
		expect(await engine.reads.newestOfKind(one.id, "use", Number.MAX_SAFE_INTEGER)).toBeUndefined();
		expect(await engine.reads.newestOfKind(engine.agentZero.id, "user", Number.MAX_SAFE_INTEGER)).toBeUndefined();
	});

	test("queues, approvals and waits are the same rows everywhere", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const { id: agent } = await spawn(engine, engine.agentZero.id);
		const queue = async (text: string, more: object = {}) =>
			(await done(engine, { type: "prompt.queue", agent, text, ...more })).event ?? 0;
		await done(engine, { type: "agent.pause", agent });
		const [a, b] = [await queue("a"), await queue("b", { priority: 3, metadata: { from: "test" } })];
		const [c, later] = [
			await queue("c", { front: true }),
			await queue("later", { notBefore: engine.now() + 3_600_000 }),
		];
		await done(engine, { type: "prompt.edit", agent, prompt: a, text: "a, edited" });
		await done(engine, { type: "prompt.move", agent, prompt: c, to: 3 });
		const order = await engine.reads.prompts(agent);
		expect(order.map(({ id, text, editedBy }) => [id, text, editedBy])).toEqual([
			[b, "b", null],
			[a, "a, edited", "human"],
			[c, "c", null],
			[later, "later", null],
		]);
		const positions = await Promise.all([...order.map(({ id }) => id), 0].map((id) => engine.reads.queuePosition(id)));
		expect(positions).toEqual([1, 2, 3, 4, 0]);
		expect(order[0]).toMatchObject({
			priority: 3,
			metadata: { from: "test" },
			manual: false,
			retries: null,
			source: "queue",
		});
		expect(await engine.reads.nextPromptAt(engine.now())).toBe(order[3]?.notBefore);
		expect(await engine.reads.queueHeads(engine.now())).toEqual([
			{
				agent: await engine.reads.agent(agent),
				head: { prompt: b, priority: 3, manual: false, source: "queue", since: order[0]?.createdAt },
			},
		]);
		await queue("by hand", { now: true });
		expect(await engine.reads.queueHeads(engine.now())).toMatchObject([{ head: { manual: true } }]);
		await done(engine, { type: "turn.start", agent }, { as: system });
		const turn = (await engine.reads.openTurns())[0];
		expect(await engine.reads.agentsAboutToBegin()).toEqual([await engine.reads.agent(agent)]);
		expect([
			turn?.manual,
			(await engine.reads.prompts(agent)).length,
			(await engine.reads.queueEnds(agent)).length,
		]).toEqual([true, 4, 4]);
		const question = { title: "x", tool: "execute", call: null, options: [{ id: "y", name: "Y", kind: "allow_once" }] };
		await done(engine, { type: "approval.ask", agent, turn: turn?.id, question }, { as: system });
		const wait = (await done(engine, { type: "wait.open", targets: [agent], for: "turn" })).event ?? 0;
		expect(await engine.reads.pendingApprovals()).toEqual(await engine.reads.pendingApprovals(agent));
		expect([
			(await engine.reads.pendingApprovals()).length,
			(await engine.reads.openWaits()).map(({ id }) => id),
		]).toEqual([1, [wait]]);
		await done(engine, { type: "prompt.return", agent, turn: turn?.id, reason: "x" }, { as: system });
		expect(await engine.reads.agentsAboutToBegin()).toEqual([]);
		expect((await engine.reads.prompts(agent)).map(({ text, manual }) => [text, manual])[0]).toEqual([
			"by hand",
			false,
		]);
		await expect.poll(async () => (await engine.reads.wait(wait))?.state).toBe("met");
		expect(await engine.reads.pendingApprovals()).toEqual([]);
		const events = await engine.reads.events({ after: 0, limit: 1000, agent, kinds: ["prompt"] });
		expect(new Set(events.map((event) => event.kind))).toEqual(
			new Set(["prompt.queued", "prompt.edited", "prompt.moved", "prompt.returned"]),
		);
		expect(await engine.reads.events({ after: 0, limit: 1000, since: engine.now() + 60_000 })).toEqual([]);
	});

	test("the journal is found by project, by kinds, in windows, and without the items of others", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		for (const slug of ["web", "api"]) await done(engine, { type: "project.add", slug, path: `/srv/${slug}` });
		const web = await spawn(engine, engine.agentZero.id, { name: "w", project: "web" });
		const api = await spawn(engine, engine.agentZero.id, { name: "a", project: "api" });
		for (const { id } of [web, api]) {
			for (const kind of ["user", "final", "user"])
				await done(engine, { type: "item.append", agent: id, kind, text: "x" });
			await done(engine, { type: "context.mark", agent: id, name: "here" });
			await done(engine, { type: "agent.pause", agent: id });
		}
		const all = await allEvents(engine);
		const ids = async (more: object) =>
			(await engine.reads.events({ after: 0, limit: 1000, ...more })).map(({ id }) => id);
		const where = (wanted: (event: Event) => boolean) => all.filter(wanted).map(({ id }) => id);
		const isOf = (slug: string, of: { id: AgentId }) => (event: Event) =>
			event.agent === null ? Reflect.get(Object(event.data), "slug") === slug : event.agent === of.id;
		const pausedAndFinal = where(
			({ kind, agent }) => (kind === "final" || kind.startsWith("agent.")) && agent === api.id,
		);
		expect(pausedAndFinal.length).toBeGreaterThan(2);
		expect(await ids({ project: "web" })).toEqual(where(isOf("web", web)));
		expect(await ids({ agent: api.id, kinds: ["final", "agent"] })).toEqual(pausedAndFinal);
		expect(await ids({ kinds: ["agent.held", "project"] })).toEqual(
			where(({ kind }) => kind === "agent.held" || kind.startsWith("project.")),
		);
		const isOthers = ({ kind }: Event): boolean => kind === "user" || kind === "mark";
		expect(await ids({ itemsOf: [web.id] })).toEqual(where((event) => !isOthers(event) || event.agent === web.id));
		expect(await ids({ itemsOf: [] })).toEqual(where((event) => !isOthers(event)));
		expect(await ids({ plainItems: false })).toEqual(where(({ kind }) => kind.includes(".") || kind === "mark"));
		expect(await ids({ project: "api", itemsOf: [web.id], kinds: ["user", "final"] })).toEqual(
			where(({ kind, agent }) => kind === "final" && agent === api.id),
		);
		expect(await ids({ after: 3, upTo: 7 })).toEqual([4, 5, 6, 7]);
		expect(await ids({ after: 3, upTo: 9, project: "web", limit: 2 })).toEqual(
			where((event) => event.id > 3 && isOf("web", web)(event)).slice(0, 2),
		);
	});

	test("issues, runs and entries are the same rows everywhere", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const [web, api] = [ProjectSlug.parse("web"), ProjectSlug.parse("api")];
		for (const slug of [web, api]) await done(engine, { type: "project.add", slug, path: `/srv/${slug}` });
		await done(engine, { type: "project.configure", slug: web, context: "keep" });
		const add = async (project: string, title: string, more: object = {}) =>
			(await done(engine, { type: "issue.add", project, title, ...more })).event ?? 0;
		const font = await add(web, "Font", { body: "a\0b", labels: ["ux"], priority: "high" });
		const [logo, other] = [await add(web, "Logo", { dependsOn: [1] }), await add(api, "Other")];
		expect((await everyIssue(engine.reads)).map(({ id }) => id)).toEqual([font, logo, other]);
		expect((await everyIssue(engine.reads, web)).map(({ number, dependsOn }) => [number, dependsOn])).toEqual([
			[1, []],
			[2, [1]],
		]);
		expect([
			await engine.reads.lastIssueNumber(web),
			await engine.reads.lastIssueNumber(ProjectSlug.parse("none")),
		]).toEqual([2, 0]);
		expect(await engine.reads.issueByNumber(web, 2)).toEqual(await engine.reads.issue(logo));
		expect([await engine.reads.issueByNumber(api, 2), await engine.reads.issue(1)]).toEqual([undefined, undefined]);
		expect(await engine.reads.issue(font)).toMatchObject({
			body: "a\0b",
			labels: ["ux"],
			priority: "high",
			stage: "TODO",
		});
		const { id: agent } = await spawn(engine, engine.agentZero.id, { project: web, agentType: "scripted" });
		await done(engine, { type: "issue.comment", issueId: font, text: "mind the footer" });
		await done(engine, { type: "issue.message", issueId: font, stage: "IN_PROGRESS", text: "now" });
		await done(engine, { type: "issue.assign", issueId: font, agent, folder: "/tmp/x" });
		expect((await engine.reads.entries(font)).map(({ kind, text, delivered }) => [kind, text, delivered])).toEqual([
			["comment", "mind the footer", false],
			["message", "now", true],
		]);
		await expect.poll(async () => (await engine.reads.agent(agent))?.activity).toBe("idle");
		await done(engine, { type: "turn.start", agent }, { as: system });
		const turn = (await engine.reads.agent(agent))?.turn?.id ?? 0;
		expect(await engine.reads.openRuns()).toMatchObject([
			{ issueId: font, agent, turn, stage: "IN_PROGRESS", state: "open" },
		]);
		await done(engine, { type: "issue.report", issueId: font, summary: "done" });
		await done(engine, { type: "turn.hand", agent, turn }, { as: system });
		await done(
			engine,
			{
				type: "turn.append",
				agent,
				turn,
				items: [{ kind: "usage", data: { inputTokens: 3, outputTokens: 4, cost: { amount: 0.5, currency: "USD" } } }],
			},
			{ as: system },
		);
		await done(engine, { type: "turn.end", agent, turn, state: "completed", text: "bye" }, { as: system });
		await expect.poll(async () => await engine.reads.issuesWithStepDue()).toEqual([]);
		const [run] = await engine.reads.runs(font);
		expect(run).toMatchObject({
			state: "completed",
			work: true,
			summary: "done",
			inputTokens: 3,
			outputTokens: 4,
			costUsd: 0.5,
		});
		expect([
			await engine.reads.runsOf([font, other]),
			await engine.reads.runsOfTurns([turn, font]),
			await engine.reads.lastRun(font),
			await engine.reads.lastRun(other),
			await engine.reads.openRuns(),
		]).toEqual([[run], [run], run, undefined, []]);
		expect((await engine.reads.issuesWith([other, 1, font])).map(({ id }) => id)).toEqual([font, other]);
		expect([await engine.reads.run(run?.id ?? 0), await engine.reads.run(1)]).toEqual([run, undefined]);
		expect(await engine.reads.issue(font)).toMatchObject({
			stage: "IN_REVIEW",
			waiting: "approval",
			folder: "/tmp/x",
			lastAgent: agent,
		});
		expect(await engine.reads.agent(agent)).toMatchObject({ issue: null, totalTasksCompleted: 1 });
		expect(await engine.reads.project(web)).toMatchObject({ context: "keep", auto: false });
	});

	test("when each project was last served is known from its turns", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		expect(await engine.reads.lastServed()).toEqual(new Map());
		const latest = new Map<string | null, number | undefined>();
		for (const slug of ["web", "api"]) await done(engine, { type: "project.add", slug, path: `/srv/${slug}` });
		for (const project of ["web", "api", null, "web"]) {
			const { id: agent } = await spawn(
				engine,
				engine.agentZero.id,
				project === null ? {} : { project, workspace: "none" },
			);
			const turn = await openTurn(engine, agent);
			latest.set(project, (await engine.reads.turn(turn))?.startedAt);
		}
		expect(await engine.reads.lastServed()).toEqual(latest);
	});

	test("subscriptions and leases are the same rows everywhere", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const add = async (name: string, more: object = {}) =>
			await done(engine, { type: "subscription.add", name, agentType: "scripted", ...more });
		await add("b", { maxConcurrent: 2, credential: { envFile: "/secret/env" }, quiet: quietTomorrow(engine.now()) });
		const { subscription } = await add("a", { fallback: "b" });
		expect((await engine.reads.subscriptions()).map((each) => each.name)).toEqual(["a", "b"]);
		expect((await engine.reads.subscriptions())[0]).toEqual(subscription);
		const { id: agent, subscription: bound } = await spawn(engine, engine.agentZero.id, { subscription: "b" });
		expect(bound).toBe("b");
		const turns: number[] = [];
		for (const state of ["completed", "failed", "completed"]) {
			const turn = await openTurn(engine, agent);
			turns.push(turn);
			expect(await engine.reads.turnLeases()).toEqual([
				{ turn, agent, subscription: "b", node: null, at: (await engine.reads.turn(turn))?.startedAt },
			]);
			await done(engine, { type: "turn.end", agent, turn, state }, { as: system });
			expect(await engine.reads.turnLeases()).toEqual([]);
		}
		expect((await engine.reads.latestTurns(agent, 2)).map(({ id }) => id)).toEqual(turns.slice(1));
		const waiting = await openTurn(engine, agent);
		const other = await spawn(engine, engine.agentZero.id, { agentType: "shell" });
		await done(engine, { type: "wait.open", targets: [other.id], for: "ended" }, { as: actingAgent(agent) });
		expect(await engine.reads.turnLeases()).toEqual([]);
		expect(await refused(engine, { type: "subscription.remove", name: "b" })).toMatchObject({ code: "CONFLICT" });
		await done(engine, { type: "agent.kill", agent: other.id });
		await expect.poll(async () => (await engine.reads.turnLeases()).map(({ turn }) => turn)).toEqual([waiting]);
		await done(
			engine,
			{ type: "turn.end", agent, turn: waiting, state: "failed", limit: { until: engine.now() + 60_000 } },
			{ as: system },
		);
		const cooled = (await engine.reads.subscriptions())[1]?.coolingUntil;
		expect((await engine.reads.agent(agent))?.holds).toMatchObject([{ kind: "limit", until: cooled }]);
		await done(engine, { type: "subscription.remove", name: "a" });
		expect(await engine.reads.subscriptions()).toMatchObject([
			{ name: "a", removedAt: expect.any(Number) },
			{ name: "b", removedAt: null },
		]);
	});

	test("every text and every JSON comes back as it went in", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const texts = [
			"",
			"\0",
			"a\0b\ue000c\ue0000",
			"\u001b[31mred\u001b[0m",
			"日本語 🎉",
			"'; drop table event; --",
			"line\r\nline",
			"x".repeat(1024 * 1024 - 2),
			"%_\\",
		];
		const data: unknown[] = [
			null,
			{ nested: [1, "two", null, { "\0": "\0" }] },
			[],
			"text",
			0,
			-1.5e-9,
			{ constructor: 1 },
			true,
		];
		for (const text of texts)
			await done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text });
		for (const value of data)
			await done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", data: value });
		const items = (await allEvents(engine)).filter((event) => event.kind === "user");
		expect(items.slice(0, texts.length).map((item) => item.text)).toEqual(texts);
		expect(items.slice(texts.length).map((item) => item.data)).toEqual(JSON.parse(JSON.stringify(data)));
	});

	test("agents are found by id, handle, prefix, project and place in the tree", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		const zero = engine.agentZero.id;
		const a = await spawn(engine, zero, { name: "a", project: "web" });
		const b = await spawn(engine, a.id, { name: "b" });
		const c = await spawn(engine, b.id, { name: "c" });
		const elsewhere = await spawn(engine, zero, { name: "a" });
		const ids = (agents: { id: AgentId }[]): AgentId[] => agents.map((agent) => agent.id);
		expect(await engine.reads.above(c.id)).toEqual([b.id, a.id, zero]);
		expect(ids(await engine.reads.descendants(zero))).toEqual([c.id, b.id, a.id, elsewhere.id]);
		expect(ids(await engine.reads.children(zero))).toEqual([a.id, elsewhere.id]);
		expect(ids(await everyAgent(engine.reads, ProjectSlug.parse("web")))).toEqual([a.id, b.id, c.id]);
		const living = async (project?: ProjectSlug) =>
			ids(await engine.reads.agents({ ...(project && { project }), life: "living" }));
		expect(await living()).toEqual([zero, a.id, b.id, c.id, elsewhere.id]);
		await done(engine, { type: "agent.kill", agent: c.id });
		expect([await living(), await living(ProjectSlug.parse("web"))]).toEqual([
			[zero, a.id, b.id, elsewhere.id],
			[a.id, b.id],
		]);
		expect(await engine.reads.agentIds(ProjectSlug.parse("web"))).toEqual([a.id, b.id, c.id]);
		expect(await engine.queries.resolve("a")).toEqual({ id: elsewhere.id });
		expect(await engine.queries.resolve("a", ProjectSlug.parse("web"))).toEqual({ id: a.id });
		expect(await engine.queries.resolve("web/a")).toEqual({ id: a.id });
		expect(await engine.queries.resolve(c.id.slice(0, 8))).toEqual({ id: c.id });
		expect(await engine.queries.resolve("%%%%")).toMatchObject({ code: "AGENT_NOT_FOUND" });
		expect(await engine.reads.agentByHandle(null, initHandle)).toEqual(engine.agentZero);
		expect(await engine.reads.agent(AgentId.parse("Z".repeat(22)))).toBeUndefined();
	});
});

describe.each(durable)("%s, reopened", (flavor) => {
	test("has everything that was acknowledged, and agent 0 is still the same", async () => {
		await using testStore = await freshTestStore(flavor);
		const key = randomUUID();
		const kept = await (async () => {
			await using engine = await testStore.open();
			const agent = await spawn(engine, engine.agentZero.id, { name: "kept" }, { key });
			await done(engine, { type: "item.append", agent: agent.id, kind: "user", text: "hello" });
			await done(engine, { type: "agent.pause", agent: agent.id });
			return { zero: engine.agentZero, events: await allEvents(engine), agents: await everyAgent(engine.reads) };
		})();
		await using engine = await testStore.open();
		expect(engine.agentZero).toEqual(kept.zero);
		expect(await allEvents(engine)).toEqual(kept.events);
		expect(await everyAgent(engine.reads)).toEqual(kept.agents);
		const again = { type: "agent.spawn", parent: kept.zero.id, context: "fresh", name: "kept" };
		expect(await say(engine, again, { key })).toMatchObject({ done: { agent: { handle: "kept" } }, replayed: true });
		expect(await refused(engine, { ...again, name: "other" }, { key })).toMatchObject({ code: "CONFLICT" });
		expect(await say(engine, again, { key, as: human })).toMatchObject({ replayed: true });
	});
});
