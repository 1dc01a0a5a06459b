// Several rows at once, by keys that are given as JSON lists.
import { sql } from "kysely";
import type { AgentId } from "#contract/ids.ts";
import { fieldOf, numbersIn, query, textsIn } from "./prepared.ts";
import { raw, type StateRow } from "./state-queries.ts";

export const agentsWith = query<{ ids: string }>()("agents-with", (db, arg, dialect) =>
	raw(db, sql<StateRow>`select state from agent where id in ${textsIn(dialect, arg("ids"))}`),
);

export const issuesNumbered = query<{ project: string; numbers: string }>()("issues-numbered", (db, arg, dialect) =>
	raw(
		db,
		sql<StateRow>`select state from issue
			where project = ${arg("project")} and number in ${numbersIn(dialect, arg("numbers"))}`,
	),
);

export const issuesWith = query<{ ids: string }>()("issues-with", (db, arg, dialect) =>
	raw(db, sql<StateRow>`select state from issue where id in ${numbersIn(dialect, arg("ids"))} order by id`),
);

export const runsOfTurns = query<{ turns: string }>()("runs-of-turns", (db, arg, dialect) =>
	raw(db, sql<StateRow>`select state from run where turn in ${numbersIn(dialect, arg("turns"))} order by id`),
);

export const runsOfIssues = query<{ issues: string }>()("runs-of-issues", (db, arg, dialect) =>
	raw(db, sql<StateRow>`select state from run where issue_id in ${numbersIn(dialect, arg("issues"))} order by id`),
);

interface CountRow {
	agent: AgentId;
	count: number;
}

export const queuesOf = query<{ ids: string; now: number }>()("queues-of", (db, arg, dialect) =>
	raw(
		db,
		sql<CountRow & { due: number; notBefore: number | null }>`select agent.id as agent, count(*) as count,
			sum(case when prompt.not_before is null or prompt.not_before <= ${arg("now")} then 1 else 0 end) as due,
			min(prompt.not_before) as ${sql.ref("notBefore")}
			from agent join prompt on prompt.agent = agent.seq
			where agent.id in ${textsIn(dialect, arg("ids"))} and prompt.taken is null group by agent.id`,
	),
);

export const unreadMailOf = query<{ ids: string }>()("unread-mail-of", (db, arg, dialect) =>
	raw(
		db,
		sql<CountRow>`select agent.id as agent, count(*) as count from agent join mail on mail.agent = agent.seq
			where agent.id in ${textsIn(dialect, arg("ids"))} and mail.state <> 'read' and mail.deleted_at is null group by agent.id`,
	),
);

export const pendingApprovalsOfMany = query<{ ids: string }>()("pending-approvals-of-many", (db, arg, dialect) =>
	raw(
		db,
		sql<CountRow>`select agent.id as agent, count(*) as count from agent join approval on approval.agent = agent.seq
			where agent.id in ${textsIn(dialect, arg("ids"))} and approval.open = 1 group by agent.id`,
	),
);

/** Few waits are open at any time. */
export const openWaitsOf = query<{ ids: string }>()("open-waits-of", (db, arg, dialect) =>
	raw(
		db,
		sql<StateRow>`select state from wait
			where open = 1 and ${fieldOf(dialect, "state", "agent")} in ${textsIn(dialect, arg("ids"))} order by id`,
	),
);

/**
 * An agent, its forks, and theirs. One that was made fresh has no lineage and counts for its supervisor, unless that is
 * agent 0.
 */
export const spentByForks = query<{ ids: string }>()("spent-by-forks", (db, arg, dialect) =>
	raw(
		db,
		sql<{ agent: AgentId; spent: string }>`with recursive family (root, seq, id, supervisor) as (
				select id, seq, id, supervisor from agent where id in ${textsIn(dialect, arg("ids"))}
				union
				select family.root, child.seq, child.id, child.supervisor from family join agent child
					on child.lineage = family.seq
					or (child.lineage is null and child.supervisor = family.id and family.supervisor is not null)
			)
			select family.root as agent, ${fieldOf(dialect, "agent.state", "spent")} as spent
			from family join agent on agent.seq = family.seq where family.id <> family.root order by agent.seq + 0`,
	),
);
