// The routes of workspaces: the engine's work cycle over HTTP.

import { type AgentState, noAgent } from "#contract/agent.ts";
import { withoutValues } from "#contract/environment.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import { slicePage } from "#contract/page.ts";
import { noProject, type ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Health } from "#contract/workspace.ts";
import type { DiffExtent } from "#engine/ports/workspace-requests.ts";
import { runGc } from "#engine/upkeep.ts";
import { whyNotUploaded } from "#engine/workspaces/uploading.ts";
import type { WorkCycle } from "#engine/workspaces/work-cycle.ts";
import { snapshotView } from "#views/wire.ts";
import type { Handlers, RequestContext, RouteRequest, ScopedRequest } from "../request-context.ts";

export function workspaceHandlers(context: RequestContext) {
	const on = async <T extends object>(
		request: ScopedRequest,
		work: (cycle: WorkCycle, agent: AgentState) => Promise<T | Refusal>,
	): Promise<T | Refusal> =>
		await context.withAgent(request, async (id) => {
			const caller = agentOf(request.actor);
			if (caller !== null && caller !== id)
				return refuse("FORBIDDEN", "An agent can see and change only its own workspace.", { details: { agent: id } });
			return await withCycle(context, id, work);
		});
	return {
		diff: (request) => on(request, (cycle, agent) => diff(context, cycle, agent, request)),
		commit: (request) => on(request, (cycle, agent) => cycle.commit(agent, request.body, context.requester(request))),
		sync: (request) =>
			on(request, (cycle, agent) => cycle.sync(agent, request.body.strategy, context.requester(request))),
		release: (request) => on(request, (cycle, agent) => cycle.release(agent, context.requester(request))),
		approve: (request) => on(request, (cycle, agent) => cycle.approve(agent, request.body, context.requester(request))),
		health: (request) => on(request, (cycle, agent) => health(context, cycle, agent)),
		snapshots: (request) =>
			on(request, async (cycle, agent) => {
				const all = await cycle.snapshots(agent);
				// git lists all of its refs at once
				return isRefusal(all) ? all : slicePage(all.map(snapshotView), request.page);
			}),
		snapshot: (request) => on(request, (cycle, agent) => snapshotDiff(cycle, agent, request)),
		restore: (request) =>
			on(request, (cycle, agent) => cycle.restore(agent, request.body.snapshot, context.requester(request))),
		syncProject: (request) =>
			inProject(context, request, (cycle, project) => cycle.syncProject(project, context.requester(request))),
		projectSettings: (request) =>
			inProject(context, request, async (cycle, project) => {
				const effective = await cycle.workspaces.settings(project, project.approved);
				const wrong = isRefusal(effective) ? effective : await context.engine.problems.refusal(project);
				if (isRefusal(effective) || wrong !== null)
					return wrong ?? refuse("INTERNAL_ERROR", "The command returned no settings.");
				const row = (await context.reads.project(project.slug)) ?? project;
				const { preset, agentsMax, context: issueContext, agentType, policy } = row;
				const settings = { ...effective.settings, env: withoutValues(effective.settings.env) };
				return { ...effective, settings, issues: { preset, agentsMax, context: issueContext, agentType, policy } };
			}),
		projectApprove: (request) =>
			inProject(context, request, async (cycle, project) => {
				const { slug } = project;
				const effective = await cycle.workspaces.settings(project, project.approved);
				if (isRefusal(effective)) return effective;
				// only what the caller has seen is approved; a retry was checked by the first attempt
				if (effective.fingerprint !== request.body.fingerprint && request.earlier === null)
					return refuse(
						"CONFLICT",
						`The commands that the repository of ${slug} wants to run have changed. Review them again.`,
						{
							suggestions: [`brood project settings ${slug}`],
						},
					);
				const done = await context.dispatch(request, { type: "project.approve", slug, ...request.body });
				if (isRefusal(done)) return done;
				return done.project === undefined ? noProject(slug) : context.project(done.project);
			}),
		warm: (request) =>
			inProject(context, request, async (cycle, project) => {
				const warmed = await cycle.workspaces.warm(project, { approved: project.approved });
				return isRefusal(warmed) ? warmed : { path: warmed.path, commit: warmed.commit, filled: warmed.filled };
			}),
		gc: (request) => inProject(context, request, (cycle, project) => gc(context, cycle, project, request.body)),
	} satisfies Partial<Handlers>;
}

const gc = async ({ reads }: RequestContext, { workspaces }: WorkCycle, project: ProjectState, { dryRun = false }) =>
	await runGc(workspaces, reads, project, dryRun);

