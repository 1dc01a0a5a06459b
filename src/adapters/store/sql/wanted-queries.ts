// The journal by kind, by project and by time. A query over several agents reads windows of ids (`upTo`): they bound
// what one query scans, without an index on the kind that every event would have to write.
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { kindsWithOwnCommand, rowChangingItems } from "#contract/item-kinds.ts";
import { isOfProject } from "./agent-queries.ts";
import { type Dialect, fieldOf, query, textsIn } from "./prepared.ts";
import { fromJournal, seqOf } from "./queries.ts";
import type { Tables } from "./tables.ts";

/** `kinds` and `itemsOf` are lists as JSON; null stands for any. */
interface Wanted extends Record<string, string | number | null> {
	after: number;
	upTo: number;
	limit: number;
	since: number;
	kinds: string | null;
	itemsOf: string | null;
	/** 1 to leave out plain items: only those with a command of their own stay */
	noPlain: number;
}

export const eventsWanted = query<Wanted>()("events-wanted", (db, arg, dialect) =>
	narrowed(fromJournal(db), arg, dialect),
);

export const eventsOfAgentWanted = query<Wanted & { agent: AgentId }>()("events-of-agent-wanted", (db, arg, dialect) =>
	narrowed(fromJournal(db).where("event.agent", "=", seqOf(db, arg("agent"))), arg, dialect),
);

/** By the index of agents and ids: for each agent of the project, and of the events of no agent those about it. */
export const eventsOfProjectWanted = query<Wanted & { project: string }>()(
	"events-of-project-wanted",
	(db, arg, dialect) => {
		const inWindow = sql<boolean>`event.id > ${arg("after")} and event.id <= ${arg("upTo")}`;
		const ids = sql<number>`(select event.id from event
			where event.agent in (select seq from agent where ${isOfProject(arg("project"))}) and ${inWindow}
		union all select event.id from event
			where event.agent is null and ${inWindow} and ${isAboutProject(arg("project"), dialect)})`;
		return narrowed(fromJournal(db).where("event.id", "in", ids), arg, dialect);
	},
);

/** Of an event of no agent: whether it is about the project, or about one of its issues. */
function isAboutProject(project: RawBuilder<string>, dialect: Dialect): RawBuilder<boolean> {
	const [slug, named] = [fieldOf(dialect, "event.data", "slug"), fieldOf(dialect, "event.data", "project")];
	// the data of items may have anything under this name: only what is written without an agent is made a number
	const issue = sql`case when event.agent is null
		then cast(${fieldOf(dialect, "event.data", "issueId")} as bigint) end`;
	return sql`(${slug} = ${project} or ${named} = ${project}
		or exists (select 1 from issue where issue.id = ${issue} and issue.project = ${project}))`;
}

type Journal<O> = SelectQueryBuilder<Tables & { event: Tables["event"] }, "event" | "agent", O>;

function narrowed<O>(
	journal: Journal<O>,
	arg: <K extends keyof Wanted & string>(name: K) => RawBuilder<Wanted[K]>,
	dialect: Dialect,
): Journal<O> {
	const list = (json: RawBuilder<string | number | null>) => textsIn(dialect, json);
	const noun =
		dialect === "sqlite"
			? sql`substr(event.kind, 1, instr(event.kind || '.', '.') - 1)`
			: sql`split_part(event.kind, '.', 1)`;
	const [kinds, itemsOf] = [arg("kinds"), arg("itemsOf")];
	const withOwnCommand = sql.join(kindsWithOwnCommand.map((kind) => sql.lit(kind)));
	const rowChanging = sql.join(rowChangingItems.map((kind) => sql.lit(kind)));
	return journal
		.where("event.id", ">", sql<number>`${arg("after")}`)
		.where("event.id", "<=", sql<number>`${arg("upTo")}`)
		.where(
			sql<boolean>`(cast(${arg("noPlain")} as integer) = 0 or event.kind like '%.%' or event.kind in (${withOwnCommand}))`,
		)
		.where(sql<boolean>`(cast(${kinds} as text) is null or event.kind in ${list(kinds)} or ${noun} in ${list(kinds)})`)
		.where(
			sql<boolean>`(cast(${itemsOf} as text) is null or event.kind like '%.%' or event.kind in (${rowChanging})
				or event.agent in (select seq from agent where id in ${list(itemsOf)}))`,
		)
		.where("event.at", ">=", sql<number>`${arg("since")}`)
		.orderBy("event.id")
		.limit(sql<number>`${arg("limit")}`);
}
