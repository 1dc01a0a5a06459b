// Lists, one page at a time: each query is given one row more than the page has, which tells whether there is another.
import { type RawBuilder, sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { lives } from "./agent-queries.ts";
import { isItem } from "./history-queries.ts";
import { fromEntry } from "./issue-queries.ts";
import { fromMail } from "./mail-queries.ts";
import { type Dialect, fieldOf, query } from "./prepared.ts";
import { seqOf } from "./queries.ts";
import { raw, type StateRow } from "./state-queries.ts";
import { byPriority, fromPrompt, inFront } from "./turn-queries.ts";

/** The rows after `after`, at most `limit`. */
export interface PageArgs extends Record<string, string | number | null> {
	after: number;
	limit: number;
}

export interface CursorRow extends StateRow {
	at: number;
}

export const agentsPage = query<PageArgs>()("agents-page", (db, arg) =>
	raw(
		db,
		sql<CursorRow>`select seq as at, state from agent where seq > ${arg("after")} order by seq limit ${arg("limit")}`,
	),
);

export const shownAgentsPage = query<PageArgs>()("shown-agents-page", (db, arg) =>
	raw(
		db,
		sql<CursorRow>`select seq as at, state from agent
			where life <> 'reaped' and seq > ${arg("after")} order by seq limit ${arg("limit")}`,
	),
);

/** The index has a project's agents by their life: a page is made of one of each. */
const agentsOfProject = (name: string, parts: readonly (typeof lives)[number][]) =>
	query<PageArgs & { project: string }>()(name, (db, arg) => {
		const pages = parts.map(
			(life) => sql<number>`select seq from (select seq from agent
				where life = ${sql.lit(life)} and coalesce(project, '') = ${arg("project")} and seq > ${arg("after")}
				order by seq limit ${arg("limit")}) as ${sql.ref(life)}`,
		);
		return raw(
			db,
			sql<CursorRow>`select seq as at, state from agent where seq in (${sql.join(pages, sql` union all `)})
				order by seq limit ${arg("limit")}`,
		);
	});

export const agentsOfProjectPage = agentsOfProject("agents-of-project-page", lives);
export const shownAgentsOfProjectPage = agentsOfProject(
	"shown-agents-of-project-page",
	lives.filter((life) => life !== "reaped"),
);

/** Of these there are few, and their order is that of their names: `after` counts the rows before the page. */
const byName = (table: "project" | "subscription" | "person", name: "slug" | "name") =>
	query<PageArgs>()(`${table}s-page`, (db, arg) =>
		raw(
			db,
			sql<StateRow>`select state from ${sql.table(table)} order by ${sql.ref(name)}
				limit ${arg("limit")} offset ${arg("after")}`,
		),
	);

export const projectsPage = byName("project", "slug");
export const subscriptionsPage = byName("subscription", "name");
export const personsPage = byName("person", "name");

/** Joins the texts of the page's prompts only; `after` is a position in the queue. */
export const promptsPage = query<PageArgs & { agent: AgentId }>()("prompts-page", (db, arg) =>
	fromPrompt(db)
		.where(
			"prompt.id",
			"in",
			sql<number>`(select prompt.id from prompt where agent = (${seqOf(db, arg("agent"))}) and taken is null
				order by ${inFront()}, ${byPriority()}, prompt.position limit ${arg("limit")} offset ${arg("after")})`,
		)
		.orderBy(inFront())
		.orderBy(byPriority())
		.orderBy("prompt.position"),
);

export const turnsPage = query<PageArgs & { agent: AgentId }>()("turns-page", (db, arg) =>
	db
		.selectFrom("turn")
		.select(["id as at", "state"])
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("id", ">", arg("after"))
		.orderBy("id")
		.limit(arg("limit")),
);

export const itemsPage = query<PageArgs & { agent: AgentId; upTo: number }>()("items-page", (db, arg) =>
	db
		.selectFrom("event")
		.select(["id", "turn", "kind", "text", "data", "at", "actor", "command"])
		.where("agent", "=", seqOf(db, arg("agent")))
		.where("id", ">", arg("after"))
		.where("id", "<=", arg("upTo"))
		.where(isItem)
		.orderBy("id")
		.limit(arg("limit")),
);

/** Null stands for any agent or project. */
export const approvalsPage = query<PageArgs & { agent: string | null; project: string | null }>()(
	"approvals-page",
	(db, arg) =>
		raw(
			db,
			sql<CursorRow>`select approval.id as at, approval.state from approval join agent on agent.seq = approval.agent
				where approval.open = 1 and approval.id + 0 > ${arg("after")}
					and (cast(${arg("agent")} as text) is null or agent.id = ${arg("agent")})
					and (cast(${arg("project")} as text) is null or agent.project = ${arg("project")})
				order by approval.id + 0 limit ${arg("limit")}`,
		),
);

export const mailsPage = query<PageArgs & { agent: AgentId }>()("mails-page", (db, arg) =>
	fromMail(db)
		.where("mail.agent", "=", seqOf(db, arg("agent")))
		.where("mail.id", ">", arg("after"))
		.where("mail.deleted_at", "is", null)
		.orderBy("mail.id")
		.limit(arg("limit")),
);

export const issuesPage = query<PageArgs>()("issues-page", (db, arg) =>
	raw(
		db,
		sql<CursorRow>`select id as at, state from issue where id > ${arg("after")} order by id limit ${arg("limit")}`,
	),
);

/** An issue with a higher number is a younger one. */
export const issuesOfProjectPage = query<PageArgs & { project: string }>()("issues-of-project-page", (db, arg) =>
	raw(
		db,
		sql<CursorRow>`select id as at, state from issue
			where project = ${arg("project")}
				and number > coalesce((select max(number) from issue where project = ${arg("project")} and id <= ${arg("after")}), 0)
			order by number limit ${arg("limit")}`,
	),
);

export const runsPage = query<PageArgs & { issueId: number }>()("runs-page", (db, arg) =>
	raw(
		db,
		sql<CursorRow>`select id as at, state from run
			where issue_id = ${arg("issueId")} and id > ${arg("after")} order by id limit ${arg("limit")}`,
	),
);

export const entriesPage = query<PageArgs & { issueId: number; kind: string }>()("entries-page", (db, arg, dialect) =>
	fromEntry(db)
		.where("entry.issue_id", "=", arg("issueId"))
		.where("entry.id", ">", arg("after"))
		.where(fieldOf(dialect, "entry.state", "kind"), "=", arg("kind"))
		.orderBy("entry.id")
		.limit(arg("limit")),
);

export const issueLabelsPage = query<PageArgs & { project: string }>()("labels-page", (db, arg, dialect) => {
	const labels =
		dialect === "sqlite"
			? sql`json_each(issue.state, '$.labels') as label`
			: sql`lateral jsonb_array_elements_text(cast(issue.state as jsonb) -> 'labels') as label (value)`;
	return raw(
		db,
		sql<{
			label: string;
			issues: number;
		}>`select label.value as label, count(*) as issues from issue cross join ${labels}
			where issue.project = ${arg("project")} and ${fieldOf(dialect, "issue.state", "deletedAt")} is null
			group by label.value order by issues desc, ${dialect === "sqlite" ? sql`label.value` : sql`label.value collate "C"`}
			limit ${arg("limit")} offset ${arg("after")}`,
	);
});

/** The sums of what the agents of each project used; costs are apart, since there is one for each currency. */
export const projectSpendingPage = query<PageArgs>()("project-spending-page", (db, arg, dialect) => {
	const sum = (name: string) =>
		sql`sum(${numberOf(dialect, fieldOf(dialect, "state", "spent", name))}) as ${sql.ref(name)}`;
	return raw(
		db,
		sql<SpendingRow>`select project, ${sum("inputTokens")}, ${sum("outputTokens")}, ${sum("cachedReadTokens")}, ${sum("cachedWriteTokens")}
			from agent group by project order by min(seq) limit ${arg("limit")} offset ${arg("after")}`,
	);
});

export const projectCosts = query()("project-costs", (db, _, dialect) => {
	const costs =
		dialect === "sqlite"
			? sql`json_each(agent.state, '$.spent.costs') as cost`
			: sql`lateral jsonb_array_elements(cast(agent.state as jsonb) -> 'spent' -> 'costs') as cost (value)`;
	const currency = fieldOf(dialect, "cost.value", "currency");
	return raw(
		db,
		sql<{ project: string | null; currency: string; amount: number }>`select agent.project, ${currency} as currency,
			sum(${numberOf(dialect, fieldOf(dialect, "cost.value", "amount"))}) as amount
			from agent cross join ${costs} group by agent.project, ${currency} order by min(agent.seq)`,
	);
});

interface SpendingRow {
	project: string | null;
	inputTokens: number;
	outputTokens: number;
	cachedReadTokens: number;
	cachedWriteTokens: number;
}

const numberOf = (dialect: Dialect, field: RawBuilder<unknown>) =>
	dialect === "sqlite" ? field : sql`cast(${field} as double precision)`;
