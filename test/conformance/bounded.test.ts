// Reads that decisions, reactors and screens make again and again: of agents and issues that are over they cost
// nothing, however many there are. Counted are the rows that the database gave out.
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlReads } from "#adapters/store/sql/reads.ts";
import { openSqlite } from "#adapters/store/sqlite/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { type AgentId, ProjectSlug, system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { Engine } from "#engine/engine.ts";
import type { Dispatch } from "#engine/ports/dispatch.ts";
import { noLog } from "#engine/ports/log.ts";
import { recover } from "#engine/recover.ts";
import { ProcessTokens } from "#engine/tokens.ts";
import { gcRequest } from "#engine/upkeep.ts";
import { usageSince } from "#engine/usage-since.ts";
import { trashNamesakes } from "#engine/workspaces/namesake-folders.ts";
import { apiApp, ask, host } from "#test/support/api-app.ts";
import { CountingConnection, counted, countedStore } from "#test/support/counted-store.ts";
import { everyAgent } from "#test/support/every.ts";
import { done, openTurn, spawn } from "#test/support/say.ts";
import { flavors, freshFolder, freshTestStore } from "#test/support/stores.ts";

const web = ProjectSlug.parse("web");
/** how many agents and issues are over, and how many rows a read may need */
const [over, rowsMax] = [120, 30];

let engine: Engine;
const count = { rows: 0, length: 0 };

beforeAll(async () => {
	const file = path.join(freshFolder(), "brood.db");
	const program = new URL("../../src/programs/store-thread.ts", import.meta.url);
	const wide = { ...limits, turnsMax: 1000 };
	const store = await openSqlite({ file, limits: wide, program });
	const reads = sqlReads(new CountingConnection(file, { readOnly: true, count }));
	const parts = { driver: null, limits: wide, clock: systemClock, ids: randomIds };
	engine = await Engine.start({ store: { ...store, reads }, ...parts });
	await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
});
afterAll(async () => await engine[Symbol.asyncDispose]());

/** An agent that used something, was deleted and reaped, and an issue that is done. */
async function isOver(at: number): Promise<void> {
	const { id: agent } = await spawn(engine, engine.agentZero.id, {
		name: `a-${at}`,
		project: "web",
		workspace: "none",
	});
	await used(agent, 1);
	await done(engine, { type: "agent.kill", agent });
	await done(engine, { type: "agent.delete", agent, force: true }, { as: system });
	await done(engine, { type: "agent.reap", agent });
	const { event: issue = 0 } = await done(engine, { type: "issue.add", project: "web", title: `Issue ${at}` });
	await done(engine, { type: "issue.delete", issueId: issue });
}

async function used(agent: AgentId, outputTokens: number): Promise<number> {
	const turn = await openTurn(engine, agent);
	const items = [{ kind: "usage", data: { inputTokens: 10, outputTokens } }];
	await done(engine, { type: "turn.append", agent, turn, items }, { as: system });
	await done(engine, { type: "turn.end", agent, turn, state: "completed" }, { as: system });
	return turn;
}

const rowsOf = async (work: () => Promise<unknown>): Promise<number> => (await counted(count, work)).rows;

/** Sends a GET to the engine's API and answers its data. */
function getter(of: Engine): (name: string) => Promise<unknown> {
	const app = apiApp(of, { token: "person", tokens: new ProcessTokens(randomIds), hosts: [host] });
	return async (name) => {
		const headers = { host, authorization: "Bearer person" };
		const answer = JSON.parse(await ask(app, { method: "GET", path: name, headers }));
		if (answer.data === undefined) throw new Error(`${name}: ${JSON.stringify(answer)}`);
		return answer.data;
	};
}

