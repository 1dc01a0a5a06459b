// The store's lists, one page at a time, and lookups of several rows at once: a part of the port in `store.ts`. What
// such a read costs depends on the page, not on how long the list is.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { EntryState, IssueState, RunState } from "#contract/issue.ts";
import type { IssueLabelCount } from "#contract/issue-wire.ts";
import type { MailState } from "#contract/mail.ts";
import type { IdSpan, PageRequest, RowPage, TextPart } from "#contract/page.ts";
import type { PendingWork } from "#contract/pending-work.ts";
import type { PersonState } from "#contract/person.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Spent } from "#contract/usage.ts";

export interface ListReads {
	/** oldest first; a project of null stands for agents without one */
	listAgents(
		wanted: { project?: ProjectSlug | null; reaped: boolean },
		page: PageRequest,
	): Promise<RowPage<AgentState>>;
	/** by slug, including removed ones */
	listProjects(page: PageRequest): Promise<RowPage<ProjectState>>;
	/** by name, including removed ones */
	listSubscriptions(page: PageRequest): Promise<RowPage<SubscriptionState>>;
	/** by name, including removed ones */
	listPersons(page: PageRequest): Promise<RowPage<PersonState>>;
	/** the agent's queue, the next one first, without the one that is being run; `at` is the position in the queue */
	listPrompts(agent: AgentId, page: PageRequest): Promise<RowPage<PromptState>>;
	/** oldest first */
	listTurns(agent: AgentId, page: PageRequest): Promise<RowPage<TurnState>>;
	/** the items of the agent's own thread up to an event, oldest first */
	listItems(range: { agent: AgentId; upTo: number | null }, page: PageRequest): Promise<RowPage<Event>>;
	/**
	 * The same as JSON with times as the wire has them, without clears, rewinds and the items in hidden spans: for long
	 * lists, because objects are slow to send between threads.
	 */
	itemTexts(
		range: { agent: AgentId; upTo: number | null },
		hidden: readonly IdSpan[],
		page: PageRequest,
	): Promise<TextPart>;
	/** pending ones of one agent, of one project, or of all, oldest first */
	listApprovals(of: { agent?: AgentId; project?: ProjectSlug }, page: PageRequest): Promise<RowPage<ApprovalState>>;
	/** the agent's mail that was not deleted, oldest first */
	listMails(agent: AgentId, page: PageRequest): Promise<RowPage<MailState>>;
	/** of one project, or of all, oldest first; deleted ones too */
	listIssues(project: ProjectSlug | undefined, page: PageRequest): Promise<RowPage<IssueState>>;
	/** oldest first */
	listRuns(issue: number, page: PageRequest): Promise<RowPage<RunState>>;
	listEntries(of: { issueId: number; kind: EntryState["kind"] }, page: PageRequest): Promise<RowPage<EntryState>>;
	/** the labels of a project's issues that were not deleted, the most used first */
	listIssueLabels(project: ProjectSlug, page: PageRequest): Promise<RowPage<IssueLabelCount>>;
	/** what the agents of each project used, the project with the oldest agent first */
	listProjectSpending(page: PageRequest): Promise<RowPage<ProjectSpending>>;
}

export interface ProjectSpending {
	project: ProjectSlug | null;
	spent: Spent;
}

export interface LookupReads {
	/** in no particular order; ids that no agent has are left out */
	agentsWith(ids: readonly AgentId[]): Promise<AgentState[]>;
	issuesNumbered(project: ProjectSlug, numbers: readonly number[]): Promise<IssueState[]>;
	/** oldest first; ids that no issue has are left out */
	issuesWith(ids: readonly number[]): Promise<IssueState[]>;
	/** the runs of issues that these turns were, oldest first */
	runsOfTurns(turns: readonly number[]): Promise<RunState[]>;
	/** of these issues, oldest first */
	runsOf(issues: readonly number[]): Promise<RunState[]>;
	/** has every agent that is asked for */
	pendingWork(agents: readonly AgentId[], now: number): Promise<Map<AgentId, PendingWork>>;
	/**
	 * what the forks of each agent used, and theirs; an agent that was made fresh counts for its supervisor, unless that
	 * is agent 0
	 */
	spentByForks(agents: readonly AgentId[]): Promise<{ agent: AgentId; spent: Spent }[]>;
}
