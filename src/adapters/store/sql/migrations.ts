// The tables, and every later change to them as a numbered step. A step that has been released never changes.
import { type Kysely, sql } from "kysely";
import { type Flavor, statements } from "./prepared.ts";
import type { Tables } from "./tables.ts";

export interface Migration {
	version: number;
	name: string;
	sql(flavor: Flavor): string[];
}

export const migrations: readonly Migration[] = [
	{
		version: 1,
		name: "the first release",
		sql: (flavor) => [
			...[journal, work, issues].flatMap((tables) => statements(flavor, tables)),
			...appendOnly[flavor],
			...searching[flavor],
		],
	},
];

/** What this program writes and the newest that it can read. */
export const schemaVersion = migrations.length;

/** What both databases call the same things: 64-bit keys, and text compared byte by byte. */
const types = (flavor: Flavor) =>
	flavor === "sqlite"
		? { key: sql`integer primary key`, int: sql`integer`, text: sql`text` }
		: { key: sql`bigint generated always as identity primary key`, int: sql`bigint`, text: sql`text collate "C"` };

function journal(db: Kysely<Tables>, flavor: Flavor) {
	const { schema } = db;
	const { key, int, text } = types(flavor);
	return [
		schema.createTable("migration").addColumn("version", int).addColumn("name", text).addColumn("at", int),
		schema
			.createTable("agent")
			.addColumn("seq", key)
			.addColumn("id", text, (column) => column.notNull().unique())
			.addColumn("project", text)
			.addColumn("handle", text, (column) => column.notNull())
			.addColumn("life", text, (column) => column.notNull())
			.addColumn("supervisor", text)
			.addColumn("lineage", int, (column) => column.references("agent.seq"))
			.addColumn("fork_point", int)
			.addColumn("state", text, (column) => column.notNull()),
		// never used twice in a project, also after the agent's end
		schema.createIndex("agent_handle").unique().on("agent").expression(sql`(coalesce(project, '')), handle`),
		schema
			.createIndex("agent_supervisor")
			.on("agent")
			.column("supervisor")
			.where(sql.ref("life"), "<>", sql.lit("ended")),
		schema
			.createIndex("agent_provisioning")
			.on("agent")
			.column("seq")
			.where(sql.ref("life"), "=", sql.lit("provisioning")),
		schema
			.createTable("event")
			.addColumn("id", key)
			.addColumn("agent", int, (column) => column.references("agent.seq"))
			.addColumn("turn", int)
			.addColumn("kind", text, (column) => column.notNull())
			.addColumn("text", text)
			.addColumn("data", text)
			.addColumn("at", int, (column) => column.notNull())
			.addColumn("actor", text, (column) => column.notNull())
			.addColumn("command", text, (column) => column.notNull()),
		schema.createIndex("event_agent").on("event").columns(["agent", "id"]),
		// few items are of these kinds, so finding the latest clear costs next to nothing, and writing others nothing
		schema
			.createIndex("event_control")
			.on("event")
			.columns(["agent", "id"])
			.where(sql.ref("kind"), "in", [sql.lit("clear"), sql.lit("mark"), sql.lit("rewind")]),
		schema
			.createTable("project")
			.addColumn("slug", text, (column) => column.primaryKey())
			.addColumn("state", text, (column) => column.notNull()),
		schema
			.createTable("receipt")
			.addColumn("actor", text, (column) => column.notNull())
			.addColumn("key", text, (column) => column.notNull())
			.addColumn("fingerprint", text, (column) => column.notNull())
			.addColumn("answer", text, (column) => column.notNull())
			.addColumn("given", text)
			.addColumn("at", int, (column) => column.notNull())
			.addPrimaryKeyConstraint("receipt_of_actor", ["actor", "key"]),
		// the oldest are dropped first: without it, each look for them reads every receipt there is, in the writer's
		// transaction
		schema.createIndex("receipt_age").on("receipt").column("at"),
	];
}

