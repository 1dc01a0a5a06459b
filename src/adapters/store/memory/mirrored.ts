// The rows that a client mirrors. They are read without waiting, so that they are of one moment.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import { agentsNamedIn, type MirrorRequest, mirroredDoneMax } from "#contract/mirror-request.ts";
import type { MirroredRows } from "#contract/rows.ts";
import { rangesIn } from "./history.ts";
import { boardIn } from "./issue-reads.ts";
import { isUnread, mailsIn, type Rows } from "./rows.ts";

export function mirroredIn(rows: Rows, { boards, threads, itemsMax, isPart }: MirrorRequest): MirroredRows {
	const { agents, projects, subscriptions, turnLeases, nodes, prompts, turns, approvals, waits, mails, runs, events } =
		rows;
	const shown = boards.flatMap((project) => boardIn(rows, project, mirroredDoneMax));
	const ran = [...runs.values()].filter(({ issueId }) => shown.some(({ id }) => id === issueId));
	const open = (agent: AgentId): boolean => threads.includes(agent);
	const said = threads.flatMap((id) => events.filter((event) => event.agent === id && isItem(event)).slice(-itemsMax));
	// as many turns as the items can be of
	const latest = new Set(
		threads.flatMap((id) => [...turns.values()].filter(({ agent }) => agent === id).slice(-itemsMax)),
	);
	const newest = new Set(threads.flatMap((id) => mailsIn(rows, id).slice(-itemsMax)));
	const kept = [...mails.values()].filter((mail) => (mail.deletedAt === null && isUnread(mail)) || newest.has(mail));
	const queued = [...prompts.values()].filter(({ agent }) => open(agent));
	const words = { mails: kept.filter(({ to }) => open(to)), prompts: queued, items: said };
	const named = new Set([...agentsNamedIn({ issues: shown, runs: ran, ...words }), ...agentsAround(rows, threads)]);
	const visible = isPart ? new Set<AgentId>() : visibleIn(rows);
	const all = <V>(table: ReadonlyMap<unknown, V>): V[] => (isPart ? [] : [...table.values()]);
	return {
		last: events.length,
		agents: [...agents.values()].filter(({ id }) => visible.has(id) || named.has(id)),
		...{ projects: all(projects), subscriptions: all(subscriptions), turnLeases: all(turnLeases) },
		nodes: all(nodes).sort((a, b) => (a.id < b.id ? -1 : 1)),
		prompts: [...prompts.values()].flatMap((each) => (open(each.agent) ? each : isPart ? [] : { ...each, text: "" })),
		turns: [...turns.values()].filter((turn) => (turn.state === "open" && !isPart) || latest.has(turn)),
		approvals: all(approvals).filter(({ state }) => state === "pending"),
		waits: all(waits).filter(({ state }) => state === "open"),
		mails: kept.flatMap((mail) => (open(mail.to) ? mail : isPart ? [] : { ...mail, body: "" })),
		issues: shown,
		runs: ran,
		items: said.toSorted((a, b) => a.id - b.id),
	};
}

/** The agents of conversations, those above them, and those whose context they inherited. */
function agentsAround(rows: Rows, threads: readonly AgentId[]): AgentId[] {
	const known = threads.flatMap((id) => rows.agents.get(id) ?? []);
	const lineages = known.flatMap(({ id }) => rangesIn(rows, id).ranges.map(({ agent }) => agent));
	return [...known.flatMap((agent) => pathOf(rows, agent)), ...lineages];
}

/** The agent, and those above it. */
function pathOf({ agents }: Pick<Rows, "agents">, agent: AgentState): AgentId[] {
	const above = agent.supervisor === null ? undefined : agents.get(agent.supervisor);
	return [agent.id, ...(above === undefined ? [] : pathOf({ agents }, above))];
}

/** Those that were not reaped, and whoever is above them. */
const visibleIn = (rows: Rows): Set<AgentId> =>
	new Set([...rows.agents.values()].flatMap((agent) => (agent.reapedAt === null ? pathOf(rows, agent) : [])));
