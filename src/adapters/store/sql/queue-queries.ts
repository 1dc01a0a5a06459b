// The order of an agent's queue, without the texts of its prompts.
import { sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { query } from "./prepared.ts";
import { seqOf } from "./queries.ts";
import { byPriority, inFront } from "./turn-queries.ts";

const inOrder = (table: string) => sql`(${inFront(table)}, ${byPriority(table)}, ${sql.ref(table)}.position)`;

export const queuePosition = query<{ id: number }>()("queue-position", (db, arg) =>
	db
		.selectFrom("prompt as mine")
		.innerJoin("prompt as other", "other.agent", "mine.agent")
		.select((of) => of.fn.countAll<number>().as("position"))
		.where("mine.id", "=", arg("id"))
		.where("mine.taken", "is", null)
		.where("other.taken", "is", null)
		.where(sql<boolean>`${inOrder("other")} <= ${inOrder("mine")}`),
);

export const queueOrder = query<{ agent: AgentId }>()("queue-order", (db, arg) =>
	db
		.selectFrom("prompt")
		.select(["prompt.id", "prompt.position", "prompt.priority"])
		.where("prompt.agent", "=", seqOf(db, arg("agent")))
		.where("prompt.taken", "is", null)
		.orderBy(inFront())
		.orderBy(byPriority())
		.orderBy("prompt.position"),
);
