// The routes of tokens and cost.
import { type AgentState, noAgent } from "#contract/agent.ts";
import { type Paged, type PageRequest, pagedWith, pageWhere, slicePage } from "#contract/page.ts";
import type { UsageRow } from "#contract/routes/usage.ts";
import { agentUsage, issueUsage, projectUsage, subscriptionUsage } from "#views/usage.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";

export function usageHandlers(context: RequestContext): Pick<Handlers, "usage" | "agentUsage"> {
	const { reads } = context;
	return {
		usage: ({ query, page }) => usageBy(context, query, page),
		agentUsage: (request) =>
			context.withAgent(request, async (id) => {
				const [row] = await usageOf(context, await reads.agentsWith([id]));
				return row ?? noAgent(id);
			}),
	};
}

async function usageBy(
	context: RequestContext,
	{ by, project, since }: RouteRequest<"usage">["query"],
	page: PageRequest,
): Promise<Paged<UsageRow>> {
	const { engine, reads } = context;
	if (since !== undefined)
		return slicePage(await engine.queries.usageSince({ by, project, since: Date.parse(since) }), page);
	if (by === "subscription") return pagedWith(await reads.listSubscriptions(page), subscriptionUsage);
	if (by === "issue") return pagedWith(await reads.listIssues(project, page), issueUsage);
	if (by === "project")
		return await pageWhere(
			page,
			(part) => reads.listProjectSpending(part),
			async (rows) =>
				rows.map((row) => (project === undefined || row.project === project ? projectUsage(row) : undefined)),
		);
	return await pageWhere(
		page,
		(part) => reads.listAgents({ reaped: true, ...(project !== undefined && { project }) }, part),
		(agents) => usageOf(context, agents),
	);
}

async function usageOf({ reads }: RequestContext, agents: readonly AgentState[]): Promise<UsageRow[]> {
	const forks = Map.groupBy(await reads.spentByForks(agents.map(({ id }) => id)), ({ agent }) => agent);
	return agents.map((agent) =>
		agentUsage(
			agent,
			(forks.get(agent.id) ?? []).map(({ spent }) => spent),
		),
	);
}
