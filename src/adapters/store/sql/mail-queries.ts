// Mail between agents.
import { type Kysely, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { query } from "./prepared.ts";
import { seqOf } from "./queries.ts";
import { upsert } from "./state-queries.ts";
import type { Tables } from "./tables.ts";

const briefMail = [
	...["mail.id", "event.actor as from", "agent.id as to", "mail.urgent", "mail.state"],
	...["mail.delivered_in as deliveredIn", "event.at as sentAt", "mail.read_at as readAt"],
	"mail.deleted_at as deletedAt",
] as const;

export const fromMail = (db: Kysely<Tables>) =>
	db
		.selectFrom("mail")
		.innerJoin("event", "event.id", "mail.id")
		.innerJoin("agent", "agent.seq", "mail.agent")
		.select([...briefMail, "event.text as body"]);

export const mailById = query<{ id: number }>()("mail-by-id", (db, arg) =>
	fromMail(db).where("mail.id", "=", arg("id")),
);

export const latestMails = query<{ agent: AgentId; limit: number }>()("latest-mails", (db, arg) =>
	fromMail(db)
		.where("mail.agent", "=", seqOf(db, arg("agent")))
		.where("mail.deleted_at", "is", null)
		.orderBy("mail.id", "desc")
		.limit(arg("limit")),
);

export const lastMail = query<{ agent: AgentId }>()("last-mail", (db, arg) =>
	db
		.selectFrom("mail")
		.select("id")
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("deleted_at", "is", null)
		.orderBy("id", "desc")
		.limit(1),
);

export const unreadMails = query<{ agent: AgentId }>()("unread-mails", (db, arg) =>
	fromMail(db)
		.where("mail.agent", "=", seqOf(db, arg("agent")))
		.where("mail.state", "<>", sql.lit("read" as const))
		.where("mail.deleted_at", "is", null)
		.orderBy(sql`mail.id + 0`),
);

/** Without their texts, which may be long. */
export const allUnreadMail = query()("all-unread-mail", (db) =>
	fromMail(db)
		.clearSelect()
		.select(briefMail)
		.where("mail.state", "<>", sql.lit("read" as const))
		.where("mail.deleted_at", "is", null)
		.orderBy(sql`+mail.id`),
);

export const unreadMailCount = query<{ agent: AgentId }>()("unread-mail-count", (db, arg) =>
	db
		.selectFrom("mail")
		.select((of) => of.fn.countAll<number>().as("length"))
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("state", "<>", sql.lit("read" as const))
		.where("deleted_at", "is", null),
);

export const newMailCount = query<{ agent: AgentId }>()("new-mail-count", (db, arg) =>
	db
		.selectFrom("mail")
		.select((of) => [of.fn.countAll<number>().as("mails"), sql<number>`coalesce(sum(urgent), 0)`.as("urgent")])
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("state", "=", sql.lit("accepted" as const))
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

export const agentsWithUrgentMail = query()("agents-with-urgent-mail", (db) =>
	db
		.selectFrom("mail")
		.innerJoin("agent", "agent.seq", "mail.agent")
		.select("agent.id")
		.distinct()
		.where("mail.state", "=", sql.lit("accepted" as const))
		.where("mail.urgent", "=", sql.lit(1))
		.where("mail.deleted_at", "is", null),
);

export const putMail = upsert("mail", {
	columns: ["id", "agent", "urgent", "state", "delivered_in", "read_at", "deleted_at"],
	changes: ["state", "delivered_in", "read_at", "deleted_at"],
});
