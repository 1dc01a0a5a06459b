// Prompts, turns and mail.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import { query } from "./prepared.ts";
import type { Tables } from "./tables.ts";

const seqOf = (db: Kysely<Tables>, agent: RawBuilder<AgentId>) => db.selectFrom("agent").select("seq").where("id", "=", agent);

export const promptsOfAgent = query<{ agent: AgentId }>()("prompts-of-agent", (db, arg) =>
	db
		.selectFrom("prompt")
		.innerJoin("event", "event.id", "prompt.id")
		.select(["prompt.id", "event.text", "event.data", "prompt.position", "event.at", "event.actor"])
		.where("prompt.agent", "=", seqOf(db, arg("agent")))
		.orderBy("prompt.position"),
);

export const queueEnds = query<{ agent: AgentId }>()("queue-ends", (db, arg) =>
	db
		.selectFrom("prompt")
		.select((of) => [
			of.fn.countAll<number>().as("length"),
			of.fn.min("position").as("first"),
			of.fn.max("position").as("last"),
			sql<number | null>`max(case when position < 0 then position end)`.as("lastFront"),
		])
		.where("agent", "=", seqOf(db, arg("agent"))),
);

export const promptCounts = query()("prompt-counts", (db) =>
	db
		.selectFrom("prompt")
		.innerJoin("agent", "agent.seq", "prompt.agent")
		.select((of) => ["agent.id", of.fn.countAll<number>().as("count")])
		.groupBy("agent.id"),
);

export const mailCounts = query()("mail-counts", (db) =>
	db
		.selectFrom("mail")
		.innerJoin("agent", "agent.seq", "mail.agent")
		.select((of) => ["agent.id", of.fn.countAll<number>().as("count")])
		.where("mail.state", "<>", sql.lit("read" as const))
		.where("mail.deleted_at", "is", null)
		.groupBy("agent.id"),
);

export const agentsWithPrompts = query()("agents-with-prompts", (db) =>
	db
		.selectFrom("agent")
		.select("state")
		.where("seq", "in", (of) => of.selectFrom("prompt").select("prompt.agent"))
		.orderBy("seq"),
);

export const insertPrompt = query<{ id: number; agent: AgentId; position: number }>()("insert-prompt", (db, arg) =>
	db.insertInto("prompt").values({ id: arg("id"), agent: sql<number>`(${seqOf(db, arg("agent"))})`, position: arg("position") }),
);

export const deletePrompt = query<{ id: number }>()("delete-prompt", (db, arg) => db.deleteFrom("prompt").where("id", "=", arg("id")));

export const turnById = query<{ id: number }>()("turn-by-id", (db, arg) => db.selectFrom("turn").select("state").where("id", "=", arg("id")));

export const turnsOfAgent = query<{ agent: AgentId }>()("turns-of-agent", (db, arg) =>
	db
		.selectFrom("turn")
		.select("state")
		.where("agent", "=", seqOf(db, arg("agent")))
		.orderBy("id"),
);

export const openTurns = query()("open-turns", (db) => db.selectFrom("turn").select("state").where("open", "=", sql.lit(1)).orderBy("id"));

export const putTurn = query<{ id: number; agent: AgentId; open: number; state: string }>()("put-turn", (db, arg) =>
	db
		.insertInto("turn")
		.values({ id: arg("id"), agent: sql<number>`(${seqOf(db, arg("agent"))})`, open: arg("open"), state: arg("state") })
		.onConflict((clash) => clash.column("id").doUpdateSet({ open: sql`excluded.open`, state: sql`excluded.state` })),
);

export const callsOfTurn = query<{ agent: AgentId; turn: number }>()("calls-of-turn", (db, arg) =>
	db
		.selectFrom("event")
		.select(["kind", "data"])
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("id", ">", arg("turn"))
		.where("turn", "=", arg("turn"))
		.where("kind", "in", [sql.lit("tool_call"), sql.lit("tool_result")])
		.orderBy("id"),
);

const fromMail = (db: Kysely<Tables>) =>
	db
		.selectFrom("mail")
		.innerJoin("event", "event.id", "mail.id")
		.innerJoin("agent", "agent.seq", "mail.agent")
		.select([
			"mail.id",
			"event.actor as from",
			"agent.id as to",
			"event.text as body",
			"mail.state",
			"mail.delivered_in as deliveredIn",
			"event.at as sentAt",
			"mail.read_at as readAt",
			"mail.deleted_at as deletedAt",
		]);

export const mailById = query<{ id: number }>()("mail-by-id", (db, arg) => fromMail(db).where("mail.id", "=", arg("id")));

export const mailsOfAgent = query<{ agent: AgentId }>()("mails-of-agent", (db, arg) =>
	fromMail(db)
		.where("mail.agent", "=", seqOf(db, arg("agent")))
		.where("mail.deleted_at", "is", null)
		.orderBy("mail.id"),
);

export const unreadMail = query<{ agent: AgentId }>()("unread-mail", (db, arg) =>
	db
		.selectFrom("mail")
		.select((of) => of.fn.countAll<number>().as("length"))
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("state", "<>", sql.lit("read" as const))
		.where("deleted_at", "is", null),
);

export const agentsWithNewMail = query()("agents-with-new-mail", (db) =>
	db
		.selectFrom("agent")
		.select("state")
		.where("seq", "in", (of) =>
			of
				.selectFrom("mail")
				.select("mail.agent")
				.where("mail.state", "=", sql.lit("accepted" as const))
				.where("mail.deleted_at", "is", null),
		)
		.orderBy("seq"),
);

export const putMail = query<{
	id: number;
	agent: AgentId;
	state: MailState["state"];
	deliveredIn: number | null;
	readAt: number | null;
	deletedAt: number | null;
}>()("put-mail", (db, arg) =>
	db
		.insertInto("mail")
		.values({
			id: arg("id"),
			agent: sql<number>`(${seqOf(db, arg("agent"))})`,
			state: arg("state"),
			delivered_in: arg("deliveredIn"),
			read_at: arg("readAt"),
			deleted_at: arg("deletedAt"),
		})
		.onConflict((clash) =>
			clash.column("id").doUpdateSet({
				state: sql`excluded.state`,
				delivered_in: sql`excluded.delivered_in`,
				read_at: sql`excluded.read_at`,
				deleted_at: sql`excluded.deleted_at`,
			}),
		),
);
