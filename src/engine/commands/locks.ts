// Locks that several commands share. The store takes the locks of a whole batch in one order.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Locks, Reads } from "../ports/store.ts";

export const ofAgent = (_: Reads, { agent }: { agent: AgentId }): Partial<Locks> => ({ agents: [agent] });

/** The issue with the agents that have it or had it last. */
export async function ofIssue(reads: Reads, { issue: id }: { issue: number }): Promise<Partial<Locks>> {
	const issue = await reads.issue(id);
	const agents = [issue?.assignee, issue?.leaving?.agent, issue?.lastAgent];
	return { ...withProject(issue), agents: agents.filter((agent) => agent != null) };
}

/** With the project, which owns the numbers, dependencies and limits of its issues. */
export const withProject = (issue: IssueState | undefined): Partial<Locks> =>
	issue === undefined ? {} : { issues: [issue.id], projects: [issue.project] };

/** The issue that the agent works on. */
export async function ofWork(reads: Reads, agent: AgentState | undefined): Promise<Partial<Locks>> {
	return withProject(agent?.issue ? await reads.issue(agent.issue.id) : undefined);
}

/** The slots that a turn of the agent may take; `*` stands for the machine's limit, which every turn counts against. */
export async function slotsFor(reads: Reads, agent: AgentState | undefined): Promise<string[]> {
	return ["*", ...(await reads.subscriptions()).filter(({ type }) => type === agent?.type).map(({ name }) => name)];
}
