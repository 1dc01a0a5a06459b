// Lists in pages: of every list of the API a page reads about as many rows of the store as it answers, wherever in the
// list it is and however long the list is. Counted are the rows that the database gave out.
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Query, Value } from "#adapters/store/sql/prepared.ts";
import { sqlReads } from "#adapters/store/sql/reads.ts";
import { SqliteConnection } from "#adapters/store/sqlite/connection.ts";
import { openSqlite } from "#adapters/store/sqlite/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentId } from "#contract/ids.ts";
import { system } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { noProject } from "#contract/project.ts";
import { isList } from "#contract/routes/route.ts";
import { type Route, routes } from "#contract/routes.ts";
import { Engine } from "#engine/engine.ts";
import { ProcessTokens } from "#engine/tokens.ts";
import { apiApp, ask, host } from "#test/support/api-app.ts";
import { done, openTurn, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const token = "person";
/** how long each list is, how long a page, and how many rows of the store a page may need */
const [long, limit, rowsMax] = [120, 4, 40];

let engine: Engine;
let app: ReturnType<typeof apiApp>;
let rows = 0;
const wide = { ...limits, approvalsPendingMax: 1000 };
const subject: { agent?: AgentId; issue?: number } = {};

/** Counts what a store's reads get from the database. */
class Counting extends SqliteConnection {
	override async all<P extends Record<string, Value>, R>(query: Query<P, R>, args: P): Promise<R[]> {
		const found = await super.all(query, args);
		rows += found.length;
		return found;
	}
}

const times = async (work: (at: number) => Promise<unknown>): Promise<unknown> =>
	await Promise.all(Array.from({ length: long }, (_, at) => work(at)));

beforeAll(async () => {
	const file = path.join(freshFolder(), "brood.db");
	const program = new URL("../../src/programs/store-thread.ts", import.meta.url);
	const store = await openSqlite({ file, limits: wide, program });
	const reads = sqlReads(new Counting(file, { readOnly: true }));
	engine = await Engine.start({
		store: { ...store, reads },
		driver: null,
		limits: wide,
		clock: systemClock,
		ids: randomIds,
	});
	app = apiApp(engine, { token, tokens: new ProcessTokens(randomIds), hosts: [host] });
});
afterAll(async () => await engine[Symbol.asyncDispose]());

/** More of everything than a page has: around one agent, one issue and one project. */
async function fill(): Promise<void> {
	const say = (command: object) => done(engine, command);
	await say({ type: "project.add", slug: "web", path: "/srv/web" });
	await times((at) => say({ type: "project.add", slug: `p-${at}`, path: `/srv/${at}` }));
	await times((at) => say({ type: "subscription.add", name: `s-${at}`, agentType: `type-${at}` }));
	await times((at) => say({ type: "person.add", name: `p-${at}`, tokenHash: String(at).padStart(64, "0") }));
	await times((at) => spawn(engine, engine.agentZero.id, { name: `free-${at}`, project: "web", workspace: "none" }));
	// the one that is busy is the last one: what its place in the schedule depends on is not part of the list
	const { id: agent } = await spawn(engine, engine.agentZero.id, {
		name: "subject",
		project: "web",
		workspace: "none",
	});
	subject.agent = agent;
	for (let at = 0; at < long; at++) {
		const turn = await openTurn(engine, agent);
		await done(engine, { type: "turn.end", agent, turn, state: "completed", text: `done ${at}` }, { as: system });
	}
	const turn = await openTurn(engine, agent);
	const question = { title: "may I", tool: "execute", call: null, options: [] };
	await times(() => done(engine, { type: "approval.ask", agent, turn, question }, { as: system }));
	await say({ type: "agent.pause", agent });
	await times((at) => say({ type: "prompt.queue", agent, text: `prompt ${at}` }));
	await times((at) => say({ type: "mail.send", to: agent, body: `mail ${at}` }));
	const { event: issue = 0 } = await say({ type: "issue.add", project: "web", title: "first", labels: ["common"] });
	await times((at) =>
		say({ type: "issue.add", project: "web", title: `issue ${at}`, labels: ["common", `l-${at}`], dependsOn: [1] }),
	);
	await times((at) => say({ type: "issue.comment", issueId: issue, text: `comment ${at}` }));
	await times((at) => say({ type: "issue.document", issueId: issue, name: `d-${at}.md`, text: "words" }));
	await times((at) => say({ type: "issue.message", issueId: issue, stage: "IN_PROGRESS", text: `message ${at}` }));
}

interface Answer {
	data: unknown[];
	next?: number | null;
	error?: unknown;
	read: number;
}

async function get(address: string, query: Record<string, string | number> = {}): Promise<Answer> {
	const before = rows;
	const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
	const headers = { host, authorization: `Bearer ${token}` };
	const path = `${address}${address.includes("?") ? "&" : "?"}${search}`;
	const answer = await ask(app, { method: "GET", path, headers });
	return { ...JSON.parse(answer), read: rows - before };
}

/** Lists that are in memory, in one row, in git's own, or of machines, of which there are few. */
const unstored = ["vendors", "presets", "snapshots", "browsers", "nodes", "sites"];
/** Whether an agent has a slot depends on all subscriptions and projects, which are read once. */
const beside: Record<string, number> = { agentsAvailable: 2 * long, availability: 2 * long };
/** One run would be one turn of a real agent: this list has the same query as the others. */
const shorter = ["issueRuns"];

const lists = Object.entries<Route>(routes).filter(([, route]) => route.method === "get" && isList(route));
const asked = lists
	.filter(([name]) => !unstored.includes(name))
	.flatMap(([name, { path: address }]): [string, string][] =>
		name === "usage"
			? ["agent", "issue", "subscription"].map((by): [string, string] => [`usage by ${by}`, `${address}?by=${by}`])
			: [[name, address]],
	);

const addressOf = (route: string): string =>
	route
		.replace(":agent", String(subject.agent))
		.replace(":project", "web")
		.replace(":issue", encodeURIComponent("web#1"));

test("there are lists, and every one that is not in the store has a reason", { timeout: 120_000 }, async () => {
	await fill();
	expect(lists.length).toBeGreaterThan(20);
	expect(unstored.filter((name) => !lists.some(([each]) => each === name))).toEqual([]);
});

test.each(asked)("%s", async (name, route) => {
	const address = addressOf(route);
	const whole = await get(address);
	expect(whole.error).toBeUndefined();
	expect("next" in whole).toBe(false);
	if (shorter.includes(name)) return;
	// the control: the whole list reads all of its rows
	expect(whole.data.length).toBeGreaterThanOrEqual(long);
	expect(whole.read).toBeGreaterThanOrEqual(long);
	const gathered: unknown[] = [];
	let [after, pages]: [number | null, number] = [0, 0];
	while (after !== null) {
		const page: Answer = await get(address, { limit: pages === 0 ? limit : 50, after });
		if (pages === 0) expect(page.data).toHaveLength(limit);
		gathered.push(...page.data);
		after = page.next ?? null;
		pages++;
	}
	expect(gathered).toEqual(whole.data);
	const first = await get(address, { limit });
	expect(first.read - (beside[name] ?? 0)).toBeLessThanOrEqual(rowsMax);
	// the same deep in the list
	const middle = await get(address, { limit: 60 });
	const late = await get(address, { limit, after: middle.next ?? 0 });
	expect(late.data).toEqual(whole.data.slice(60, 60 + limit));
	expect(late.read - (beside[name] ?? 0)).toBeLessThanOrEqual(rowsMax);
});

test("sums by project are made by the database", async () => {
	const { data, read } = await get("/api/usage?by=project");
	expect([data.length, read]).toEqual([2, 2]);
});

const narrowed = Object.entries<Route>(routes).filter(
	([, { path: address, query }]) => !address.includes(":") && query !== undefined && "project" in query.shape,
);

test("what a project narrows is refused for one that is not there, and not answered as empty", async () => {
	expect(narrowed.map(([name]) => name)).toEqual(expect.arrayContaining(["agents", "issues", "journal", "search"]));
	const extra: Record<string, object> = { search: { text: "first" }, usage: { by: "issue" } };
	for (const [name, { path: address }] of narrowed) {
		const { error } = await get(address, { project: "wbe", ...extra[name] });
		expect([name, error]).toEqual([name, noProject("wbe")]);
		expect([name, (await get(address, { project: "web", ...extra[name] })).error]).toEqual([name, undefined]);
	}
});

test("a page beyond the end is empty, and one of the wrong size is refused", async () => {
	expect(await get("/api/agents", { limit: 5, after: 1_000_000 })).toMatchObject({ data: [], next: null });
	expect((await get("/api/agents", { limit: 0 })).error).toMatchObject({ code: "VALIDATION_ERROR" });
});
