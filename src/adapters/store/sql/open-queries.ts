// Approvals and waits: rows that are open until somebody answers or something happens.
import { sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { fewById, query } from "./prepared.ts";
import { seqOf } from "./queries.ts";
import { stateById, upsert } from "./state-queries.ts";

export const approvalById = stateById("approval");

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

export const putApproval = upsert("approval", {
	columns: ["id", "agent", "open", "state"],
	changes: ["open", "state"],
});

export const waitById = stateById("wait");

export const openWaits = query()("open-waits", (db) =>
	db.selectFrom("wait").select("state").where("open", "=", sql.lit(1)).orderBy("id"),
);

export const putWait = upsert("wait", { columns: ["id", "open", "state"], changes: ["open", "state"] });
