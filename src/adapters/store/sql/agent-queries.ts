// The queries that find agents, by what there is to do for them. Each goes through an index that has only those.
import { type RawBuilder, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import type { NodeId } from "#contract/node.ts";
import { fieldOf, query } from "./prepared.ts";
import type { Tables } from "./tables.ts";

/** What the column can have. */
export const lives = ["provisioning", "live", "ended", "reaped"] as const satisfies Tables["agent"]["life"][];

/** Word for word as an index has it, so that the databases see that it has them all. */
export const isLiving = sql<boolean>`agent.life in ('provisioning', 'live')`;

/** Also those that were reaped, by the same index as the living ones. */
export const isOfProject = (project: RawBuilder<string>) =>
	sql<boolean>`agent.life in (${sql.join(lives.map((life) => sql.lit(life)))}) and coalesce(agent.project, '') = ${project}`;

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
	db
		.selectFrom("agent")
		.select("id")
		.where(isOfProject(arg("project")))
		.orderBy(sql`seq + 0`),
);

export const agentsBeingProvisioned = query()("agents-being-provisioned", (db) =>
	db.selectFrom("agent").select("state").where("life", "=", sql.lit("provisioning")).orderBy(sql`seq + 0`),
);

/** Through the index of the living: by `seq` alone SQLite would walk the whole table, which is in that order. */
export const allLivingAgents = query()("all-living-agents", (db) =>
	db.selectFrom("agent").select("state").where(isLiving).orderBy(sql`seq + 0`),
);

export const livingAgentsOfProject = query<{ project: string }>()("living-agents-of-project", (db, arg) =>
	db
		.selectFrom("agent")
		.select("state")
		.where(sql`coalesce(project, '')`, "=", arg("project"))
		.where(isLiving)
		.orderBy(sql`seq + 0`),
);

/** On PostgreSQL through the index of those that have a folder. */
export const agentsWithLeasedWorkspace = query()("leased-agents", (db, _, dialect) => {
	const leased = db.selectFrom("agent").select("state").where("leased", "=", sql.lit(1)).orderBy("seq");
	return dialect === "sqlite" ? leased : leased.where("folder", "is not", null);
});

export const agentsWithStrayFiles = query()("agents-with-stray-files", (db) =>
	db.selectFrom("agent").select("state").where("stray", "=", sql.lit(1)).orderBy("seq"),
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
				.where("life", "<>", sql.lit("reaped"))
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
	return dialect === "sqlite" ? held : held.where(isLiving);
});

export const livingChildren = query<{ supervisor: AgentId }>()("living-children", (db, arg) =>
	db.selectFrom("agent").select("state").where("supervisor", "=", arg("supervisor")).where(isLiving).orderBy("seq"),
);

export const livingDescendants = query<{ supervisor: AgentId }>()("living-descendants", (db, arg) =>
	db
		.withRecursive("below", (cte) =>
			cte
				.selectFrom("agent")
				.select(["id", "seq", "state", sql<number>`1`.as("depth")])
				.where("supervisor", "=", arg("supervisor"))
				.where(isLiving)
				.unionAll(
					cte
						.selectFrom("agent")
						.innerJoin("below", "below.id", "agent.supervisor")
						.select(["agent.id", "agent.seq", "agent.state", sql<number>`below.depth + 1`.as("depth")])
						.where(isLiving),
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

export const livingAgentCount = query()("living-agent-count", (db) =>
	db
		.selectFrom("agent")
		.select((of) => of.fn.countAll<number>().as("count"))
		.where(isLiving),
);

export const livingAgentsByNode = query()("living-agents-by-node", (db, _, dialect) => {
	const node = sql<NodeId | null>`${fieldOf(dialect, "state", "node")}`;
	return db
		.selectFrom("agent")
		.select((of) => [node.as("node"), of.fn.countAll<number>().as("count")])
		.where(isLiving)
		.groupBy(node);
});
