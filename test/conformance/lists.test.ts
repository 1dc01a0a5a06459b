// Lists in pages, several rows at once, and persons: the same on all three stores, and the same as reading everything.

import { describe, expect, test } from "vitest";
import { type AgentId, human, ProjectSlug, system } from "#contract/ids.ts";
import type { PageRequest, RowPage } from "#contract/page.ts";
import { noPendingWork } from "#contract/pending-work.ts";
import { nothingSpent } from "#contract/usage.ts";
import { everyAgent, everyIssue, everyMail, everyTurn } from "#test/support/every.ts";
import { done, openTurn, spawn } from "#test/support/say.ts";
import { flavors, freshTestStore } from "#test/support/stores.ts";
import { foldInto, noRows } from "#views/rows.ts";
import { eventView } from "#views/wire.ts";

const web = ProjectSlug.parse("web");

/** All rows of a list, read in pages of two; each page but the last says that there are more. */
async function inPages<T>(read: (page: PageRequest) => Promise<RowPage<T>>): Promise<T[]> {
	const found: T[] = [];
	for (let after = 0; ; ) {
		const { rows, more } = await read({ after, limit: 2 });
		found.push(...rows.map(({ row }) => row));
		if (!more) return found;
		expect(rows).toHaveLength(2);
		after = rows.at(-1)?.at ?? expect.unreachable();
	}
}

