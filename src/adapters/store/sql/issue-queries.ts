// Issues, their runs, and what is kept beside them.
import { type Kysely, type RawBuilder, sql } from "kysely";
import { fewById, query } from "./prepared.ts";
import type { Tables } from "./tables.ts";

export const issueById = query<{ id: number }>()("issue-by-id", (db, arg) =>
	db.selectFrom("issue").select("state").where("id", "=", arg("id")),
);

export const issueByNumber = query<{ project: string; number: number }>()("issue-by-number", (db, arg) =>
	db.selectFrom("issue").select("state").where("project", "=", arg("project")).where("number", "=", arg("number")),
);

export const allIssues = query()("all-issues", (db) => db.selectFrom("issue").select("state").orderBy("id"));

export const issuesOfProject = query<{ project: string }>()("issues-of-project", (db, arg) =>
	db.selectFrom("issue").select("state").where("project", "=", arg("project")).orderBy("number"),
);

export const issuesMoving = query()("issues-moving", (db) =>
	db.selectFrom("issue").select("state").where("moving", "=", sql.lit(1)).orderBy("id"),
);

export const lastIssueNumber = query<{ project: string }>()("last-issue-number", (db, arg) =>
	db
		.selectFrom("issue")
		.select((of) => of.fn.max("number").as("number"))
		.where("project", "=", arg("project")),
);

export const putIssue = query<{ id: number; project: string; number: number; moving: number; state: string }>()(
	"put-issue",
	(db, arg) =>
		db
			.insertInto("issue")
			.values({
				id: arg("id"),
				project: arg("project"),
				number: arg("number"),
				moving: arg("moving"),
				state: arg("state"),
			})
			.onConflict((clash) =>
				clash.column("id").doUpdateSet({ moving: sql`excluded.moving`, state: sql`excluded.state` }),
			),
);

export const runById = query<{ id: number }>()("run-by-id", (db, arg) =>
	db.selectFrom("run").select("state").where("id", "=", arg("id")),
);

export const runsOfIssue = query<{ issue: number }>()("runs-of-issue", (db, arg) =>
	db.selectFrom("run").select("state").where("issue", "=", arg("issue")).orderBy("id"),
);

const issuesIn = (db: Kysely<Tables>, project: RawBuilder<string>) =>
	db.selectFrom("issue").select("issue.id").where("issue.project", "=", project);

export const runsOfProject = query<{ project: string }>()("runs-of-project", (db, arg) =>
	db
		.selectFrom("run")
		.select("state")
		.where("issue", "in", issuesIn(db, arg("project")))
		.orderBy("id"),
);

export const openRuns = query()("open-runs", (db) =>
	db.selectFrom("run").select("state").where("open", "=", sql.lit(1)).orderBy(fewById),
);

export const putRun = query<{ id: number; issue: number; open: number; state: string }>()("put-run", (db, arg) =>
	db
		.insertInto("run")
		.values({ id: arg("id"), issue: arg("issue"), open: arg("open"), state: arg("state") })
		.onConflict((clash) => clash.column("id").doUpdateSet({ open: sql`excluded.open`, state: sql`excluded.state` })),
);

const fromNote = (db: Kysely<Tables>) =>
	db.selectFrom("note").innerJoin("event", "event.id", "note.id").select(["note.state", "event.text"]);

export const noteById = query<{ id: number }>()("note-by-id", (db, arg) =>
	fromNote(db).where("note.id", "=", arg("id")),
);

export const notesOfIssue = query<{ issue: number }>()("notes-of-issue", (db, arg) =>
	fromNote(db).where("note.issue", "=", arg("issue")).orderBy("note.id"),
);

export const putNote = query<{ id: number; issue: number; state: string }>()("put-note", (db, arg) =>
	db
		.insertInto("note")
		.values({ id: arg("id"), issue: arg("issue"), state: arg("state") })
		.onConflict((clash) => clash.column("id").doUpdateSet({ state: sql`excluded.state` })),
);
