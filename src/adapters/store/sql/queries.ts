// The queries about one agent, projects, the journal and receipts.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Actor, AgentId } from "#contract/ids.ts";
import { query } from "./prepared.ts";
import { upsert } from "./state-queries.ts";
import type { Tables } from "./tables.ts";

export const agentById = query<{ id: AgentId }>()("agent-by-id", (db, arg) =>
	db.selectFrom("agent").select(["seq", "state"]).where("id", "=", arg("id")),
);

export const agentByHandle = query<{ project: string; handle: string }>()("agent-by-handle", (db, arg) =>
	db
		.selectFrom("agent")
		.select(["seq", "state"])
		.where(sql`coalesce(project, '')`, "=", arg("project"))
		.where("handle", "=", arg("handle")),
);

export const insertAgent = query<{
	id: AgentId;
	project: string | null;
	handle: string;
	life: Tables["agent"]["life"];
	supervisor: AgentId | null;
	held: number;
	leased: number;
	stray: number;
	folder: string | null;
	lineage: AgentId | null;
	forkPoint: number | null;
	state: string;
}>()("insert-agent", (db, arg) =>
	db
		.insertInto("agent")
		.values({
			id: arg("id"),
			project: arg("project"),
			handle: arg("handle"),
			life: arg("life"),
			supervisor: arg("supervisor"),
			held: arg("held"),
			leased: arg("leased"),
			stray: arg("stray"),
			folder: arg("folder"),
			lineage: seqOf(db, arg("lineage")),
			fork_point: arg("forkPoint"),
			state: arg("state"),
		})
		.returning("seq"),
);

export const updateAgent = query<{
	seq: number;
	handle: string;
	life: Tables["agent"]["life"];
	supervisor: AgentId | null;
	held: number;
	leased: number;
	stray: number;
	folder: string | null;
	state: string;
}>()("update-agent", (db, arg) =>
	db
		.updateTable("agent")
		.set({
			handle: arg("handle"),
			life: arg("life"),
			supervisor: arg("supervisor"),
			held: arg("held"),
			leased: arg("leased"),
			stray: arg("stray"),
			folder: arg("folder"),
			state: arg("state"),
		})
		.where("seq", "=", arg("seq")),
);

/** The same where only the state has changed: then no index is written. */
export const updateAgentState = query<{ seq: number; state: string }>()("update-agent-state", (db, arg) =>
	db
		.updateTable("agent")
		.set({ state: arg("state") })
		.where("seq", "=", arg("seq")),
);

export const insertEvent = query<{
	agent: number | null;
	turn: number | null;
	kind: string;
	text: string | null;
	data: string | null;
	at: number;
	actor: Actor;
	command: string;
}>()("insert-event", (db, arg) =>
	db
		.insertInto("event")
		.values({
			agent: arg("agent"),
			turn: arg("turn"),
			kind: arg("kind"),
			text: arg("text"),
			data: arg("data"),
			at: arg("at"),
			actor: arg("actor"),
			command: arg("command"),
		})
		.returning("id"),
);

export const eventsAfter = query<{ after: number; limit: number }>()("events-after", (db, arg) =>
	fromJournal(db).where("event.id", ">", arg("after")).orderBy("event.id").limit(arg("limit")),
);

export const eventsOfAgentAfter = query<{ agent: AgentId; after: number; limit: number }>()(
	"events-of-agent-after",
	(db, arg) =>
		fromJournal(db)
			.where("event.agent", "=", seqOf(db, arg("agent")))
			.where("event.id", ">", arg("after"))
			.orderBy("event.id")
			.limit(arg("limit")),
);

/** Reports of usage, by their time: from `at` and `id` on, without that one. */
export const usageReports = query<{ at: number; id: number; limit: number }>()("usage-reports", (db, arg) =>
	fromJournal(db)
		.where("event.kind", "=", sql.lit("usage"))
		.where(sql<boolean>`(event.at, event.id) > (${arg("at")}, ${arg("id")})`)
		.orderBy("event.at")
		.orderBy("event.id")
		.limit(arg("limit")),
);

export const newestOfKind = query<{ agent: AgentId; kind: string; upTo: number }>()("newest-of-kind", (db, arg) =>
	fromJournal(db)
		.where("event.agent", "=", seqOf(db, arg("agent")))
		// a bare kind would have SQLite look at the value that is bound, for the index of usage alone, and compile it anew
		.where(sql`coalesce(event.kind, '')`, "=", arg("kind"))
		.where("event.id", "<=", arg("upTo"))
		.orderBy("event.id", "desc")
		.limit(1),
);

export const lastEvent = query()("last-event", (db) => db.selectFrom("event").select((of) => of.fn.max("id").as("id")));

export const eventById = query<{ id: number }>()("event-by-id", (db, arg) =>
	fromJournal(db).where("event.id", "=", arg("id")),
);

/** The store's own number of an agent. */
export const seqOf = (db: Kysely<Tables>, agent: RawBuilder<AgentId | null>) =>
	db.selectFrom("agent").select("seq").where("id", "=", agent);

export const fromJournal = (db: Kysely<Tables>) =>
	db
		.selectFrom("event")
		.leftJoin("agent", "agent.seq", "event.agent")
		.select([
			"event.id",
			"agent.id as agent",
			"event.turn",
			"event.kind",
			"event.text",
			"event.data",
			"event.at",
			"event.actor",
			"event.command",
		]);

export const projectBySlug = query<{ slug: string }>()("project-by-slug", (db, arg) =>
	db.selectFrom("project").select("state").where("slug", "=", arg("slug")),
);

export const allProjects = query()("all-projects", (db) => db.selectFrom("project").select("state").orderBy("slug"));

export const putProject = upsert("project", { columns: ["slug", "state"], key: ["slug"], changes: ["state"] });

export const receiptByKey = query<{ actor: string; key: string }>()("receipt-by-key", (db, arg) =>
	db
		.selectFrom("receipt")
		.select(["fingerprint", "outcome", "answer"])
		.where("actor", "=", arg("actor"))
		.where("key", "=", arg("key")),
);

const receiptColumns = ["actor", "key", "fingerprint", "outcome", "answer", "at"] as const;

export const putReceipt = upsert("receipt", {
	columns: receiptColumns,
	key: ["actor", "key"],
	changes: ["fingerprint", "outcome", "answer", "at"],
});

/** The answer's data beside a receipt that a command has written; a receipt of its own if there is none. */
export const putAnswer = upsert("receipt", {
	name: "put-answer",
	columns: receiptColumns,
	key: ["actor", "key"],
	changes: ["answer"],
});

export const dropReceipts = query<{ before: number; atMost: number }>()("drop-receipts", (db, arg) =>
	db
		.deleteFrom("receipt")
		.where(({ eb, refTuple, selectFrom }) => {
			const old = selectFrom("receipt").select(["actor", "key"]).where("at", "<", arg("before")).limit(arg("atMost"));
			return eb(refTuple("actor", "key"), "in", old.$asTuple("actor", "key"));
		})
		.returning("key"),
);