function work(db: Kysely<Tables>, flavor: Flavor) {
	const { schema } = db;
	const { int, text } = types(flavor);
	return [
		schema
			.createTable("prompt")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("agent", int, (column) => column.notNull().references("agent.seq"))
			.addColumn("position", int, (column) => column.notNull())
			.addColumn("priority", int, (column) => column.notNull())
			.addColumn("not_before", int)
			.addColumn("manual", int, (column) => column.notNull())
			.addColumn("taken", int)
			.addColumn("words", int)
			.addColumn("edited_by", text)
			.addColumn("edited_at", int),
		schema.createIndex("prompt_queue").on("prompt").columns(["agent", "position"]),
		schema.createIndex("prompt_later").on("prompt").column("not_before").where(sql.ref("not_before"), "is not", null),
		schema
			.createTable("turn")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("agent", int, (column) => column.notNull().references("agent.seq"))
			.addColumn("open", int, (column) => column.notNull())
			.addColumn("state", text, (column) => column.notNull()),
		// the database itself keeps "one turn at a time"
		schema.createIndex("turn_open").unique().on("turn").column("agent").where(sql.ref("open"), "=", sql.lit(1)),
		schema.createIndex("turn_agent").on("turn").columns(["agent", "id"]),
		schema
			.createTable("mail")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("agent", int, (column) => column.notNull().references("agent.seq"))
			.addColumn("state", text, (column) => column.notNull())
			.addColumn("urgent", int, (column) => column.notNull())
			.addColumn("delivered_in", int)
			.addColumn("read_at", int)
			.addColumn("deleted_at", int),
		schema.createIndex("mail_box").on("mail").columns(["agent", "id"]),
		schema
			.createIndex("mail_open")
			.on("mail")
			.column("agent")
			.where(sql.ref("state"), "<>", sql.lit("read"))
			.where(sql.ref("deleted_at"), "is", null),
		schema.createIndex("mail_new").on("mail").column("agent").where(sql.ref("state"), "=", sql.lit("accepted")),
		schema
			.createTable("approval")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("agent", int, (column) => column.notNull().references("agent.seq"))
			.addColumn("open", int, (column) => column.notNull())
			.addColumn("state", text, (column) => column.notNull()),
		schema.createIndex("approval_open").on("approval").column("agent").where(sql.ref("open"), "=", sql.lit(1)),
		schema
			.createTable("wait")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("open", int, (column) => column.notNull())
			.addColumn("state", text, (column) => column.notNull()),
		schema.createIndex("wait_open").on("wait").column("id").where(sql.ref("open"), "=", sql.lit(1)),
		schema
			.createTable("subscription")
			.addColumn("name", text, (column) => column.primaryKey())
			.addColumn("state", text, (column) => column.notNull()),
		// the key keeps a turn from having two
		schema
			.createTable("lease")
			.addColumn("turn", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("agent", int, (column) => column.notNull().references("agent.seq"))
			.addColumn("subscription", text)
			.addColumn("at", int, (column) => column.notNull()),
	];
}

function issues(db: Kysely<Tables>, flavor: Flavor) {
	const { schema } = db;
	const { int, text } = types(flavor);
	return [
		schema
			.createTable("issue")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("project", text, (column) => column.notNull())
			.addColumn("number", int, (column) => column.notNull())
			.addColumn("moving", int, (column) => column.notNull())
			.addColumn("state", text, (column) => column.notNull()),
		// a number is never given twice, whoever counts
		schema.createIndex("issue_number").unique().on("issue").columns(["project", "number"]),
		schema.createIndex("issue_moving").on("issue").column("id").where(sql.ref("moving"), "=", sql.lit(1)),
		schema
			.createTable("run")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("issue", int, (column) => column.notNull().references("issue.id"))
			.addColumn("open", int, (column) => column.notNull())
			.addColumn("state", text, (column) => column.notNull()),
		// the database itself keeps "one run at a time"
		schema.createIndex("run_open").unique().on("run").column("issue").where(sql.ref("open"), "=", sql.lit(1)),
		schema.createIndex("run_issue").on("run").columns(["issue", "id"]),
		schema
			.createTable("note")
			.addColumn("id", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("issue", int, (column) => column.notNull().references("issue.id"))
			.addColumn("state", text, (column) => column.notNull()),
		schema.createIndex("note_issue").on("note").columns(["issue", "id"]),
	];
}

/** The journal is append-only by the databases' own rule, whoever asks. */
const appendOnly: Record<Flavor, string[]> = {
	sqlite: ["update", "delete"].map(
		(verb) =>
			`create trigger event_no_${verb} before ${verb} on event begin select raise(abort, 'the journal is append-only'); end`,
	),
	postgres: [
		"create function event_is_append_only() returns trigger language plpgsql as $$ begin raise exception 'the journal is append-only'; end $$",
		"create trigger event_append_only before update or delete or truncate on event execute function event_is_append_only()",
	],
};

/** Which words an item has, and nothing else: they are looked up there, its text is read in the journal. */
const searching: Record<Flavor, string[]> = {
	sqlite: [
		"create virtual table search using fts5 (words, content = '', detail = none)",
		"create table indexed (up_to integer not null)",
		"insert into indexed (up_to) values (0)",
	],
	postgres: [
		"create table search (event bigint primary key references event (id), words tsvector not null)",
		"create index search_words on search using gin (words)",
		"create table indexed (up_to bigint not null)",
		"insert into indexed (up_to) values (0)",
	],
};
