// Prompts in their queues, and turns.
import { type Kysely, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { isLiving } from "./agent-queries.ts";
import { fewById, fieldOf, query } from "./prepared.ts";
import { seqOf } from "./queries.ts";
import { raw, removal, type StateRow, stateById, upsert } from "./state-queries.ts";
import type { Tables } from "./tables.ts";

const briefPrompt = [
	...["prompt.id", "agent.id as agent", "event.data", "prompt.position", "prompt.priority", "prompt.manual"],
	...["prompt.text_event as textEvent", "prompt.edited_by as editedBy", "prompt.edited_at as editedAt", "prompt.taken"],
	...["event.at", "event.actor"],
] as const;

export const fromPrompt = (db: Kysely<Tables>) =>
	db
		.selectFrom("prompt")
		.innerJoin("event", "event.id", "prompt.id")
		.innerJoin("agent", "agent.seq", "prompt.agent")
		.leftJoin("event as edit", "edit.id", "prompt.text_event")
		.select([...briefPrompt, sql<string | null>`coalesce(edit.text, event.text)`.as("text")]);

/** What was put in front first, then by priority, then in the order in which it came. */
export const inFront = (table = "prompt") => sql`case when ${sql.ref(table)}.position < 0 then 0 else 1 end`;
export const byPriority = (table = "prompt") =>
	sql`case when ${sql.ref(table)}.position < 0 then 0 else -${sql.ref(table)}.priority end`;

export const promptsOfAgent = query<{ agent: AgentId }>()("prompts-of-agent", (db, arg) =>
	fromPrompt(db)
		.where("prompt.agent", "=", seqOf(db, arg("agent")))
		.where("prompt.taken", "is", null)
		.orderBy(inFront())
		.orderBy(byPriority())
		.orderBy("prompt.position"),
);

export const nextPrompt = query<{ agent: AgentId; now: number }>()("next-prompt", (db, arg) =>
	fromPrompt(db).where(
		"prompt.id",
		"=",
		sql<number>`(select prompt.id from prompt where agent = (${seqOf(db, arg("agent"))}) and taken is null
				and (not_before is null or not_before <= ${arg("now")})
				order by ${inFront()}, ${byPriority()}, prompt.position limit 1)`,
	),
);

export const promptsFrom = query<{ agent: AgentId; source: string }>()("prompts-from", (db, arg, dialect) =>
	db
		.selectFrom("prompt")
		.innerJoin("event", "event.id", "prompt.id")
		.select(["prompt.id", "prompt.position"])
		.where("prompt.agent", "=", seqOf(db, arg("agent")))
		.where("prompt.taken", "is", null)
		.where(fieldOf(dialect, "event.data", "source"), "=", arg("source")),
);

/** Without their texts, which may be long. */
export const allPrompts = query()("all-prompts", (db) =>
	fromPrompt(db).clearSelect().select(briefPrompt).orderBy("prompt.id"),
);

export const promptById = query<{ id: number }>()("prompt-by-id", (db, arg) =>
	fromPrompt(db).where("prompt.id", "=", arg("id")),
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
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("taken", "is", null),
);

export const queueHeads = query<{ now: number }>()("queue-heads", (db, arg) =>
	db
		.with("due", (cte) =>
			cte
				.selectFrom("prompt")
				.select([
					"prompt.id",
					"prompt.agent",
					"prompt.priority",
					"prompt.manual",
					sql<number>`row_number() over (partition by prompt.agent order by ${inFront()}, ${byPriority()}, prompt.position)`.as(
						"rank",
					),
				])
				.where("prompt.taken", "is", null)
				.where((is) => is.or([is("prompt.not_before", "is", null), is("prompt.not_before", "<=", arg("now"))])),
		)
		.selectFrom("due")
		.innerJoin("agent", "agent.seq", "due.agent")
		.innerJoin("event", "event.id", "due.id")
		.select(["agent.state", "due.id as prompt", "due.priority", "due.manual", "event.data", "event.at"])
		.where("due.rank", "=", sql.lit(1))
		.orderBy("agent.seq"),
);

export const nextPromptAt = query<{ now: number }>()("next-prompt-at", (db, arg) =>
	db
		.selectFrom("prompt")
		.select((of) => of.fn.min("not_before").as("at"))
		.where("taken", "is", null)
		.where("not_before", "is not", null)
		.where("not_before", ">", arg("now")),
);

export const putPrompt = upsert("prompt", {
	columns: [
		"id",
		"agent",
		"position",
		"priority",
		"not_before",
		"manual",
		"taken",
		"text_event",
		"edited_by",
		"edited_at",
	],
	changes: ["position", "priority", "manual", "text_event", "edited_by", "edited_at", "taken"],
});

export const deletePrompt = removal("delete-prompt", "prompt", "id");

export const turnById = stateById("turn");

export const latestTurns = query<{ agent: AgentId; limit: number }>()("latest-turns", (db, arg) =>
	db
		.selectFrom("turn")
		.select("state")
		.where("agent", "=", seqOf(db, arg("agent")))
		.orderBy("id", "desc")
		.limit(arg("limit")),
);

export const turnsBefore = query<{ event: number; sinceMax: number }>()("turns-before", (db, arg) =>
	raw(
		db,
		sql<StateRow>`select turn.state from agent join turn on turn.id =
				(select max(id) from turn as earlier where earlier.agent = agent.seq and earlier.id <= ${arg("event")})
			where ${isLiving} and ${arg("sinceMax")} >=
				(select count(*) from turn as later where later.agent = agent.seq and later.id > ${arg("event")})
			order by turn.id`,
	),
);

export const openTurns = query()("open-turns", (db) =>
	db.selectFrom("turn").select("state").where("open", "=", sql.lit(1)).orderBy(fewById),
);

export const putTurn = upsert("turn", { columns: ["id", "agent", "open", "state"], changes: ["open", "state"] });

export const callsOfTurn = query<{ agent: AgentId; turn: number }>()("calls-of-turn", (db, arg) =>
	db
		.selectFrom("event")
		.select(["id", "kind", "data"])
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("id", ">", arg("turn"))
		.where("turn", "=", arg("turn"))
		.where("kind", "in", [sql.lit("tool_call"), sql.lit("tool_result")])
		.orderBy("id"),
);

export const latestTurnOfEachProject = query()("latest-turn-of-each-project", (db) =>
	db
		.selectFrom("turn")
		.innerJoin("agent", "agent.seq", "turn.agent")
		.select(["agent.project", "turn.state"])
		.where("turn.id", "in", (latest) =>
			latest
				.selectFrom("turn")
				.innerJoin("agent", "agent.seq", "turn.agent")
				.select(({ fn }) => fn.max("turn.id").as("id"))
				.groupBy("agent.project"),
		),
);
