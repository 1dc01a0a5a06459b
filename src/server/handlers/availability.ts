// Which agents are free to work, and why the others are not.
import type { AgentState } from "#contract/agent.ts";
import { type Paged, pageWhere } from "#contract/page.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Agent, Availability } from "#contract/wire.ts";
import { filesProblems } from "#engine/workspaces/files-problems.ts";
import { availabilityView } from "#views/wire.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";
import { hasTypeAndModel } from "./agents.ts";

export function availabilityHandlers(context: RequestContext) {
	return {
		agentsAvailable: (request) => available(context, request),
		availability: (request) => availability(context, request),
	} satisfies Partial<Handlers>;
}

async function available(
	context: RequestContext,
	{ query, page }: Pick<RouteRequest<"agentsAvailable">, "query" | "page">,
): Promise<Paged<Agent>> {
	const { engine, reads } = context;
	const capacity = await engine.scheduler.capacity();
	const { data, next } = await pageWhere(
		page,
		(part) => reads.listAgents({ reaped: false, ...(query.project && { project: query.project }) }, part),
		async (agents) => {
			const fit = agents.filter((agent) => hasTypeAndModel(agent, query));
			const why = await engine.scheduler.whyNotFree(fit, capacity);
			const ready = fit.filter((agent) => why.get(agent) === null);
			const problems = await filesProblems(engine.issueWork, ready, engine.log);
			const free = new Set(ready.filter(({ id }) => !problems.has(id)));
			return agents.map((agent) => (free.has(agent) ? agent : undefined));
		},
	);
	return { data: await context.agents(data), next };
}

/** All living agents, free ones too. */
async function availability(
	context: RequestContext,
	{ query, page }: Pick<RouteRequest<"availability">, "query" | "page">,
): Promise<Paged<Availability>> {
	const { engine, reads } = context;
	const why = new Map<AgentState, { reason: string; until: number | null } | null>();
	const capacity = await engine.scheduler.capacity();
	const { data, next } = await pageWhere(
		page,
		(part) => reads.listAgents({ reaped: false, ...(query.project && { project: query.project }) }, part),
		async (agents) => {
			const found = await engine.scheduler.whyNotFree(
				agents.filter((agent) => hasTypeAndModel(agent, query)),
				capacity,
			);
			for (const [agent, each] of found) why.set(agent, each);
			return agents.map((agent) => (found.has(agent) ? agent : undefined));
		},
	);
	const ready = data.filter((agent) => why.get(agent) === null);
	const problems = await filesProblems(engine.issueWork, ready, engine.log);
	const shown = await context.agents(data);
	return {
		data: shown.map((agent, at) => {
			const state = data[at];
			const problem = problems.get(agent.id);
			const ofFiles = problem === undefined ? null : { reason: reasonOf(problem), until: null };
			return availabilityView(agent, (state && why.get(state)) ?? ofFiles);
		}),
		next,
	};
}

/** A refusal for uncommitted changes lists them. */
const reasonOf = ({ code, message }: Refusal): string =>
	code === "WORKTREE_DIRTY" ? "changes that are not committed" : message;
