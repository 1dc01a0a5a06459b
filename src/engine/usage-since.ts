// Usage of a period: added up from the reports in the journal, since the rows have only totals.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { UsageRow } from "#contract/routes/usage.ts";
import { nothingSpent, type Spent } from "#contract/usage.ts";
import { usedIn } from "#domain/fold/used.ts";
import { withSpent } from "#domain/usage.ts";
import { periodUsage } from "#views/usage.ts";
import type { Reads } from "./ports/store.ts";

interface Wanted {
	by: "agent" | "issue" | "subscription" | "project";
	project: ProjectSlug | undefined;
	since: number;
}

type Group = Pick<UsageRow, "name"> & Partial<Pick<UsageRow, "agent" | "project">>;

/** The largest first. */
export async function usageSince(reads: Reads, wanted: Wanted): Promise<UsageRow[]> {
	const agents = new Map((await reads.agents()).map((agent) => [agent.id, agent]));
	const groupOf = await grouping(reads, wanted);
	const groups = new Map<string, { group: Group; spent: Spent }>();
	for await (const event of reports(reads, wanted.since)) {
		const used = event.turn === null ? null : usedIn({ turn: event.turn, data: event.data });
		const agent = event.agent === null ? undefined : agents.get(event.agent);
		const isWanted = agent !== undefined && (wanted.project === undefined || agent.project === wanted.project);
		const group = used === null || !isWanted ? null : groupOf(agent, used);
		if (used === null || group === null) continue;
		const key = `${group.project ?? ""} ${group.name}`;
		groups.set(key, { group, spent: withSpent(groups.get(key)?.spent ?? nothingSpent, used.usage) });
	}
	return [...groups.values()]
		.map(({ group: { name, ...of }, spent }) => periodUsage(name, of, spent))
		.toSorted((a, b) => b.tokens - a.tokens);
}

type Used = NonNullable<ReturnType<typeof usedIn>>;

/** Null for what belongs to no group: a turn without a subscription, or outside of issues. */
async function grouping(
	reads: Reads,
	{ by, project }: Wanted,
): Promise<(agent: AgentState, used: Used) => Group | null> {
	if (by === "agent") return ({ id, handle, project: its }) => ({ name: handle, agent: id, project: its });
	if (by === "project") return ({ project: its }) => ({ name: its ?? "-", project: its });
	if (by === "subscription") return (_, { subscription }) => (subscription === null ? null : { name: subscription });
	const issues = await reads.issues(project);
	const byId = new Map(issues.map((issue) => [issue.id, issue]));
	const runs = await reads.runsOf(issues.map(({ id }) => id));
	const byTurn = new Map(runs.map((run) => [run.turn, byId.get(run.issue)]));
	return (_, { turn }) => {
		const issue = byTurn.get(turn);
		return issue === undefined ? null : { name: String(issue.number), project: issue.project };
	};
}

/** the most ids that one query of the journal scans: a long journal keeps nobody waiting */
const windowIds = 20_000;

async function* reports(reads: Reads, since: number): AsyncGenerator<Event> {
	const last = await reads.lastEvent();
	for (let after = 0; after < last; after += windowIds) {
		const upTo = Math.min(last, after + windowIds);
		yield* await reads.events({ after, upTo, limit: windowIds, kinds: ["usage"], since });
	}
}