/** `base`, `index`, `parent`, or another agent by any of its names. */
async function diff(
	context: RequestContext,
	cycle: WorkCycle,
	agent: AgentState,
	{ query, actor }: RouteRequest<"diff">,
) {
	const { against } = query;
	const what = extentOf(query);
	if (against === "base" || against === "index") return await cycle.diff(agent, against, what);
	const found =
		against === "parent"
			? { id: agent.lineage?.agent ?? agent.supervisor }
			: await context.engine.queries.resolve(against, query.project ?? agent.project);
	if (isRefusal(found)) return found;
	const other = found.id === null ? undefined : await context.reads.agent(found.id);
	if (other === undefined) return refuse("AGENT_NOT_FOUND", `${agent.handle} has no parent.`);
	// an agent may not see uncommitted work of agents that are not below it
	const caller = agentOf(actor);
	if (caller !== null && caller !== other.id && !(await context.reads.above(other.id)).includes(caller))
		return refuse("FORBIDDEN", "An agent can compare its work only with its base, its index and the agents below it.", {
			details: { agent: other.id },
		});
	return await cycle.diff(agent, other, what);
}

const snapshotDiff = (cycle: WorkCycle, agent: AgentState, { params, query }: RouteRequest<"snapshot">) =>
	cycle.showSnapshot(agent, params["snapshot"] ?? "", query.against, extentOf(query));

interface DiffPart {
	path?: string | undefined;
	from?: string | undefined;
	bytesMax?: number | undefined;
}

export const extentOf = ({ path, from, bytesMax }: DiffPart): DiffExtent =>
	path !== undefined ? { path } : { ...(from !== undefined && { from }), ...(bytesMax !== undefined && { bytesMax }) };

export async function withCycle<T extends object>(
	context: RequestContext,
	id: AgentId,
	work: (cycle: WorkCycle, agent: AgentState) => Promise<T | Refusal>,
): Promise<T | Refusal> {
	const agent = await context.reads.agent(id);
	const { cycle } = context.engine;
	if (agent === undefined) return noAgent(id);
	if (cycle === null) return noGit;
	const project = agent.project === null ? undefined : await context.reads.project(agent.project);
	return await explained(context, project, () => work(cycle, agent));
}

export async function inProject<T extends object>(
	context: RequestContext,
	request: { params: Readonly<Record<string, string>> },
	work: (cycle: WorkCycle, project: ProjectState) => Promise<T | Refusal>,
): Promise<T | Refusal> {
	const project = await context.projectNamed(request.params["project"]);
	if (isRefusal(project)) return project;
	const { cycle } = context.engine;
	return cycle === null ? noGit : await explained(context, project, () => work(cycle, project));
}

/** Returns the project's problem if its repository cannot be used; any other fault is thrown on. */
export async function explained<T extends object>(
	context: RequestContext,
	project: ProjectState | undefined,
	work: () => Promise<T | Refusal>,
): Promise<T | Refusal> {
	try {
		return await work();
	} catch (error) {
		const refused = project === undefined ? null : await context.engine.problems.refusal(project);
		if (refused === null) throw error;
		return refused;
	}
}

export const noGit = refuse("VALIDATION_ERROR", "This daemon has no git.");

async function health(
	{ engine, reads }: RequestContext,
	cycle: WorkCycle,
	agent: AgentState,
): Promise<Health | Refusal> {
	const found = await cycle.health(agent);
	if (isRefusal(found)) return found;
	const withoutCredentials = await engine.queries.withoutCredentials(agent);
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	const atSite = project !== undefined && !cycle.sites.isHomeNode(project) ? await engine.problems.look(project) : null;
	const reason = (await whyNotUploaded(engine.moving, agent)) || null;
	const never = agent.notUploaded === null && reason !== null ? { notUploaded: { since: null, reason } } : {};
	const issues = atSite === null ? found.issues : [...found.issues, atSite];
	const all = { healthy: issues.length === 0, issues };
	return { ...withOtherNodes(all, agent), ...never, ...(withoutCredentials.length > 0 && { withoutCredentials }) };
}

/** What other nodes have of the agent's files. */
function withOtherNodes(health: Health, { notUploaded, former }: Pick<AgentState, "notUploaded" | "former">): Health {
	return {
		...health,
		...(notUploaded !== null && {
			notUploaded: { since: new Date(notUploaded.since).toISOString(), reason: notUploaded.reason },
		}),
		...(former.length > 0 && { former: former.map(({ node, trash }) => ({ node, trash })) }),
	};
}
