// The routes that list, show and add agents.
import { agentOf, ProjectSlug } from "#contract/ids.ts";
import { type Paged, pageWhere } from "#contract/page.ts";
import { noProject } from "#contract/project.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Agent } from "#contract/wire.ts";
import type { WorkspaceKind } from "#contract/workspace.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";

export function agentHandlers(context: RequestContext) {
	const { engine } = context;
	return {
		agents: (request) => listed(context, request),
		agentsOf: async ({ params, query, ...request }) => {
			const slug = ProjectSlug.safeParse(params["project"]);
			if (!slug.success) return noProject(params["project"]);
			const unknown = await context.unknownProject(slug.data);
			return unknown ?? (await listed(context, { ...request, query: { ...query, project: slug.data } }));
		},
		agent: (request) => context.withAgent(request, (id) => context.agent(id)),
		agentAdd: (request) =>
			context.spawn(request, { parent: engine.agentZero.id, context: "fresh", ...spawnParams(request.body) }),
		agentAddTo: (request) =>
			context.spawn(request, {
				parent: engine.agentZero.id,
				context: "fresh",
				project: request.params["project"] ?? "",
				...spawnParams(request.body),
			}),
	} satisfies Partial<Handlers>;
}

interface AgentFilter {
	type?: string | undefined;
	model?: string | undefined;
}

export const hasTypeAndModel = (agent: Pick<Agent, "type" | "model">, { type, model }: AgentFilter): boolean =>
	(type === undefined || agent.type === type) && (model === undefined || agent.model === model);

async function listed(
	context: RequestContext,
	{ query, actor, page }: Pick<RouteRequest<"agents">, "query" | "actor" | "page">,
): Promise<Paged<Agent> | Refusal> {
	const { reads } = context;
	const caller = agentOf(actor);
	// an agent sees the agents of its own project
	const project = caller === null ? query.project : ((await reads.agent(caller))?.project ?? null);
	const { data, next } = await pageWhere(
		page,
		(part) => reads.listAgents({ reaped: query.reaped, ...(project !== undefined && { project }) }, part),
		async (agents) => agents.map((agent) => (hasTypeAndModel(agent, query) ? agent : undefined)),
	);
	return { data: await context.agents(data), next };
}

interface SpawnInput {
	type?: string | undefined;
	agentType?: string | undefined;
	workspace?: "none" | "share" | WorkspaceKind | undefined;
}

/** `type` is another name for `agentType`; a kind of workspace stands for a new one of that kind. */
export function spawnParams<W extends SpawnInput>({ type, agentType = type, workspace, ...rest }: W) {
	const files =
		workspace === undefined
			? {}
			: workspace === "none" || workspace === "share"
				? { workspace }
				: { workspace: "new" as const, workspaceKind: workspace };
	return { ...rest, ...files, ...(agentType !== undefined && { agentType }) };
}
