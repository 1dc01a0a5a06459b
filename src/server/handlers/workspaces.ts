// What is done with workspaces: the engine's work cycle behind the door.

import type { AgentState } from "#contract/agent.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import { noProject } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { collectNow } from "#engine/upkeep.ts";
import type { WorkCycle } from "#engine/work-cycle.ts";
import { snapshotView } from "#views/wire.ts";
import type { Asked, Desk, Handlers } from "../desk.ts";

type OfAgent = "diff" | "commit" | "sync" | "release" | "approve" | "health" | "snapshots" | "snapshot" | "restore";
type OfProject = "syncProject" | "projectSettings" | "projectApprove" | "warm" | "gc";

export function workspaceHandlers(desk: Desk): Handlers<OfAgent | OfProject> {
	const on = async <T extends object>(asked: Asked<OfAgent>, work: (cycle: WorkCycle, agent: AgentState) => Promise<T | Refusal>): Promise<T | Refusal> =>
		await desk.about(asked, async (id) => {
			const caller = agentOf(asked.actor);
			if (caller !== null && caller !== id) return refuse("FORBIDDEN", "An agent sees and changes only its own workspace.", { details: { agent: id } });
			return await withAgent(desk, id, work);
		});
	return {
		diff: (asked) => on(asked, async (cycle, agent) => await diff(desk, cycle, agent, asked)),
		commit: (asked) => on(asked, (cycle, agent) => cycle.commit(agent, asked.body, desk.by(asked))),
		sync: (asked) => on(asked, (cycle, agent) => cycle.sync(agent, asked.body.strategy, desk.by(asked))),
		release: (asked) => on(asked, (cycle, agent) => cycle.release(agent, desk.by(asked))),
		approve: (asked) => on(asked, (cycle, agent) => cycle.approve(agent, asked.body, desk.by(asked))),
		health: (asked) => on(asked, (cycle, agent) => cycle.health(agent)),
		snapshots: (asked) =>
			on(asked, async (cycle, agent) => {
				const all = await cycle.snapshots(agent);
				return isRefusal(all) ? all : all.map(snapshotView);
			}),
		snapshot: (asked) => on(asked, (cycle, agent) => cycle.showSnapshot(agent, asked.params["snapshot"] ?? "")),
		restore: (asked) => on(asked, (cycle, agent) => cycle.restore(agent, asked.body.snapshot, desk.by(asked))),
		syncProject: (asked) => inProject(desk, asked, (cycle, { slug }) => cycle.syncProject(slug, desk.by(asked))),
		projectSettings: (asked) =>
			inProject(desk, asked, async (cycle, project) => {
				const force = await cycle.workspaces.settings(project, project.approved);
				const wrong = isRefusal(force) ? force : await desk.engine.troubles.refusal(project);
				if (isRefusal(force) || wrong !== null) return wrong ?? refuse("INTERNAL_ERROR", "No settings were answered.");
				const { preset, agentsMax, context, agentType } = (await desk.reads.project(project.slug)) ?? project;
				return { ...force, issues: { preset, agentsMax, context, agentType } };
			}),
		projectApprove: (asked) =>
			inProject(desk, asked, async (cycle, project) => {
				const { slug } = project;
				const force = await cycle.workspaces.settings(project, project.approved);
				if (isRefusal(force)) return force;
				// exactly what somebody has seen: what is there now must still be that, unless it was approved then
				if (force.fingerprint !== asked.body.fingerprint && asked.earlier === null)
					return refuse("CONFLICT", `This is not what the repository of ${slug} wants to run now.`, { suggestions: [`brood project settings ${slug}`] });
				const outcome = await desk.say(asked, { type: "project.approve", slug, ...asked.body });
				if ("refused" in outcome) return outcome.refused;
				return outcome.done.project === undefined ? noProject(slug) : desk.project(outcome.done.project);
			}),
		warm: (asked) =>
			inProject(desk, asked, async (cycle, project) => {
				const warmed = await cycle.workspaces.warm(project, { approved: project.approved });
				return isRefusal(warmed) ? warmed : { path: warmed.path, commit: warmed.commit, filled: warmed.filled };
			}),
		gc: (asked) => inProject(desk, asked, async (cycle, project) => await collectNow(cycle.workspaces, desk.reads, project, asked.body.dryRun)),
	};
}

/** `base`, `index`, `parent`, or another agent by any of its names. */
async function diff(desk: Desk, cycle: WorkCycle, agent: AgentState, { query, actor }: Asked<"diff">) {
	const { against } = query;
	if (against === "base" || against === "index") return await cycle.diff(agent, against);
	const meant = against === "parent" ? { id: agent.lineage?.agent ?? agent.supervisor } : await desk.engine.resolve(against, query.project ?? agent.project);
	if (isRefusal(meant)) return meant;
	const other = meant.id === null ? undefined : await desk.reads.agent(meant.id);
	if (other === undefined) return refuse("AGENT_NOT_FOUND", `${agent.handle} has no parent.`);
	// what others have not committed is theirs; `parent` is for people
	const caller = agentOf(actor);
	if (caller !== null && caller !== other.id && !(await desk.reads.above(other.id)).includes(caller))
		return refuse("FORBIDDEN", "An agent compares its work only with its base, its index and the agents below it.", { details: { agent: other.id } });
	return await cycle.diff(agent, other);
}

async function withAgent<T extends object>(desk: Desk, id: AgentId, work: (cycle: WorkCycle, agent: AgentState) => Promise<T | Refusal>): Promise<T | Refusal> {
	const agent = await desk.reads.agent(id);
	const { cycle } = desk.engine;
	if (agent === undefined) return refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`, { suggestions: ["brood agent list"] });
	if (cycle === null) return noGit;
	const project = agent.project === null ? undefined : await desk.reads.project(agent.project);
	return await explained(desk, project, () => work(cycle, agent));
}

async function inProject<T extends object>(
	desk: Desk,
	asked: { params: Readonly<Record<string, string>> },
	work: (cycle: WorkCycle, project: ProjectState) => Promise<T | Refusal>,
): Promise<T | Refusal> {
	const project = await desk.projectNamed(asked.params["project"]);
	if (isRefusal(project)) return project;
	const { cycle } = desk.engine;
	return cycle === null ? noGit : await explained(desk, project, () => work(cycle, project));
}

/** A fault is the project's if its repository cannot be used: then that is the answer. */
async function explained<T extends object>(desk: Desk, project: ProjectState | undefined, work: () => Promise<T | Refusal>): Promise<T | Refusal> {
	try {
		return await work();
	} catch (error) {
		const refused = project === undefined ? null : await desk.engine.troubles.refusal(project);
		if (refused === null) throw error;
		return refused;
	}
}

const noGit = refuse("VALIDATION_ERROR", "This daemon has no git.");
