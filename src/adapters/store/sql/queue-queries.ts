// The position of a prompt in its agent's queue.
import { sql } from "kysely";
import { query } from "./prepared.ts";
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
