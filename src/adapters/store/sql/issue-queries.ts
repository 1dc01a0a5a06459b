// Issues, their runs, and their comments, documents and messages.
import { type Kysely, sql } from "kysely";
import { fewById, fieldOf, query } from "./prepared.ts";
import { raw, type StateRow, stateById, upsert } from "./state-queries.ts";
import type { Tables } from "./tables.ts";

export const issueById = stateById("issue");

export const issueByNumber = query<{ project: string; number: number }>()("issue-by-number", (db, arg) =>
	db.selectFrom("issue").select("state").where("project", "=", arg("project")).where("number", "=", arg("number")),
);

export const issueIdsOfProject = query<{ project: string }>()("issue-ids-of-project", (db, arg) =>
	db.selectFrom("issue").select("id").where("project", "=", arg("project")).orderBy("number"),
);

export const issuesWithStepDue = query()("issues-with-step-due", (db) =>
	db.selectFrom("issue").select("state").where("step_due", "=", sql.lit(1)).orderBy("id"),
);

export const issuesForPersons = query()("issues-for-persons", (db) =>
	db.selectFrom("issue").select("state").where("needs_person", "=", sql.lit(1)).orderBy("id"),
);

export const issuesOfBoard = query<{ project: string; doneMax: number }>()("issues-of-board", (db, arg) =>
	raw(
		db,
		sql<StateRow>`select state from (
				select number, state from issue where project = ${arg("project")} and open = 1
				union all
				select number, state from (
					select number, state from issue where project = ${arg("project")} and done_at is not null
					order by done_at desc, number desc limit ${arg("doneMax")}) as done
			) as board order by number`,
	),
);

export const lastIssueNumber = query<{ project: string }>()("last-issue-number", (db, arg) =>
	db
		.selectFrom("issue")
		.select((of) => of.fn.max("number").as("number"))
		.where("project", "=", arg("project")),
);

export const putIssue = upsert("issue", {
	columns: ["id", "project", "number", "step_due", "needs_person", "open", "done_at", "state"],
	changes: ["step_due", "needs_person", "open", "done_at", "state"],
});

export const runById = stateById("run");

export const runsOfIssue = query<{ issueId: number }>()("runs-of-issue", (db, arg) =>
	db.selectFrom("run").select("state").where("issue_id", "=", arg("issueId")).orderBy("id"),
);

export const lastRun = query<{ issueId: number }>()("last-run", (db, arg) =>
	db.selectFrom("run").select("state").where("issue_id", "=", arg("issueId")).orderBy("id", "desc").limit(1),
);

export const openRuns = query()("open-runs", (db) =>
	db.selectFrom("run").select("state").where("open", "=", sql.lit(1)).orderBy(fewById),
);

export const putRun = upsert("run", {
	columns: ["id", "issue_id", "turn", "open", "state"],
	changes: ["open", "state"],
});

export const fromEntry = (db: Kysely<Tables>) =>
	db.selectFrom("entry").innerJoin("event", "event.id", "entry.id").select(["entry.state", "event.text"]);

export const entryById = query<{ id: number }>()("entry-by-id", (db, arg) =>
	fromEntry(db).where("entry.id", "=", arg("id")),
);

/** Without the documents' earlier versions, whose texts are not read. */
export const entriesOfIssue = query<{ issueId: number }>()("entries-of-issue", (db, arg, dialect) => {
	const [kind, name] = [fieldOf(dialect, "each.state", "kind"), fieldOf(dialect, "each.state", "name")];
	const newest = db
		.selectFrom("entry as each")
		.select(({ fn }) => fn.max("each.id").as("id"))
		.where("each.issue_id", "=", arg("issueId"))
		.groupBy([kind, sql`case when ${kind} = 'document' then ${name} else cast(each.id as text) end`]);
	return fromEntry(db).where("entry.id", "in", newest).orderBy("entry.id");
});

export const documentsOfIssue = query<{ issueId: number }>()("documents-of-issue", (db, arg, dialect) => {
	const name = fieldOf(dialect, "entry.state", "name");
	return db
		.selectFrom("entry")
		.select(({ fn }) => [fn.max("entry.id").as("id"), name.as("name")])
		.where("entry.issue_id", "=", arg("issueId"))
		.where(fieldOf(dialect, "entry.state", "kind"), "=", sql.lit("document"))
		.groupBy(name)
		.orderBy(({ fn }) => fn.max("entry.id"));
});

export const putEntry = upsert("entry", { columns: ["id", "issue_id", "state"], changes: ["state"] });