test("agents and issues that are over cost nothing", async () => {
	await Promise.all(Array.from({ length: over }, (_, at) => isOver(at)));
	const { reads } = engine;
	const { id } = await spawn(engine, engine.agentZero.id, { name: "living", project: "web", workspace: "none" });
	const agent = await reads.agent(id);
	if (agent === undefined) throw new Error("it was just made");
	const now = Date.now();
	await used(id, 5);
	const get = getter(engine);
	const dispatch: Dispatch = (request) => engine.dispatch(request);
	const workspaces = { remove: async () => ({ trash: null, snapshot: null, branchRemoved: false, teardown: null }) };
	const works: Record<string, () => Promise<unknown>> = {
		recovery: () => recover({ reads, dispatch, driver: null, log: noLog, node: null }),
		provisioning: () => trashNamesakes({ reads, dispatch, workspaces }, agent),
		"former workspaces of moved agents": () => reads.agentsWithStrayFiles(),
		"the upkeep of a project": () => gcRequest(reads, { slug: web }),
		"usage since a moment": () => usageSince(reads, { by: "agent", project: undefined, since: now }),
		"usage of issues since a moment": () => usageSince(reads, { by: "issue", project: web, since: now }),
		"living agents of a project": () => reads.agents({ project: web, life: "living" }),
		"the mirror of a board and a thread": () =>
			reads.mirrored({ boards: [web], threads: [id], itemsMax: 5, isPart: false }),
		"the tree": () => get("/api/tree"),
		"the nodes": () => get("/api/nodes"),
		"the interrupted turns": () => get("/api/turns/interrupted"),
		"a page of a project's journal": () => get("/api/journal?project=web&limit=5"),
	};
	const counted = [];
	for (const [name, work] of Object.entries(works)) counted.push([name, await rowsOf(work)] as const);
	expect(counted.filter(([, count]) => count > rowsMax)).toEqual([]);
	// the control: what asks for all of them is counted
	expect(await rowsOf(() => everyAgent(reads))).toBeGreaterThan(over);
});

test("texts that nobody sees are not read", async () => {
	const { store, outside } = countedStore(limits);
	await using of = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds });
	const { id } = await spawn(of, of.agentZero.id);
	await Promise.all(Array.from({ length: 30 }, () => done(of, { type: "mail.send", to: id, body: long })));
	const get = getter(of);
	const lengthOf = async (path: string): Promise<number> => (await counted(outside, () => get(path))).length;
	expect(await lengthOf("/api/tree")).toBeLessThan(long.length);
	expect(await lengthOf("/api/rows?items=0")).toBeLessThan(long.length);
	// the control: a conversation that is shown has its mails
	expect(await lengthOf(`/api/rows?items=5&threads=${id}`)).toBeGreaterThan(30 * long.length);
});

test("a decision reads what it needs of a long queue", async () => {
	const { store, inWriter, outside } = countedStore(limits);
	await using of = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds });
	const { id: agent } = await spawn(of, of.agentZero.id);
	await done(of, { type: "agent.pause", agent });
	const queue = async () => (await done(of, { type: "prompt.queue", agent, text: long })).event;
	const [prompt, another] = await Promise.all(Array.from({ length: 30 }, queue));
	const lengthOf = async (type: string, more: object = {}): Promise<number> =>
		(await counted(inWriter, () => done(of, { type, agent, ...more }))).length;
	// a row that is changed is loaded with its text, once to decide and once to fold
	expect(await lengthOf("prompt.edit", { prompt, text: "shorter" })).toBeLessThan(3 * long.length);
	expect(await lengthOf("prompt.move", { prompt, to: 2 })).toBeLessThan(3 * long.length);
	expect(await lengthOf("prompt.cancel", { prompt })).toBeLessThan(long.length);
	expect(await lengthOf("prompt.cancel", { prompt: another })).toBeLessThan(3 * long.length);
	// the control: the whole queue is counted
	expect((await counted(outside, () => of.reads.prompts(agent))).length).toBeGreaterThan(28 * long.length);
	expect(await lengthOf("prompt.cancel")).toBeLessThan(long.length);
	expect(await of.reads.prompts(agent)).toEqual([]);
});

test("a decision reads what it needs of a full mailbox", async () => {
	const { store, inWriter, outside } = countedStore(limits);
	await using of = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds });
	const { id: agent } = await spawn(of, of.agentZero.id);
	await done(of, { type: "agent.pause", agent });
	const send = async () => (await done(of, { type: "mail.send", to: agent, body: long })).event;
	const [mail] = await Promise.all(Array.from({ length: 30 }, send));
	const read = (command: object, how = {}) => counted(inWriter, () => done(of, command, how));
	// a row that is changed is loaded with its text, once to decide and once to fold
	expect((await read({ type: "mail.read", agent, mail })).length).toBeLessThan(3 * long.length);
	expect((await of.reads.mail(mail ?? 0))?.state).toBe("read");
	for (const other of [
		{ agent, mail },
		{ agent: of.agentZero.id, mail: (mail ?? 0) + 1 },
	])
		expect(await done(of, { type: "mail.read", ...other })).toMatchObject({ agent: { id: other.agent } });
	expect(await of.reads.unreadMailCount(agent)).toBe(29);
	const wait = { type: "wait.open", targets: [agent], for: "mail", blocking: false };
	for (const count of [await read(wait), await read({ type: "mail.wake", agent }, { as: system })]) {
		expect(count.length).toBeLessThan(long.length);
		expect(count.rows).toBeLessThan(rowsMax);
	}
	// the control: a mailbox with its texts is counted
	expect((await counted(outside, () => of.reads.unreadMails(agent))).length).toBeGreaterThan(29 * long.length);
});

