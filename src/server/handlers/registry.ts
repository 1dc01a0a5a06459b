// The routes of the daemon itself, its projects and its agents.
import type { CommandInput } from "#contract/command.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { agentOf, ProjectSlug } from "#contract/ids.ts";
import { type Paged, pageWhere } from "#contract/page.ts";
import { noProject } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { contractVersion } from "#contract/version.ts";
import type { Agent, Project } from "#contract/wire.ts";
import type { WorkspaceKind } from "#contract/workspace.ts";
import { backUp } from "../backup.ts";
import { Counts, databaseProblems } from "../counts.ts";
import type { Handlers, RequestContext, RouteRequest, ScopedRequest } from "../request-context.ts";

/** What `status` reports about the daemon's process. */
export interface About {
	pid: number;
	url: string;
	remote: string | null;
	version: string;
	home: string;
	containment: ContainmentLevel;
}

/** `rotateToken` returns the file with the new token. */
export function registryHandlers(context: RequestContext, about: About, rotateToken: () => string) {
	const { engine, reads } = context;
	const counts = new Counts(context);
	return {
		status: async () => ({
			...about,
			contract: contractVersion,
			store: engine.storeKind,
			...(await counts.read()),
			problems: [
				...databaseProblems(engine.nodes),
				...engine.degraded.map(({ name, reason }) => ({
					what: name,
					text: `this part of the daemon failed again and again and is tried again every minute: ${reason}`,
					fix: "brood logs --level warn",
				})),
				...(engine.nodes.isSilent ? [] : await engine.problems.again()).map(({ project, text, fix }) => ({
					what: `project ${project}`,
					text: text.replace(`${project}: `, ""),
					fix,
				})),
			],
		}),
		backup: (request) => backUp(context, request),
		tokenRotate: async () => ({ file: rotateToken() }),
		projects: async ({ query, page }) => {
			if (query.check) await engine.problems.lookAtAll();
			return await pageWhere(
				page,
				(part) => reads.listProjects(part),
				async (projects) => projects.map((each) => (each.removedAt === null ? context.project(each) : undefined)),
			);
		},
		project: async ({ params }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project) ? project : context.project(project);
		},
		projectAdd: async (request) => {
			const { slug, path: source, branch } = request.body;
			const opened = await engine.cycle?.workspaces.openProject({
				slug,
				source,
				...(branch !== undefined && { branch }),
				others: (await reads.projects()).filter((other) => other.removedAt === null && other.slug !== slug),
			});
			if (opened !== undefined && isRefusal(opened)) return opened;
			return await changeProject(context, request, { type: "project.add", slug, ...(opened ?? { path: source }) });
		},
		projectRemove: (request) =>
			changeProject(context, request, { type: "project.remove", slug: request.params["project"] ?? "" }),
		agents: (request) => listed(context, request),
		agentsOf: async ({ params, query, ...request }) => {
			const slug = ProjectSlug.safeParse(params["project"]);
			return slug.success
				? await listed(context, { ...request, query: { ...query, project: slug.data } })
				: noProject(params["project"]);
		},
		agent: (request) => context.withAgent(request, (id) => context.agent(id)),
		agentAdd: (request) =>
			context.spawn(request, { by: engine.agentZero.id, context: "fresh", ...spawnParams(request.body) }),
		agentAddTo: (request) =>
			context.spawn(request, {
				by: engine.agentZero.id,
				context: "fresh",
				project: request.params["project"] ?? "",
				...spawnParams(request.body),
			}),
	} satisfies Partial<Handlers>;
}

export interface AgentFilter {
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
	const unknown = project == null ? null : await context.unknownProject(project);
	if (unknown !== null) return unknown;
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
	const place =
		workspace === undefined
			? {}
			: workspace === "none" || workspace === "share"
				? { workspace }
				: { workspace: "new" as const, workspaceKind: workspace };
	return { ...rest, ...place, ...(agentType !== undefined && { agentType }) };
}

async function changeProject(
	context: RequestContext,
	request: ScopedRequest,
	command: CommandInput,
): Promise<Project | Refusal> {
	const done = await context.dispatch(request, command);
	if (isRefusal(done)) return done;
	const { project } = done;
	return project === undefined ? refuse("INTERNAL_ERROR", "No project was answered.") : context.project(project);
}
