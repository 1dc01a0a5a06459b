// The routes of workspaces: the engine's work cycle over HTTP.

import type { AgentState } from "#contract/agent.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import { noProject } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { runGc } from "#engine/upkeep.ts";
import type { WorkCycle } from "#engine/workspaces/work-cycle.ts";
import { snapshotView } from "#views/wire.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";

type OfAgent = "diff" | "commit" | "sync" | "release" | "approve" | "health" | "snapshots" | "snapshot" | "restore";
type OfProject = "syncProject" | "projectSettings" | "projectApprove" | "warm" | "gc";

export function workspaceHandlers(context: RequestContext): Handlers<OfAgent | OfProject> {
	const on = async <T extends object>(
		asked: RouteRequest<OfAgent>,
		work: (cycle: WorkCycle, agent: AgentState) => Promise<T | Refusal>,
	): Promise<T | Refusal> =>
		await context.about(asked, async (id) => {
			const caller = agentOf(asked.actor);
			if (caller !== null && caller !== id)
				return refuse("FORBIDDEN", "An agent sees and changes only its own workspace.", { details: { agent: id } });
			return await withAgent(context, id, work);
		});
	return {
		diff: (asked) => on(asked, async (cycle, agent) => await diff(context, cycle, agent, asked)),
		commit: (asked) => on(asked, (cycle, agent) => cycle.commit(agent, asked.body, context.by(asked))),
		sync: (asked) => on(asked, (cycle, agent) => cycle.sync(agent, asked.body.strategy, context.by(asked))),
		release: (asked) => on(asked, (cycle, agent) => cycle.release(agent, context.by(asked))),
		approve: (asked) => on(asked, (cycle, agent) => cycle.approve(agent, asked.body, context.by(asked))),
		health: (asked) => on(asked, (cycle, agent) => cycle.health(agent)),
		snapshots: (asked) =>
			on(asked, async (cycle, agent) => {
				const all = await cycle.snapshots(agent);
				return isRefusal(all) ? all : all.map(snapshotView);
			}),
		snapshot: (asked) => on(asked, (cycle, agent) => cycle.showSnapshot(agent, asked.params["snapshot"] ?? "")),
		restore: (asked) => on(asked, (cycle, agent) => cycle.restore(agent, asked.body.snapshot, context.by(asked))),
		syncProject: (asked) => inProject(context, asked, (cycle, { slug }) => cycle.syncProject(slug, context.by(asked))),
		projectSettings: (asked) =>
			inProject(context, asked, async (cycle, project) => {
				const effective = await cycle.workspaces.settings(project, project.approved);
				const wrong = isRefusal(effective) ? effective : await context.engine.problems.refusal(project);
				if (isRefusal(effective) || wrong !== null)
					return wrong ?? refuse("INTERNAL_ERROR", "No settings were answered.");
				const {
					preset,
					agentsMax,
					context: issueContext,
					agentType,
				} = (await context.reads.project(project.slug)) ?? project;
				return { ...effective, issues: { preset, agentsMax, context: issueContext, agentType } };
			}),
		projectApprove: (asked) =>
			inProject(context, asked, async (cycle, project) => {
				const { slug } = project;
				const effective = await cycle.workspaces.settings(project, project.approved);
				if (isRefusal(effective)) return effective;
				// exactly what somebody has seen: what is there now must still be that, unless it was approved then
				if (effective.fingerprint !== asked.body.fingerprint && asked.earlier === null)
					return refuse("CONFLICT", `This is not what the repository of ${slug} wants to run now.`, {
						suggestions: [`brood project settings ${slug}`],
					});
				const outcome = await context.say(asked, { type: "project.approve", slug, ...asked.body });
				if ("refused" in outcome) return outcome.refused;
				return outcome.done.project === undefined ? noProject(slug) : context.project(outcome.done.project);
			}),
		warm: (asked) =>
			inProject(context, asked, async (cycle, project) => {
				const warmed = await cycle.workspaces.warm(project, { approved: project.approved });
				return isRefusal(warmed) ? warmed : { path: warmed.path, commit: warmed.commit, filled: warmed.filled };
			}),
		gc: (asked) =>
			inProject(
				context,
				asked,
				async (cycle, project) => await runGc(cycle.workspaces, context.reads, project, asked.body.dryRun),
			),
	};
}

/** `base`, `index`, `parent`, or another agent by any of its names. */
async function diff(
	context: RequestContext,
	cycle: WorkCycle,
	agent: AgentState,
	{ query, actor }: RouteRequest<"diff">,
) {
	const { against } = query;
	if (against === "base" || against === "index") return await cycle.diff(agent, against);
	const meant =
		against === "parent"
			? { id: agent.lineage?.agent ?? agent.supervisor }
			: await context.engine.resolve(against, query.project ?? agent.project);
	if (isRefusal(meant)) return meant;
	const other = meant.id === null ? undefined : await context.reads.agent(meant.id);
	if (other === undefined) return refuse("AGENT_NOT_FOUND", `${agent.handle} has no parent.`);
	// what others have not committed is theirs; `parent` is for people
	const caller = agentOf(actor);
	if (caller !== null && caller !== other.id && !(await context.reads.above(other.id)).includes(caller))
		return refuse("FORBIDDEN", "An agent compares its work only with its base, its index and the agents below it.", {
			details: { agent: other.id },
		});
	return await cycle.diff(agent, other);
}

async function withAgent<T extends object>(
	context: RequestContext,
	id: AgentId,
	work: (cycle: WorkCycle, agent: AgentState) => Promise<T | Refusal>,
): Promise<T | Refusal> {
	const agent = await context.reads.agent(id);
	const { cycle } = context.engine;
	if (agent === undefined)
		return refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`, { suggestions: ["brood agent list"] });
	if (cycle === null) return noGit;
	const project = agent.project === null ? undefined : await context.reads.project(agent.project);
	return await explained(context, project, () => work(cycle, agent));
}

async function inProject<T extends object>(
	context: RequestContext,
	asked: { params: Readonly<Record<string, string>> },
	work: (cycle: WorkCycle, project: ProjectState) => Promise<T | Refusal>,
): Promise<T | Refusal> {
	const project = await context.projectNamed(asked.params["project"]);
	if (isRefusal(project)) return project;
	const { cycle } = context.engine;
	return cycle === null ? noGit : await explained(context, project, () => work(cycle, project));
}

/** A fault is the project's if its repository cannot be used: then that is the answer. */
async function explained<T extends object>(
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

const noGit = refuse("VALIDATION_ERROR", "This daemon has no git.");
