// The store's lists and lookups, on either database.
import { type AgentId, ProjectSlug } from "#contract/ids.ts";
import type { IdSpan, PageRequest, RowPage, TextPart } from "#contract/page.ts";
import { noPendingWork, type PendingWork } from "#contract/pending-work.ts";
import type { WaitState } from "#contract/wait.ts";
import type { ListReads, LookupReads } from "#engine/ports/store-lists.ts";
import type { Connection } from "./connection.ts";
import { endless } from "./history-queries.ts";
import * as lists from "./list-queries.ts";
import * as lookups from "./lookup-queries.ts";
import type { Query, Value } from "./prepared.ts";
import { type EventRow, entryFrom, eventFrom, eventTexts, mailFrom, promptFrom, statesIn } from "./rows.ts";
import type { StateRow } from "./state-queries.ts";

/** One row more than the page has tells whether there is another page. */
const oneMore = ({ after, limit }: PageRequest) => ({ after, limit: limit + 1 });

function partOf<R, T>(
	rows: readonly R[],
	{ limit }: PageRequest,
	row: (row: R) => T,
	at: (row: R, index: number) => number,
) {
	const shown = rows.slice(0, limit).map((each, index) => ({ row: row(each), at: at(each, index) }));
	return { rows: shown, more: rows.length > limit };
}

export function listReads(connection: Connection): ListReads {
	const states = async <T, P extends Record<string, Value>>(
		query: Query<P & lists.PageArgs, lists.CursorRow>,
		args: P,
		page: PageRequest,
	): Promise<RowPage<T>> =>
		partOf(
			await connection.all(query, { ...args, ...oneMore(page) }),
			page,
			({ state }) => JSON.parse(state),
			({ at }) => at,
		);
	const byId = <R extends { id: number }>({ id }: R): number => id;
	const counted =
		({ after }: PageRequest) =>
		(_: unknown, index: number): number =>
			after + index + 1;
	const named = async <T>(query: Query<lists.PageArgs, StateRow>, page: PageRequest): Promise<RowPage<T>> =>
		partOf(await connection.all(query, oneMore(page)), page, ({ state }) => JSON.parse(state), counted(page));
	return {
		listAgents: ({ project, reaped }, page) => {
			if (project === undefined) return states(reaped ? lists.agentsPage : lists.shownAgentsPage, {}, page);
			const query = reaped ? lists.agentsOfProjectPage : lists.shownAgentsOfProjectPage;
			return states(query, { project: project ?? "" }, page);
		},
		listProjects: (page) => named(lists.projectsPage, page),
		listSubscriptions: (page) => named(lists.subscriptionsPage, page),
		listPersons: (page) => named(lists.personsPage, page),
		listPrompts: async (agent, page) =>
			partOf(await connection.all(lists.promptsPage, { agent, ...oneMore(page) }), page, promptFrom, counted(page)),
		listTurns: (agent, page) => states(lists.turnsPage, { agent }, page),
		listItems: async ({ agent, upTo }, page) => {
			const rows = await connection.all(lists.itemsPage, { agent, upTo: upTo ?? endless, ...oneMore(page) });
			return partOf(rows, page, (row) => eventFrom({ ...row, agent }), byId);
		},
		itemTexts: (range, hidden, page) => itemTexts(connection, range, hidden, page),
		listApprovals: ({ agent = null, project = null }, page) => states(lists.approvalsPage, { agent, project }, page),
		listMails: async (agent, page) =>
			partOf(await connection.all(lists.mailsPage, { agent, ...oneMore(page) }), page, mailFrom, byId),
		listIssues: (project, page) =>
			project === undefined ? states(lists.issuesPage, {}, page) : states(lists.issuesOfProjectPage, { project }, page),
		listRuns: (issueId, page) => states(lists.runsPage, { issueId }, page),
		listEntries: async (of, page) => {
			const rows = await connection.all(lists.entriesPage, { ...of, ...oneMore(page) });
			return partOf(rows.map(entryFrom), page, (entry) => entry, byId);
		},
		listIssueLabels: async (project, page) => {
			const rows = await connection.all(lists.issueLabelsPage, { project, ...oneMore(page) });
			return partOf(rows, page, ({ label, issues }) => ({ label, issues: Number(issues) }), counted(page));
		},
		listProjectSpending: async (page) => {
			const rows = await connection.all(lists.projectSpendingPage, oneMore(page));
			const all = await connection.all(lists.projectCosts, {});
			const spending = rows.map(({ project, ...sums }) => {
				const costs = all.filter((cost) => cost.project === project);
				return {
					project: project === null ? null : ProjectSlug.parse(project),
					spent: { ...sums, costs: costs.map(({ amount, currency }) => ({ amount, currency })) },
				};
			});
			return partOf(spending, page, (row) => row, counted(page));
		},
	};
}

