// The queries that find agents, by what there is to do for them. Each goes through an index that has only those.
import { sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { fieldOf, query } from "./prepared.ts";

const ended = sql.lit("ended");
/** an id as plain text, to be compared with a prefix */
const id = sql<string>`id`;

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

export const agentIdsOfProject = query<{ project: string }>()("agent-ids-of-project", (db, arg) =>
	db.selectFrom("agent").select("id").where(sql`coalesce(project, '')`, "=", arg("project")).orderBy("seq"),
);

/** Almost every agent is live or ended, so only the few that are being provisioned have an index. */
export const agentsBeingProvisioned = query()("agents-being-provisioned", (db) =>
	db.selectFrom("agent").select("state").where("life", "=", sql.lit("provisioning")).orderBy("seq"),
);

/** Through the index of the living: by `seq` alone SQLite would walk the whole table, which is in that order. */
export const allLivingAgents = query()("all-living-agents", (db) =>
	db.selectFrom("agent").select("state").where("life", "<>", ended).orderBy(sql`seq + 0`),
);

/** Not in the order of an index: SQLite would take that of the whole project, which has the ended ones too. */
export const livingAgentsOfProject = query<{ project: string }>()("living-agents-of-project", (db, arg) =>
	db
		.selectFrom("agent")
		.select("state")
		.where(sql`coalesce(project, '')`, "=", arg("project"))
		.where("life", "<>", ended)
		.orderBy(sql`seq + 0`),
);

/** On PostgreSQL through the index of those that have a folder. */
export const leasedAgents = query()("leased-agents", (db, _, dialect) => {
	const leased = db.selectFrom("agent").select("state").where("leased", "=", sql.lit(1)).orderBy("seq");
	return dialect === "sqlite" ? leased : leased.where("folder", "is not", null);
});

export const leavingAgents = query()("leaving-agents", (db) =>
	db.selectFrom("agent").select("state").where("leaving", "=", sql.lit(1)).orderBy("seq"),
);

export const agentsWithFolders = query<{ project: string }>()("agents-with-folders", (db, arg) =>
	db
		.selectFrom("agent")
		.select("state")
		.where(sql`coalesce(project, '')`, "=", arg("project"))
		.where("folder", "is not", null)
		.orderBy(sql`seq + 0`),
);

export const agentsInFolder = query<{ project: string; folder: string }>()("agents-in-folder", (db, arg) =>
	db
		.selectFrom("agent")
		.select("state")
		.where(sql`coalesce(project, '')`, "=", arg("project"))
		.where("folder", "=", arg("folder"))
		.orderBy(sql`seq + 0`),
);

/** Those that were not reaped, and whoever is above them. */
export const shownAgents = query()("shown-agents", (db) =>
	db
		.withRecursive("shown", (cte) =>
			cte
				.selectFrom("agent")
				.select(["seq", "supervisor"])
				.where("reaped", "=", sql.lit(0))
				.union(
					cte
						.selectFrom("shown")
						.innerJoin("agent", "agent.id", "shown.supervisor")
						.select(["agent.seq", "agent.supervisor"]),
				),
		)
		.selectFrom("agent")
		.select("state")
		.where("seq", "in", (is) => is.selectFrom("shown").select("shown.seq"))
		.orderBy("seq"),
);

/** On PostgreSQL through the index of the living. */
export const heldAgents = query()("held-agents", (db, _, dialect) => {
	const held = db.selectFrom("agent").select("state").where("held", "=", sql.lit(1)).orderBy("seq");
	return dialect === "sqlite" ? held : held.where("life", "<>", ended);
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

export const livingAgents = query()("living-agents", (db) =>
	db
		.selectFrom("agent")
		.select((of) => of.fn.countAll<number>().as("count"))
		.where("life", "<>", ended),
);

export const livingAgentsByNode = query()("living-agents-by-node", (db, _, dialect) => {
	const node = fieldOf(dialect, "state", "node");
	return db
		.selectFrom("agent")
		.select((of) => [node.as("node"), of.fn.countAll<number>().as("count")])
		.where("life", "<>", ended)
		.groupBy(node);
});
