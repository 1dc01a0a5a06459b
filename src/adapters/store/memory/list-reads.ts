// Lists and lookups in memory.
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { IdSpan, PageRequest, RowPage, TextPart } from "#contract/page.ts";
import type { PendingWork } from "#contract/pending-work.ts";
import { nothingSpent, type Spent } from "#contract/usage.ts";
import type { ListReads, LookupReads, ProjectSpending } from "#engine/ports/store-lists.ts";
import { isUnread, mailsIn, queueIn, type Read, type Rows } from "./rows.ts";

/** A page of rows in their order; `at` is a row's cursor; its number among all rows if absent. */
function partOf<T>(all: Iterable<T>, { after, limit }: PageRequest, at?: (row: T) => number): RowPage<T> {
	const placed = [...all].map((row, index) => ({ row, at: at?.(row) ?? index + 1 }));
	const rest = placed.filter((each) => each.at > after);
	return { rows: rest.slice(0, limit), more: rest.length > limit };
}

const byId = ({ id }: { id: number }): number => id;

export const listReads = (read: Read): ListReads => ({ ...agentLists(read), ...issueLists(read) });

function agentLists(read: Read) {
	return {
		listAgents: ({ project, reaped }, page) =>
			read(({ agents }) => {
				const seqs = new Map([...agents.keys()].map((id, index) => [id, index + 1]));
				const wanted = [...agents.values()].filter(
					(agent) => (project === undefined || agent.project === project) && (reaped || agent.reapedAt === null),
				);
				return partOf(wanted, page, ({ id }) => seqs.get(id) ?? 0);
			}),
		listProjects: (page) =>
			read(({ projects }) =>
				partOf(
					[...projects.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1)),
					page,
				),
			),
		listSubscriptions: (page) => read(({ subscriptions }) => partOf(byName(subscriptions.values()), page)),
		listPersons: (page) => read(({ persons }) => partOf(byName(persons.values()), page)),
		listPrompts: (agent, page) => read((rows) => partOf(queueIn(rows, agent), page)),
		listTurns: (agent, page) =>
			read(({ turns }) =>
				partOf(
					[...turns.values()].filter((turn) => turn.agent === agent),
					page,
					byId,
				),
			),
		listItems: ({ agent, upTo }, page) =>
			read(({ events }) =>
				partOf(
					events.filter((event) => event.agent === agent && isItem(event) && event.id <= (upTo ?? event.id)),
					page,
					byId,
				),
			),
		itemTexts: (range, hidden, page) => read(({ events }) => itemTexts(events, range, hidden, page)),
		listApprovals: ({ agent, project }, page) =>
			read(({ approvals, agents }) => {
				const wanted = [...approvals.values()].filter(
					(approval) =>
						approval.state === "pending" &&
						(agent === undefined || approval.agent === agent) &&
						(project === undefined || agents.get(approval.agent)?.project === project),
				);
				return partOf(wanted, page, byId);
			}),
		listMails: (agent, page) => read((rows) => partOf(mailsIn(rows, agent), page, byId)),
		listProjectSpending: (page) =>
			read(({ agents }) => {
				const by = Map.groupBy(agents.values(), ({ project }) => project);
				const spending = [...by].map(([project, those]): ProjectSpending => {
					const spent = those.reduce((sum, agent) => plus(sum, agent.spent), nothingSpent);
					return { project, spent };
				});
				return partOf(spending, page);
			}),
	} satisfies Partial<ListReads>;
}

/** Items as JSON, as the wire has them. */
function itemTexts(
	events: readonly Event[],
	{ agent, upTo }: { agent: AgentId; upTo: number | null },
	hidden: readonly IdSpan[],
	{ after, limit }: PageRequest,
): TextPart {
	const shown = events.filter(
		(event) =>
			event.agent === agent &&
			isItem(event) &&
			!["clear", "rewind"].includes(event.kind) &&
			event.id > after &&
			event.id <= (upTo ?? event.id) &&
			!hidden.some((span) => event.id > span.after && event.id < span.before),
	);
	const rows = shown.slice(0, limit);
	const texts = rows.map((event) => JSON.stringify({ ...event, at: new Date(event.at).toISOString() }));
	return {
		...{ text: texts.join(","), count: texts.length, last: rows.at(-1)?.id ?? after },
		more: shown.length > limit,
	};
}

