// Usage of a period: added up from the reports in the journal, since the rows have only totals. It costs what was
// reported in the period, however long the journal is and however many agents there were.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { UsageRow } from "#contract/routes/usage.ts";
import { nothingSpent, type Spent } from "#contract/usage.ts";
import { usedIn } from "#domain/fold/used.ts";
import { withSpent } from "#domain/usage.ts";
import { periodUsage } from "#views/usage.ts";
import type { Reads } from "./ports/store.ts";

export interface UsageWanted {
	by: "agent" | "issue" | "subscription" | "project";
	project: ProjectSlug | undefined;
	since: number;
}

type Group = Pick<UsageRow, "name"> & Partial<Pick<UsageRow, "agent" | "project">>;

/** The largest first. */
export async function usageSince(reads: Reads, wanted: UsageWanted): Promise<UsageRow[]> {
	const agents = new Map<AgentId, AgentState>();
	const groups = new Map<string, { group: Group; spent: Spent }>();
	for await (const events of reports(reads, wanted.since)) {
		const unknown = new Set(events.flatMap(({ agent }) => (agent === null || agents.has(agent) ? [] : agent)));
		for (const agent of await reads.agentsWith([...unknown])) agents.set(agent.id, agent);
		const reported = events.flatMap((event) => {
			const used = event.turn === null ? null : usedIn({ turn: event.turn, data: event.data });
			const agent = event.agent === null ? undefined : agents.get(event.agent);
			const isWanted = agent !== undefined && (wanted.project === undefined || agent.project === wanted.project);
			return used === null || !isWanted ? [] : { agent, used };
		});
		const groupOf = await grouping(reads, wanted.by, reported);
		for (const { agent, used } of reported) {
			const group = groupOf(agent, used);
			if (group === null) continue;
			const key = `${group.project ?? ""} ${group.name}`;
			groups.set(key, { group, spent: withSpent(groups.get(key)?.spent ?? nothingSpent, used.usage) });
		}
	}
	return [...groups.values()]
		.map(({ group: { name, ...of }, spent }) => periodUsage(name, of, spent))
		.toSorted((a, b) => b.tokens - a.tokens);
}

type Used = NonNullable<ReturnType<typeof usedIn>>;

/** Null for what belongs to no group: a turn without a subscription, or outside of issues. */
async function grouping(
	reads: Reads,
	by: UsageWanted["by"],
	reported: readonly { used: Used }[],
): Promise<(agent: AgentState, used: Used) => Group | null> {
	if (by === "agent") return ({ id, handle, project: its }) => ({ name: handle, agent: id, project: its });
	if (by === "project") return ({ project: its }) => ({ name: its ?? "-", project: its });
	if (by === "subscription") return (_, { subscription }) => (subscription === null ? null : { name: subscription });
	const runs = await reads.runsOfTurns([...new Set(reported.map(({ used }) => used.turn))]);
	const issues = await reads.issuesWith([...new Set(runs.map(({ issueId }) => issueId))]);
	const byId = new Map(issues.map((issue) => [issue.id, issue]));
	const byTurn = new Map(runs.map((run) => [run.turn, byId.get(run.issueId)]));
	return (_, { turn }) => {
		const issue = byTurn.get(turn);
		return issue === undefined ? null : { name: String(issue.number), project: issue.project };
	};
}

/** so many are read at once: nobody else waits for long */
const reportsAtOnce = 1000;

async function* reports(reads: Reads, since: number): AsyncGenerator<Event[]> {
	for (let after = { at: since, id: 0 }; ; ) {
		const events = await reads.usageReports(after, reportsAtOnce);
		yield events;
		const last = events.at(-1);
		if (last === undefined || events.length < reportsAtOnce) return;
		after = { at: last.at, id: last.id };
	}
}
