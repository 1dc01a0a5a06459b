// Approvals and waits: rows that are open until somebody answers or something happens.
import { sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { fewById, query } from "./prepared.ts";
import { seqOf } from "./queries.ts";

export const approvalById = query<{ id: number }>()("approval-by-id", (db, arg) =>
	db.selectFrom("approval").select("state").where("id", "=", arg("id")),
);

export const pendingApprovals = query()("pending-approvals", (db) =>
	db.selectFrom("approval").select("state").where("open", "=", sql.lit(1)).orderBy(fewById),
);

export const pendingApprovalsOf = query<{ agent: AgentId }>()("pending-approvals-of", (db, arg) =>
	db
		.selectFrom("approval")
		.select("state")
		.where("open", "=", sql.lit(1))
		.where("agent", "=", seqOf(db, arg("agent")))
		.orderBy("id"),
);

export const putApproval = query<{ id: number; agent: AgentId; open: number; state: string }>()(
	"put-approval",
	(db, arg) =>
		db
			.insertInto("approval")
			.values({
				id: arg("id"),
				agent: sql<number>`(${seqOf(db, arg("agent"))})`,
				open: arg("open"),
				state: arg("state"),
			})
			.onConflict((clash) => clash.column("id").doUpdateSet({ open: sql`excluded.open`, state: sql`excluded.state` })),
);

export const waitById = query<{ id: number }>()("wait-by-id", (db, arg) =>
	db.selectFrom("wait").select("state").where("id", "=", arg("id")),
);

export const openWaits = query()("open-waits", (db) =>
	db.selectFrom("wait").select("state").where("open", "=", sql.lit(1)).orderBy("id"),
);

export const putWait = query<{ id: number; open: number; state: string }>()("put-wait", (db, arg) =>
	db
		.insertInto("wait")
		.values({ id: arg("id"), open: arg("open"), state: arg("state") })
		.onConflict((clash) => clash.column("id").doUpdateSet({ open: sql`excluded.open`, state: sql`excluded.state` })),
);