function issueLists(read: Read) {
	return {
		listIssues: (project, page) =>
			read(({ issues }) =>
				partOf(
					[...issues.values()].filter((issue) => project === undefined || issue.project === project),
					page,
					byId,
				),
			),
		listRuns: (issue, page) =>
			read(({ runs }) =>
				partOf(
					[...runs.values()].filter((run) => run.issueId === issue),
					page,
					byId,
				),
			),
		listEntries: ({ issueId: issue, kind }, page) =>
			read(({ entries }) =>
				partOf(
					[...entries.values()].filter((entry) => entry.issueId === issue && entry.kind === kind),
					page,
					byId,
				),
			),
		listIssueLabels: (project, page) =>
			read(({ issues }) => {
				const own = [...issues.values()].filter((issue) => issue.project === project && issue.deletedAt === null);
				const used = Map.groupBy(
					own.flatMap(({ labels }) => labels),
					(label) => label,
				);
				const labels = [...used].map(([label, each]) => ({ label, issues: each.length }));
				return partOf(
					labels.sort((a, b) => b.issues - a.issues || (a.label < b.label ? -1 : 1)),
					page,
				);
			}),
	} satisfies Partial<ListReads>;
}

export function lookupReads(read: Read): LookupReads {
	return {
		agentsWith: (ids) => read(({ agents }) => ids.flatMap((id) => agents.get(id) ?? [])),
		issuesNumbered: (project, numbers) =>
			read(({ issues }) =>
				[...issues.values()].filter((issue) => issue.project === project && numbers.includes(issue.number)),
			),
		issuesWith: (ids) => read(({ issues }) => [...issues.values()].filter(({ id }) => ids.includes(id))),
		runsOfTurns: (turns) => read(({ runs }) => [...runs.values()].filter(({ turn }) => turns.includes(turn))),
		runsOf: (issues) => read(({ runs }) => [...runs.values()].filter((run) => issues.includes(run.issueId))),
		pendingWork: (agents, now) => read((rows) => new Map(agents.map((id) => [id, pendingWorkIn(rows, id, now)]))),
		spentByForks: (agents) =>
			read((rows) =>
				agents.flatMap((agent) => forksIn(rows, agent).map((fork) => ({ agent, spent: spentIn(rows, fork) }))),
			),
	};
}

function pendingWorkIn(rows: Rows, agent: AgentId, now: number): PendingWork {
	const queue = queueIn(rows, agent);
	const times = queue.flatMap(({ notBefore }) => notBefore ?? []);
	const waits = [...rows.waits.values()].filter((wait) => wait.agent === agent && wait.state === "open");
	const approvals = [...rows.approvals.values()].filter(
		(approval) => approval.agent === agent && approval.state === "pending",
	);
	return {
		queueLength: queue.length,
		due: queue.filter(({ notBefore }) => (notBefore ?? now) <= now).length,
		notBefore: times.length === 0 ? null : Math.min(...times),
		unreadMail: mailsIn(rows, agent).filter(isUnread).length,
		pendingApprovals: approvals.length,
		wait: waits.at(-1) ?? null,
	};
}

function forksIn({ agents }: Rows, root: AgentId): AgentId[] {
	const found = new Set([root]);
	// a fork is younger than what it was forked from
	for (const { id, lineage, supervisor } of agents.values()) {
		const above = lineage?.agent ?? (agents.get(supervisor ?? id)?.supervisor === null ? null : supervisor);
		if (above !== null && found.has(above)) found.add(id);
	}
	found.delete(root);
	return [...found];
}

const spentIn = ({ agents }: Rows, id: AgentId): Spent => agents.get(id)?.spent ?? nothingSpent;

function plus(one: Spent, other: Spent): Spent {
	const costs = new Map(one.costs.map(({ currency, amount }) => [currency, amount]));
	for (const { currency, amount } of other.costs) costs.set(currency, (costs.get(currency) ?? 0) + amount);
	return {
		inputTokens: one.inputTokens + other.inputTokens,
		outputTokens: one.outputTokens + other.outputTokens,
		cachedReadTokens: one.cachedReadTokens + other.cachedReadTokens,
		cachedWriteTokens: one.cachedWriteTokens + other.cachedWriteTokens,
		costs: [...costs].map(([currency, amount]) => ({ amount, currency })),
	};
}

const byName = <T extends { name: string }>(rows: Iterable<T>): T[] =>
	[...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