test("a new version of a document reads the newest one, and no comments", async () => {
	const { store, inWriter, outside } = countedStore(limits);
	await using of = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds });
	await done(of, { type: "project.add", slug: "web", path: "/srv/web" });
	const { event: issueId = 0 } = await done(of, { type: "issue.add", project: "web", title: "Font" });
	await Promise.all(Array.from({ length: 30 }, () => done(of, { type: "issue.comment", issueId, text: long })));
	for (const [name, start] of [
		["a.md", 1],
		["a.md", 2],
		["b/c.md", 3],
	])
		await done(of, { type: "issue.document", issueId, name, text: `${start} ${long}` });
	const document = { type: "issue.document", issueId, name: "a.md", text: "short" };
	const { rows, length } = await counted(inWriter, () => done(of, document));
	expect(rows).toBeLessThan(rowsMax);
	expect(length).toBeGreaterThan(long.length);
	expect(length).toBeLessThan(2 * long.length);
	const documents = (await of.reads.entries(issueId)).filter(({ kind }) => kind === "document");
	expect(documents.map(({ name, version, text }) => [name, version, text.length > 5])).toEqual([
		["b/c.md", 1, true],
		["a.md", 3, false],
	]);
	// the control: all entries are counted
	expect((await counted(outside, () => of.reads.entries(issueId))).length).toBeGreaterThan(30 * long.length);
});

const long = "m".repeat(20_000);

test("usage of a period is what was reported in it, whatever it is grouped by", async () => {
	const { id } = await spawn(engine, engine.agentZero.id, { name: "late", project: "web", workspace: "none" });
	const since = Date.now() + 1;
	while (Date.now() < since) await new Promise((resume) => setImmediate(resume));
	await used(id, 7);
	await used(id, 8);
	const of = (by: "agent" | "project" | "issue") => usageSince(engine.reads, { by, project: undefined, since });
	expect(await of("agent")).toMatchObject([{ name: "late", spent: { inputTokens: 20, outputTokens: 15 } }]);
	expect(await of("project")).toMatchObject([{ name: "web", spent: { inputTokens: 20, outputTokens: 15 } }]);
	expect(await of("issue")).toEqual([]);
});

describe.each(flavors)("%s", (flavor) => {
	test("finds agents by what is left to do for them", async () => {
		await using testStore = await freshTestStore(flavor);
		await using other = await testStore.open();
		await done(other, { type: "project.add", slug: "web", path: "/srv/web", base: "main" });
		const add = async (name: string) => {
			const agent = await spawn(other, other.agentZero.id, { name, project: "web", workspace: "new" });
			const workspace = { kind: "worktree", path: `/home/projects/web/agents/${name}`, branch: name, base: "main" };
			await done(other, { type: "agent.provision", agent: agent.id, workspace, head: null }, { as: system });
			return agent;
		};
		const [shown, hidden, below] = [await add("shown"), await add("hidden"), await add("below")];
		const { reads } = other;
		const ids = (agents: readonly { id: AgentId }[]): AgentId[] => agents.map(({ id }) => id);
		expect(ids(await reads.agentsWithFolders(web))).toEqual([shown.id, hidden.id, below.id]);
		expect(ids(await reads.agentsInFolder(web, "hidden"))).toEqual([hidden.id]);
		await done(other, { type: "workspace.lease", agent: shown.id, step: "commit" }, { as: system });
		expect(ids(await reads.agentsWithLeasedWorkspace())).toEqual([shown.id]);
		await done(other, { type: "workspace.free", agent: shown.id }, { as: system });
		expect(ids(await reads.agentsWithLeasedWorkspace())).toEqual([]);
		expect(await reads.livingAgentsByNode()).toEqual(new Map([[null, 4]]));
		await done(other, { type: "agent.kill", agent: hidden.id });
		await done(other, { type: "agent.delete", agent: hidden.id, force: true }, { as: system });
		await done(other, { type: "agent.reap", agent: hidden.id });
		expect(ids(await reads.agentsWithFolders(web))).toEqual([shown.id, below.id]);
		expect(await reads.agentsInFolder(web, "hidden")).toEqual([]);
		const mirrored = await reads.mirrored({ boards: [], threads: [], itemsMax: 0, isPart: false });
		expect(ids(mirrored.agents)).toEqual([other.agentZero.id, shown.id, below.id]);
		expect(await reads.agentIds(web)).toEqual([shown.id, hidden.id, below.id]);
	});
});
