// Reads that decisions, reactors and screens make again and again: of agents and issues that are over they cost
// nothing, however many there are. Counted are the rows that the database gave out.
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Query, Value } from "#adapters/store/sql/prepared.ts";
import { sqlReads } from "#adapters/store/sql/reads.ts";
import { SqliteConnection } from "#adapters/store/sqlite/connection.ts";
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
import { everyAgent } from "#test/support/every.ts";
import { done, openTurn, spawn } from "#test/support/say.ts";
import { flavors, freshFolder, freshTestStore } from "#test/support/stores.ts";

const web = ProjectSlug.parse("web");
/** how many agents and issues are over, and how many rows a read may need */
const [over, rowsMax] = [120, 30];

let engine: Engine;
let rows = 0;

class Counting extends SqliteConnection {
	override async all<P extends Record<string, Value>, R>(query: Query<P, R>, args: P): Promise<R[]> {
		const found = await super.all(query, args);
		rows += found.length;
		return found;
	}
}

beforeAll(async () => {
	const file = path.join(freshFolder(), "brood.db");
	const program = new URL("../../src/programs/store-thread.ts", import.meta.url);
	const wide = { ...limits, turnsMax: 1000 };
	const store = await openSqlite({ file, limits: wide, program });
	const reads = sqlReads(new Counting(file, { readOnly: true }));
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
	await done(engine, { type: "issue.delete", issue });
}

async function used(agent: AgentId, outputTokens: number): Promise<number> {
	const turn = await openTurn(engine, agent);
	const items = [{ kind: "usage", data: { inputTokens: 10, outputTokens } }];
	await done(engine, { type: "turn.append", agent, turn, items }, { as: system });
	await done(engine, { type: "turn.end", agent, turn, state: "completed" }, { as: system });
	return turn;
}

async function rowsOf(work: () => Promise<unknown>): Promise<number> {
	const before = rows;
	await work();
	return rows - before;
}

test("agents and issues that are over cost nothing", async () => {
	await Promise.all(Array.from({ length: over }, (_, at) => isOver(at)));
	const { reads } = engine;
	const { id } = await spawn(engine, engine.agentZero.id, { name: "living", project: "web", workspace: "none" });
	const agent = await reads.agent(id);
	if (agent === undefined) throw new Error("it was just made");
	const now = Date.now();
	await used(id, 5);
	const app = apiApp(engine, { token: "person", tokens: new ProcessTokens(randomIds), hosts: [host] });
	const get = async (name: string): Promise<unknown> => {
		const headers = { host, authorization: "Bearer person" };
		const answer = JSON.parse(await ask(app, { method: "GET", path: name, headers }));
		if (answer.data === undefined) throw new Error(`${name}: ${JSON.stringify(answer)}`);
		return answer.data;
	};
	const dispatch: Dispatch = (request) => engine.dispatch(request);
	const workspaces = { remove: async () => ({ trash: null, snapshot: null, branchRemoved: false, teardown: null }) };
	const works: Record<string, () => Promise<unknown>> = {
		recovery: () => recover({ reads, dispatch, driver: null, log: noLog, node: null }),
		provisioning: () => trashNamesakes({ reads, dispatch, workspaces }, agent),
		"departures of moved agents": () => reads.agentsWithStrayFiles(),
		"the upkeep of a project": () => gcRequest(reads, { slug: web }),
		"usage since a moment": () => usageSince(reads, { by: "agent", project: undefined, since: now }),
		"usage of issues since a moment": () => usageSince(reads, { by: "issue", project: web, since: now }),
		"living agents of a project": () => reads.agents({ project: web, life: "living" }),
		"the mirror of a board and a thread": () =>
			reads.mirrored({ boards: [web], threads: [id], itemsMax: 5, isPart: false }),
		"the tree": () => get("/api/tree"),
		"the nodes": () => get("/api/nodes"),
		"the interrupted turns": () => get("/api/turns/interrupted"),
	};
	const counted = [];
	for (const [name, work] of Object.entries(works)) counted.push([name, await rowsOf(work)] as const);
	expect(counted.filter(([, count]) => count > rowsMax)).toEqual([]);
	// the control: what asks for all of them is counted
	expect(await rowsOf(() => everyAgent(reads))).toBeGreaterThan(over);
});

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
