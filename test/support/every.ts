// All rows of a table, for tests that compare whole stores: the program itself never asks for them.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import type { TurnState } from "#contract/turn.ts";
import type { ListReads } from "#engine/ports/store-lists.ts";

const whole = { after: 0, limit: 1_000_000 };

/** Oldest first, ended and reaped ones too. */
export async function everyAgent(reads: ListReads, project?: ProjectSlug): Promise<AgentState[]> {
	const { rows } = await reads.listAgents({ reaped: true, ...(project !== undefined && { project }) }, whole);
	return rows.map(({ row }) => row);
}

/** Oldest first. */
export async function everyTurn(reads: ListReads, agent: AgentId): Promise<TurnState[]> {
	return (await reads.listTurns(agent, whole)).rows.map(({ row }) => row);
}

/** Oldest first, without what was deleted. */
export async function everyMail(reads: ListReads, agent: AgentId): Promise<MailState[]> {
	return (await reads.listMails(agent, whole)).rows.map(({ row }) => row);
}

/** Oldest first, done and deleted ones too. */
export async function everyIssue(reads: ListReads, project?: ProjectSlug): Promise<IssueState[]> {
	return (await reads.listIssues(project, whole)).rows.map(({ row }) => row);
}
