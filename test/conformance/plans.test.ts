// How the databases carry out our statements, as they themselves say: what grows for ever is never walked from end to
// end.
import { constants, DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import * as agents from "#adapters/store/sql/agent-queries.ts";
import * as histories from "#adapters/store/sql/history-queries.ts";
import * as issues from "#adapters/store/sql/issue-queries.ts";
import * as lists from "#adapters/store/sql/list-queries.ts";
import * as lookups from "#adapters/store/sql/lookup-queries.ts";
import * as mails from "#adapters/store/sql/mail-queries.ts";
import { migrations } from "#adapters/store/sql/migrations.ts";
import * as open from "#adapters/store/sql/open-queries.ts";
import * as persons from "#adapters/store/sql/person-queries.ts";
import { Query } from "#adapters/store/sql/prepared.ts";
import * as rest from "#adapters/store/sql/queries.ts";
import * as queue from "#adapters/store/sql/queue-queries.ts";
import * as slots from "#adapters/store/sql/slot-queries.ts";
import * as turns from "#adapters/store/sql/turn-queries.ts";
import * as wanted from "#adapters/store/sql/wanted-queries.ts";
import { freshDatabase } from "#test/support/stores.ts";

const queries = [agents, histories, issues, open, persons, rest, slots, turns, mails, queue, lists, lookups, wanted]
	.flatMap((each) => Object.values(each))
	.filter((each) => each instanceof Query)
	// written for PostgreSQL
	.filter((each) => each.name !== histories.itemsOfHistory.name);

/** These have a row for each thing that ever happened. */
const growing = ["agent", "issue", "event", "turn", "mail", "approval", "wait", "run", "entry", "receipt"];
/** These have only rows that something still has to do with, and may be walked whole. */
const few = ["supervisor", "held", "leased", "stray", "shown", "step_due", "needs_person"];
/** `SCAN turn`, but not `SCAN turn USING INDEX turn_open`. */
const walk = new RegExp(
	`^SCAN (${growing.join("|")})\\b(?!.* USING (COVERING )?INDEX \\w*_(open|new|later|${few.join("|")})\\b)`,
);

const allowed = new Map([
	// once in a daemon's life
	["latest-turn-of-each-project", ["SCAN turn USING COVERING INDEX turn_agent"]],
	// SQLite plans to look for rows that wait for this one, and looks only where a transaction has broken references
	["insert-agent", ["SCAN approval"]],
	// all that the agents of each project ever used: one answer for a person who asks for the totals
	["project-costs", ["SCAN agent"]],
	["project-spending-page", ["SCAN agent"]],
]);

function walksOf(database: DatabaseSync, statement: string): string[] {
	return planOf(database, statement)
		.split("\n")
		.filter((detail) => walk.test(detail));
}

const planOf = (database: DatabaseSync, statement: string): string =>
	database
		.prepare(`explain query plan ${statement}`)
		.all()
		.map((row) => String(row["detail"]))
		.join("\n");

/** Whether running it with other values compiles it again: compiling asks the authorizer, running does not. */
function isCompiledAgain(database: DatabaseSync, statement: string): boolean {
	let questions = 0;
	database.setAuthorizer(() => {
		questions += 1;
		return constants.SQLITE_OK;
	});
	const prepared = database.prepare(statement);
	const compiled = questions;
	const places = statement.split("?").length - 1;
	for (const limit of [1, 2]) prepared.all(...Array.from({ length: places }, () => limit));
	return questions > compiled;
}

test("SQLite walks through no table that grows for ever", () => {
	using database = new DatabaseSync(":memory:");
	for (const { sql } of migrations) for (const statement of sql("sqlite")) database.exec(statement);
	const walks = queries.map((query): [string, string[]] => [
		query.name,
		walksOf(database, query.prepared("sqlite").sql),
	]);
	expect(walks.length).toBeGreaterThan(70);
	expect(new Map(walks.filter(([, found]) => found.length > 0))).toEqual(allowed);
	const plan = (query: Query<never, unknown>): string => planOf(database, query.prepared("sqlite").sql);
	expect(plan(agents.allLivingAgents)).toMatch(/USING INDEX agent_(supervisor|life)/);
	expect(plan(agents.agentsBeingProvisioned)).toMatch(/USING INDEX agent_life \(life=\?\)/);
	expect(plan(agents.livingAgentsOfProject)).toMatch(/USING INDEX agent_life \(life=\? AND <expr>=\?\)/);
	expect(plan(lists.agentsOfProjectPage)).toMatch(
		/USING COVERING INDEX agent_life \(life=\? AND <expr>=\? AND seq>\?\)/,
	);
	expect(plan(agents.livingAgentsByNode)).toMatch(/USING INDEX agent_(supervisor|life)/);
	expect(plan(agents.agentsWithLeasedWorkspace)).toMatch(/USING INDEX agent_leased/);
	expect(plan(agents.agentsWithStrayFiles)).toMatch(/USING INDEX agent_stray/);
	expect(plan(agents.agentsWithFolders)).toMatch(/USING INDEX agent_folder/);
	expect(plan(agents.agentsInFolder)).toMatch(/USING INDEX agent_folder/);
	expect(plan(rest.usageReports)).toMatch(/SEARCH event USING INDEX event_usage \(at>/);
	expect(plan(lookups.runsOfTurns)).toMatch(/USING INDEX run_turn/);
	expect(planOf(database, agents.heldAgents.prepared("sqlite").sql)).toMatch(/USING INDEX agent_held/);
	expect(planOf(database, issues.issuesForPersons.prepared("sqlite").sql)).toMatch(/USING INDEX issue_needs_person/);
	const board = planOf(database, issues.issuesOfBoard.prepared("sqlite").sql);
	expect(board).toMatch(/USING INDEX issue_open/);
	expect(board).toMatch(/USING INDEX issue_done/);
	expect(board).not.toMatch(/SCAN issue/);
	// the control: a statement without an index is seen
	expect(walksOf(database, "delete from receipt where answer = ''")).toEqual(["SCAN receipt"]);
	expect(walksOf(database, "select state from agent order by seq")).toEqual(["SCAN agent"]);
	expect(walksOf(database, "select seq from agent order by project")).toHaveLength(1);
});

test("SQLite compiles no statement again because another limit is bound", () => {
	using database = new DatabaseSync(":memory:");
	for (const { sql } of migrations) for (const statement of sql("sqlite")) database.exec(statement);
	const limited = queries
		.map((query) => query.prepared("sqlite").sql)
		.filter((statement) => statement.includes("limit ?"));
	expect(limited.length).toBeGreaterThan(15);
	expect(limited.filter((statement) => isCompiledAgain(database, statement))).toEqual([]);
	// the control: a bare limit is looked at by the planner
	expect(isCompiledAgain(database, "select id from event order by id limit ?")).toBe(true);
});

test("PostgreSQL need not either for what is asked at every turn, and by the upkeep", async () => {
	const client = new pg.Client(await freshDatabase());
	await client.connect();
	try {
		// its tables are empty, and walking those is cheapest; so it does only where nothing else can be done
		await client.query("set enable_seqscan = off; set plan_cache_mode = force_generic_plan");
		const planOf = async (statement: string): Promise<string> => {
			const { rows } = await client.query(`explain (generic_plan) ${statement}`);
			return rows.map((row) => String(row["QUERY PLAN"])).join("\n");
		};
		expect(await planOf(turns.openTurns.prepared("postgres").sql)).toMatch(/turn_open/);
		expect(await planOf(open.pendingApprovals.prepared("postgres").sql)).toMatch(/approval_open/);
		expect(await planOf(issues.openRuns.prepared("postgres").sql)).toMatch(/run_open/);
		expect(await planOf(rest.dropReceipts.prepared("postgres").sql)).toMatch(/receipt_age/);
		expect(await planOf(agents.heldAgents.prepared("postgres").sql)).toMatch(/agent_(supervisor|life)/);
		expect(await planOf(agents.agentsWithLeasedWorkspace.prepared("postgres").sql)).toMatch(/agent_folder/);
		expect(await planOf(agents.agentsWithStrayFiles.prepared("postgres").sql)).toMatch(/agent_stray/);
		expect(await planOf(agents.agentsInFolder.prepared("postgres").sql)).toMatch(/agent_folder/);
		expect(await planOf(agents.livingAgentsOfProject.prepared("postgres").sql)).toMatch(/agent_life/);
		expect(await planOf(rest.usageReports.prepared("postgres").sql)).toMatch(/event_usage/);
		expect(await planOf(lookups.runsOfTurns.prepared("postgres").sql)).toMatch(/run_turn/);
		expect(await planOf(issues.issuesForPersons.prepared("postgres").sql)).toMatch(/issue_needs_person/);
		expect(await planOf(issues.issuesOfBoard.prepared("postgres").sql)).toMatch(/issue_open[\s\S]*issue_done/);
		expect(await planOf("delete from receipt where answer = ''")).toMatch(/Seq Scan/);
	} finally {
		await client.end();
	}
});