/** Rows that are read at once after hidden ones: the first read takes only as many as the page has. */
const readAtOnce = 100;

async function itemTexts(
	connection: Connection,
	{ agent, upTo }: { agent: AgentId; upTo: number | null },
	hidden: readonly IdSpan[],
	{ after, limit }: PageRequest,
): Promise<TextPart> {
	const found: EventRow[] = [];
	const part = (more: boolean): TextPart => ({
		text: eventTexts(found),
		count: found.length,
		last: found.at(-1)?.id ?? after,
		more,
	});
	for (let from = after; ; ) {
		const asked = Math.max(limit + 1 - found.length, from === after ? 1 : readAtOnce);
		const rows = await connection.all(lists.itemsPage, { agent, upTo: upTo ?? endless, after: from, limit: asked });
		for (const row of rows) {
			if (isHidden(row, hidden)) continue;
			if (found.length === limit) return part(true);
			found.push(Object.assign(row, { agent }));
		}
		if (rows.length < asked) return part(false);
		from = rows.at(-1)?.id ?? from;
	}
}

const isHidden = ({ kind, id }: { kind: string; id: number }, hidden: readonly IdSpan[]): boolean =>
	kind === "clear" || kind === "rewind" || hidden.some(({ after, before }) => id > after && id < before);

export function lookupReads(connection: Connection): LookupReads {
	const { all } = statesIn(connection);
	return {
		agentsWith: (ids) => all(lookups.agentsWith, { ids: JSON.stringify(ids) }),
		issuesNumbered: (project, numbers) => all(lookups.issuesNumbered, { project, numbers: JSON.stringify(numbers) }),
		issuesWith: (ids) => all(lookups.issuesWith, { ids: JSON.stringify(ids) }),
		runsOfTurns: (turns) => all(lookups.runsOfTurns, { turns: JSON.stringify(turns) }),
		runsOf: (issues) => all(lookups.runsOfIssues, { issues: JSON.stringify(issues) }),
		pendingWork: async (agents, now) => {
			const ids = JSON.stringify(agents);
			const found = new Map<AgentId, PendingWork>(agents.map((id) => [id, noPendingWork]));
			const note = (id: AgentId, known: Partial<PendingWork>): unknown =>
				found.set(id, { ...noPendingWork, ...found.get(id), ...known });
			for (const { agent, count, due, notBefore } of await connection.all(lookups.queuesOf, { ids, now }))
				note(agent, { queueLength: Number(count), due: Number(due), notBefore });
			for (const { agent, count } of await connection.all(lookups.unreadMailOf, { ids }))
				note(agent, { unreadMail: Number(count) });
			for (const { agent, count } of await connection.all(lookups.pendingApprovalsOfMany, { ids }))
				note(agent, { pendingApprovals: Number(count) });
			const waits: WaitState[] = await all(lookups.openWaitsOf, { ids });
			for (const wait of waits) if (wait.agent !== null) note(wait.agent, { wait });
			return found;
		},
		spentByForks: async (agents) =>
			(await connection.all(lookups.spentByForks, { ids: JSON.stringify(agents) })).map(({ agent, spent }) => ({
				agent,
				spent: JSON.parse(spent),
			})),
	};
}
