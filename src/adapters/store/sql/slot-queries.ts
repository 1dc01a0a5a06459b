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

export const allTurnLeases = query()("all-turn-leases", (db) =>
	db
		.selectFrom("turn_lease")
		.innerJoin("agent", "agent.seq", "turn_lease.agent")
		.select(["turn_lease.turn", "agent.id as agent", "turn_lease.subscription", "turn_lease.node", "turn_lease.at"])
		.orderBy("turn_lease.turn"),
);

export const putTurnLease = upsert("turn_lease", {
	columns: ["turn", "agent", "subscription", "node", "at"],
	key: ["turn"],
	changes: ["agent", "subscription", "node", "at"],
});

export const dropTurnLease = removal("drop-turn-lease", "turn_lease", "turn");