describe.each(flavors)("%s", (flavor) => {
	test("persons are kept by name, with the hash of their token, and folded alike", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const tokenHash = "a".repeat(64);
		const { person } = await done(engine, { type: "person.add", name: "ben", role: "viewer", tokenHash });
		await done(engine, { type: "person.add", name: "anna", tokenHash: "b".repeat(64) });
		expect(await engine.reads.persons()).toMatchObject([{ name: "anna", role: "member" }, person]);
		await done(engine, { type: "person.configure", name: "ben", tokenHash: "c".repeat(64) });
		await done(engine, { type: "person.remove", name: "anna" });
		const after = await engine.reads.persons();
		expect(after).toMatchObject([
			{ name: "anna", removedAt: expect.any(Number) },
			{ name: "ben", role: "viewer", tokenHash: "c".repeat(64), rotatedAt: expect.any(Number) },
		]);
		const rows = noRows();
		for (const event of await engine.reads.events({ after: 0, limit: 1000 })) foldInto(rows, event);
		expect([...rows.person.values()].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(after);
	});

	test("an issue has its comments, and of each document the newest version", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		const { event: issueId = 0 } = await done(engine, { type: "issue.add", project: "web", title: "Font" });
		for (const text of ["one", "two"]) {
			await done(engine, { type: "issue.comment", issueId, text });
			// a comment has no name: it is not taken for a version of one that has
			for (const name of ["a.md", "b.md"])
				await done(engine, { type: "issue.document", issueId, name, text: `${name} ${text}` });
		}
		expect((await engine.reads.entries(issueId)).map(({ kind, version, text }) => [kind, version, text])).toEqual([
			["comment", null, "one"],
			["comment", null, "two"],
			["document", 2, "a.md two"],
			["document", 2, "b.md two"],
		]);
		const documents = (await engine.reads.entries(issueId)).slice(2);
		expect(await engine.reads.documents(issueId)).toEqual(documents.map(({ id, name }) => ({ id, name })));
		const { rows } = await engine.reads.listEntries({ issueId, kind: "document" }, { after: 0, limit: 9 });
		expect(rows.map(({ row }) => row.text)).toEqual(["a.md one", "b.md one", "a.md two", "b.md two"]);
	});

	test("the journal of a project has its agents, its issues and itself", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const own = new Map<string, { agent: AgentId; issueId: number }>();
		for (const slug of ["web", "api"]) {
			await done(engine, { type: "project.add", slug, path: `/srv/${slug}` });
			const { id: agent } = await spawn(engine, engine.agentZero.id, { name: "a", project: slug, workspace: "none" });
			const { event: issueId = 0 } = await done(engine, { type: "issue.add", project: slug, title: "Font" });
			own.set(slug, { agent, issueId });
			await done(engine, { type: "subscription.add", name: slug, agentType: "claude" });
		}
		for (const { agent, issueId } of own.values()) {
			await done(engine, { type: "issue.comment", issueId, text: "narrower" });
			await done(engine, { type: "item.append", agent, kind: "user", text: "x" });
			await done(engine, { type: "issue.delete", issueId });
		}
		const all = await engine.reads.events({ after: 0, limit: 1000 });
		for (const [slug, { agent, issueId }] of own) {
			const ids = async (more: object = {}): Promise<number[]> => {
				const range = { after: 0, limit: 1000, upTo: all.length, project: ProjectSlug.parse(slug), ...more };
				return (await engine.reads.events(range)).map(({ id }) => id);
			};
			const isAbout = (data: unknown): boolean =>
				["slug", "project"].some((name) => Reflect.get(Object(data), name) === slug) ||
				Reflect.get(Object(data), "issueId") === issueId;
			const expected = all.filter((event) => (event.agent === null ? isAbout(event.data) : event.agent === agent));
			const kinds = ["project.added", "agent.spawned", "issue.added", "issue.commented", "user", "issue.deleted"];
			expect(expected.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
			expect(await ids()).toEqual(expected.map(({ id }) => id));
			const issues = expected.filter(({ kind }) => kind.startsWith("issue."));
			expect(await ids({ kinds: ["issue"], limit: 2 })).toEqual(issues.slice(0, 2).map(({ id }) => id));
			expect(await ids({ kinds: ["subscription"] })).toEqual([]);
		}
	});

	test("what an inbox and a board show is read without the rest", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const { reads, agentZero } = engine;
		for (const slug of ["web", "api"]) await done(engine, { type: "project.add", slug, path: `/srv/${slug}` });
		const [paused, killed] = [await spawn(engine, agentZero.id), await spawn(engine, agentZero.id)];
		await spawn(engine, agentZero.id);
		for (const agent of [paused.id, killed.id]) await done(engine, { type: "agent.pause", agent });
		expect((await reads.heldAgents()).map(({ id }) => id)).toEqual([paused.id, killed.id]);
		await done(engine, { type: "agent.kill", agent: killed.id });
		expect((await reads.heldAgents()).map(({ id }) => id)).toEqual([paused.id]);
		await done(engine, { type: "agent.resume", agent: paused.id });
		expect(await reads.heldAgents()).toEqual([]);

		const stages = [
			{ name: "TODO", next: "CHECK" },
			{ name: "CHECK", next: "DONE", gate: "human" },
			{ name: "DONE", final: true },
		];
		const presets = { lean: { preset: { stages } } };
		await done(engine, { type: "project.configure", slug: web, presets, preset: "lean" });
		const issue = async (project: string, title: string): Promise<number> =>
			(await done(engine, { type: "issue.add", project, title })).event ?? 0;
		const [open, asks] = [await issue("web", "open"), await issue("web", "asks")];
		const [first, second, third] = [await issue("web", "1"), await issue("web", "2"), await issue("web", "3")];
		const gone = await issue("web", "gone");
		await issue("api", "other");
		for (const each of [asks, gone])
			await done(engine, { type: "issue.escalate", issueId: each, reason: "stuck" }, { as: system });
		for (const each of [first, second, third])
			await done(engine, { type: "issue.move", issueId: each, stage: "CHECK" });
		expect((await reads.issuesForPersons()).map(({ id }) => id)).toEqual([asks, first, second, third, gone]);
		for (const each of [first, second, third]) {
			await done(engine, { type: "issue.approve", issueId: each, empty: true });
			await expect.poll(async () => (await reads.issue(each))?.stage).toBe("DONE");
		}
		await done(engine, { type: "issue.delete", issueId: gone });
		expect((await reads.issuesForPersons()).map(({ id }) => id)).toEqual([asks]);
		const board = async (doneMax: number) => (await reads.issuesOfBoard(web, { doneMax })).map(({ id }) => id);
		expect(await board(9)).toEqual([open, asks, first, second, third]);
		expect(await board(2)).toEqual([open, asks, second, third]);
	});

	test("a list in pages is the list", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const { reads, agentZero } = engine;
		for (const slug of ["web", "api", "old"]) await done(engine, { type: "project.add", slug, path: `/srv/${slug}` });
		for (const name of ["b", "a", "c"]) {
			await done(engine, { type: "subscription.add", name, agentType: "claude" });
			await done(engine, { type: "person.add", name, tokenHash: name.repeat(64) });
		}
		const add = (name: string, more: object = {}) =>
			spawn(engine, agentZero.id, { name, project: "web", workspace: "none", ...more });
		const [one, , three] = [await add("one"), await add("two"), await add("three"), await add("x", { project: "api" })];
		const alone = await spawn(engine, agentZero.id, { name: "alone", workspace: "none" });
		await done(engine, { type: "agent.kill", agent: three.id });
		await done(engine, { type: "agent.reap", agent: three.id });
		for (let at = 0; at < 3; at++) {
			const turn = await openTurn(engine, one.id);
			await done(engine, { type: "turn.end", agent: one.id, turn, state: "completed" }, { as: system });
		}
		const turn = await openTurn(engine, one.id);
		const question = { title: "may I", tool: "execute", call: null, options: [] };
		for (let at = 0; at < 3; at++)
			await done(engine, { type: "approval.ask", agent: one.id, turn, question }, { as: system });
		for (const more of [{}, { priority: 2 }, { front: true }, { notBefore: 1 }, {}])
			await done(engine, { type: "prompt.queue", agent: one.id, text: JSON.stringify(more), ...more });
		for (const body of ["a", "b", "c", "d"])
			await done(engine, { type: "mail.send", to: one.id, body, urgent: body === "d" });
		const [, second] = await everyMail(reads, one.id);
		await done(engine, { type: "mail.delete", agent: one.id, mail: second?.id });
		for (const [project, labels] of [
			["web", ["x", "y"]],
			["api", ["z"]],
			["web", ["y"]],
			["web", []],
		] as const)
			await done(engine, { type: "issue.add", project, title: project, labels });
		const [issue] = await everyIssue(reads, web);
		const id = issue?.id ?? 0;
		for (const text of ["a", "b", "c"]) await done(engine, { type: "issue.comment", issueId: id, text });
		await done(engine, { type: "issue.document", issueId: id, name: "notes.md", text: "words" });

		const agents = await everyAgent(reads);
		expect(await inPages((page) => reads.listAgents({ reaped: true }, page))).toEqual(agents);
		expect(await inPages((page) => reads.listAgents({ reaped: false }, page))).toEqual(
			agents.filter(({ reapedAt }) => reapedAt === null),
		);
		expect(await inPages((page) => reads.listAgents({ reaped: true, project: web }, page))).toEqual(
			await everyAgent(reads, web),
		);
		expect(await inPages((page) => reads.listAgents({ reaped: false, project: web }, page))).toHaveLength(2);
		expect(await inPages((page) => reads.listAgents({ reaped: false, project: null }, page))).toMatchObject([
			{ handle: "init" },
			{ id: alone.id },
		]);
		expect(await inPages((page) => reads.listProjects(page))).toEqual(await reads.projects());
		expect(await inPages((page) => reads.listSubscriptions(page))).toEqual(await reads.subscriptions());
		expect(await inPages((page) => reads.listPersons(page))).toEqual(await reads.persons());
		expect(await reads.persons()).toHaveLength(3);
		const queue = await reads.prompts(one.id);
		expect(queue).toHaveLength(5);
		expect(await inPages((page) => reads.listPrompts(one.id, page))).toEqual(queue);
		expect(await reads.queueOrder(one.id)).toEqual(
			queue.map(({ id, position, priority }) => ({ id, position, priority })),
		);
		expect(await reads.nextPrompt(one.id, 5)).toEqual(queue[0]);
		expect(await reads.promptsFrom(one.id, "mail")).toEqual([]);
		expect((await reads.promptsFrom(one.id, "queue")).map(({ id }) => id).sort()).toEqual(
			queue.map(({ id }) => id).sort(),
		);
		expect(await reads.lastMail(one.id)).toBe((await everyMail(reads, one.id)).at(-1)?.id);
		expect(await reads.lastMail(alone.id)).toBe(0);
		const unread = await everyMail(reads, one.id);
		expect(await reads.newMailCount(one.id)).toEqual({
			mails: unread.length,
			urgent: unread.filter(({ urgent }) => urgent).length,
		});
		expect(await reads.newMailCount(alone.id)).toEqual({ mails: 0, urgent: 0 });
		expect(await reads.unreadMails(one.id)).toEqual(await everyMail(reads, one.id));
		expect(await inPages((page) => reads.listTurns(one.id, page))).toEqual(await everyTurn(reads, one.id));
		const items = await reads.itemsBefore(one.id, 1e9, 100);
		expect(items).toHaveLength(3);
		expect(await inPages((page) => reads.listItems({ agent: one.id, upTo: null }, page))).toEqual(items);
		expect(await inPages((page) => reads.listItems({ agent: one.id, upTo: items.at(-2)?.id ?? 0 }, page))).toEqual(
			items.slice(0, -1),
		);
		const texts = await reads.itemTexts({ agent: one.id, upTo: null }, [], { after: 0, limit: 100 });
		const shown = items.map(eventView);
		expect(JSON.parse(`[${texts.text}]`)).toEqual(shown);
		expect(texts).toMatchObject({ count: 3, last: items.at(-1)?.id, more: false });
		const hidden = [{ after: items[0]?.id ?? 0, before: items[2]?.id ?? 0 }];
		const first = await reads.itemTexts({ agent: one.id, upTo: null }, hidden, { after: 0, limit: 1 });
		expect([JSON.parse(first.text), first.more]).toEqual([shown[0], true]);
		const rest = await reads.itemTexts({ agent: one.id, upTo: null }, hidden, { after: first.last, limit: 1 });
		expect([JSON.parse(rest.text), rest.more]).toEqual([shown[2], false]);
		expect(await reads.itemTexts({ agent: one.id, upTo: null }, hidden, { after: 0, limit: 0 })).toEqual({
			...{ text: "", count: 0, last: 0, more: true },
		});
		const pending = await reads.pendingApprovals();
		expect(pending).toHaveLength(3);
		for (const of of [{}, { agent: one.id }, { project: web }])
			expect(await inPages((page) => reads.listApprovals(of, page))).toEqual(pending);
		expect(await inPages((page) => reads.listApprovals({ project: ProjectSlug.parse("api") }, page))).toEqual([]);
		expect(await inPages((page) => reads.listMails(one.id, page))).toEqual(await everyMail(reads, one.id));
		expect(await inPages((page) => reads.listIssues(undefined, page))).toEqual(await everyIssue(reads));
		expect(await inPages((page) => reads.listIssues(web, page))).toEqual(await everyIssue(reads, web));
		expect(await inPages((page) => reads.listEntries({ issueId: id, kind: "comment" }, page))).toMatchObject([
			...["a", "b", "c"].map((text) => ({ text, by: human })),
		]);
		expect(await inPages((page) => reads.listEntries({ issueId: id, kind: "document" }, page))).toHaveLength(1);
		expect(await inPages((page) => reads.listRuns(id, page))).toEqual([]);
		expect(await inPages((page) => reads.listIssueLabels(web, page))).toEqual([
			{ label: "y", issues: 2 },
			{ label: "x", issues: 1 },
		]);
		expect(await reads.issuesNumbered(web, [1, 3, 9])).toEqual(
			(await everyIssue(reads, web)).filter(({ number }) => number !== 2),
		);
		expect(await reads.agentsWith([alone.id])).toEqual([alone]);
		expect(await reads.runsOf([id])).toEqual([]);
		expect(await reads.pendingWork([one.id, alone.id], 5)).toEqual(
			new Map([
				[one.id, { ...noPendingWork, queueLength: 5, due: 5, notBefore: 1, unreadMail: 3, pendingApprovals: 3 }],
				[alone.id, noPendingWork],
			]),
		);
	});

	test("usage counts for the agents that somebody was forked from, and for projects", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const { reads, agentZero } = engine;
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		const parent = await spawn(engine, agentZero.id, { project: "web", workspace: "none" });
		const fork = await spawn(engine, parent.id, { context: "inherit" });
		const fresh = await spawn(engine, fork.id);
		const usage = async (agent: typeof parent.id, inputTokens: number, amount: number) => {
			const turn = await openTurn(engine, agent);
			const data = { inputTokens, cost: { amount, currency: "USD" } };
			const items = [{ kind: "usage", data }];
			await done(engine, { type: "turn.append", agent, turn, items }, { as: system });
			await done(engine, { type: "turn.end", agent, turn, state: "completed" }, { as: system });
		};
		await usage(parent.id, 1, 0.5);
		await usage(fork.id, 10, 0.25);
		await usage(fresh.id, 100, 1);
		const forks = await reads.spentByForks([parent.id, fork.id, fresh.id, agentZero.id]);
		const tokens = (agent: typeof parent.id) =>
			forks.filter((each) => each.agent === agent).map(({ spent }) => spent.inputTokens);
		expect([tokens(parent.id), tokens(fork.id), tokens(fresh.id), tokens(agentZero.id)]).toEqual([
			[10, 100],
			[100],
			[],
			[],
		]);
		expect(await inPages((page) => reads.listProjectSpending(page))).toEqual([
			{ project: null, spent: nothingSpent },
			{ project: web, spent: { ...nothingSpent, inputTokens: 111, costs: [{ amount: 1.75, currency: "USD" }] } },
		]);
	});
});
