// The queries about agents, projects, the journal and receipts.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Actor, AgentId } from "#contract/ids.ts";
import { query } from "./prepared.ts";
import { upsert } from "./state-queries.ts";
import type { Tables } from "./tables.ts";

const ended = sql.lit("ended");
/** an id as plain text, to be compared with a prefix */
const id = sql<string>`id`;

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

/** `upTo` is the first id that no longer begins with the prefix. */
export const agentsNamed = query<{ handle: string; tail: string; from: string; upTo: string }>()(
	"agents-named",
	(db, arg) =>
		db
			.selectFrom("agent")
			.select("state")
			.where((is) =>
				is.or([
					is("handle", "in", [arg("handle"), arg("tail")]),
					is.and([is(id, ">=", arg("from")), is(id, "<", arg("upTo"))]),
				]),
			)
			.orderBy("seq"),
);

export const allAgents = query()("all-agents", (db) => db.selectFrom("agent").select("state").orderBy("seq"));

export const agentsOfProject = query<{ project: string }>()("agents-of-project", (db, arg) =>
	db.selectFrom("agent").select("state").where(sql`coalesce(project, '')`, "=", arg("project")).orderBy("seq"),
);

/** Almost every agent is live or ended, so only the few that are being provisioned have an index. */
export const agentsBeingProvisioned = query()("agents-being-provisioned", (db) =>
	db.selectFrom("agent").select("state").where("life", "=", sql.lit("provisioning")).orderBy("seq"),
);

/** Through the index of the living: by `seq` alone SQLite would walk the whole table, which is in that order. */
export const allLivingAgents = query()("all-living-agents", (db) =>
	db.selectFrom("agent").select("state").where("life", "<>", ended).orderBy(sql`seq + 0`),
);

/** On PostgreSQL through the index of the living. */
export const heldAgents = query()("held-agents", (db, _, flavor) => {
	const held = db.selectFrom("agent").select("state").where("held", "=", sql.lit(1)).orderBy("seq");
	return flavor === "sqlite" ? held : held.where("life", "<>", ended);
});

export const livingChildren = query<{ supervisor: AgentId }>()("living-children", (db, arg) =>
	db
		.selectFrom("agent")
		.select("state")
		.where("supervisor", "=", arg("supervisor"))
		.where("life", "<>", ended)
		.orderBy("seq"),
);

export const livingDescendants = query<{ supervisor: AgentId }>()("living-descendants", (db, arg) =>
	db
		.withRecursive("below", (cte) =>
			cte
				.selectFrom("agent")
				.select(["id", "seq", "state", sql<number>`1`.as("depth")])
				.where("supervisor", "=", arg("supervisor"))
				.where("life", "<>", ended)
				.unionAll(
					cte
						.selectFrom("agent")
						.innerJoin("below", "below.id", "agent.supervisor")
						.select(["agent.id", "agent.seq", "agent.state", sql<number>`below.depth + 1`.as("depth")])
						.where("agent.life", "<>", ended),
				),
		)
		.selectFrom("below")
		.select("state")
		.orderBy("depth", "desc")
		.orderBy("seq"),
);

export const agentsAbove = query<{ id: AgentId }>()("agents-above", (db, arg) =>
	db
		.withRecursive("up", (cte) =>
			cte
				.selectFrom("agent")
				.select(["supervisor", sql<number>`1`.as("distance")])
				.where("id", "=", arg("id"))
				.unionAll(
					cte
						.selectFrom("agent")
						.innerJoin("up", "up.supervisor", "agent.id")
						.select(["agent.supervisor", sql<number>`up.distance + 1`.as("distance")]),
				),
		)
		.selectFrom("up")
		.select("supervisor")
		.where("supervisor", "is not", null)
		.orderBy("distance"),
);

export const insertAgent = query<{
	id: AgentId;
	project: string | null;
	handle: string;
	life: string;
	supervisor: AgentId | null;
	reaped: number;
	held: number;
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
			reaped: arg("reaped"),
			held: arg("held"),
			lineage: seqOf(db, arg("lineage")),
			fork_point: arg("forkPoint"),
			state: arg("state"),
		})
		.returning("seq"),
);

export const updateAgent = query<{
	seq: number;
	handle: string;
	life: string;
	supervisor: AgentId | null;
	reaped: number;
	held: number;
	state: string;
}>()("update-agent", (db, arg) =>
	db
		.updateTable("agent")
		.set({
			handle: arg("handle"),
			life: arg("life"),
			supervisor: arg("supervisor"),
			reaped: arg("reaped"),
			held: arg("held"),
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

export const newestOfKind = query<{ agent: AgentId; kind: string; upTo: number }>()("newest-of-kind", (db, arg) =>
	fromJournal(db)
		.where("event.agent", "=", seqOf(db, arg("agent")))
		.where("event.kind", "=", arg("kind"))
		.where("event.id", "<=", arg("upTo"))
		.orderBy("event.id", "desc")
		.limit(1),
);

export const livingAgents = query()("living-agents", (db) =>
	db
		.selectFrom("agent")
		.select((of) => of.fn.countAll<number>().as("count"))
		.where("life", "<>", ended),
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
		.select(["fingerprint", "answer", "given"])
		.where("actor", "=", arg("actor"))
		.where("key", "=", arg("key")),
);

const receiptColumns = ["actor", "key", "fingerprint", "answer", "given", "at"] as const;

export const putReceipt = upsert("receipt", {
	columns: receiptColumns,
	key: ["actor", "key"],
	changes: ["fingerprint", "answer", "given", "at"],
});

/** The answer's data beside a receipt that a command has written; a receipt of its own if there is none. */
export const putGiven = upsert("receipt", {
	name: "put-given",
	columns: receiptColumns,
	key: ["actor", "key"],
	changes: ["given"],
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
