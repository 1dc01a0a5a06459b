// Subscriptions, and the leases that say which of their slots are taken.
import { query } from "./prepared.ts";
import { removal, upsert } from "./state-queries.ts";

export const allSubscriptions = query()("all-subscriptions", (db) =>
	db.selectFrom("subscription").select("state").orderBy("name"),
);

export const putSubscription = upsert("subscription", {
	columns: ["name", "state"],
	key: ["name"],
	changes: ["state"],
});

export const allLeases = query()("all-leases", (db) =>
	db
		.selectFrom("lease")
		.innerJoin("agent", "agent.seq", "lease.agent")
		.select(["lease.turn", "agent.id as agent", "lease.subscription", "lease.node", "lease.at"])
		.orderBy("lease.turn"),
);

export const putTurnLease = upsert("lease", {
	columns: ["turn", "agent", "subscription", "node", "at"],
	key: ["turn"],
	changes: ["agent", "subscription", "node", "at"],
});

export const dropTurnLease = removal("drop-lease", "lease", "turn");
