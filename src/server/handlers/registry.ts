// The daemon itself, its projects and its agents.

import type { ContainmentLevel } from "#contract/config.ts";
import { type Actor, type AgentId, agentOf, ProjectSlug } from "#contract/ids.ts";
import { noProject } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Phase } from "#contract/turn.ts";
import { contractVersion } from "#contract/version.ts";
import type { Agent } from "#contract/wire.ts";
import type { WorkspaceKind } from "#contract/workspace.ts";
import type { Counts, Outcome } from "#engine/ports.ts";
import type { Outlook } from "#engine/scheduling.ts";
import { agentView, type Beside } from "#views/wire.ts";
import { backUp } from "../backup.ts";
import type { Desk, Handlers } from "../desk.ts";

/** What `status` says beside what the engine knows. */
export interface About {
	pid: number;
	url: string;
	version: string;
	home: string;
	containment: ContainmentLevel;
}

type Names =
	| "status"
	| "backup"
	| "tokenRotate"
	| "projects"
	| "project"
	| "projectAdd"
	| "projectRemove"
	| "agents"
	| "agentsOf"
	| "agent"
	| "agentAdd"
	| "agentAddTo";

/** `rotateToken` answers with the file that has the new one. */
export function registryHandlers(desk: Desk, about: About, rotateToken: () => string): Handlers<Names> {
	const { engine, reads } = desk;
	return {
		status: async () => ({
			...about,
			contract: contractVersion,
			store: engine.storeKind,
			agents: await reads.livingAgents(),
			turns: (await reads.openTurns()).length,
			lastEvent: await reads.lastEvent(),
			troubles: [
				...engine.degraded.map(({ name, reason }) => ({
					what: name,
					text: `this part of the daemon failed again and again and is tried again every minute: ${reason}`,
					fix: "brood logs --level warn",
				})),
				...(await engine.troubles.again()).map(({ project, text, fix }) => ({ what: `project ${project}`, text: text.replace(`${project}: `, ""), fix })),
			],
		}),
		backup: (asked) => backUp(desk, asked),
		tokenRotate: async () => ({ file: rotateToken() }),
		projects: async ({ query }) => {
			if (query.check) await engine.troubles.lookAtAll();
			return (await reads.projects()).filter((project) => project.removedAt === null).map((project) => desk.project(project));
		},
		project: async ({ params }) => {
			const project = await desk.projectNamed(params["project"]);
			return isRefusal(project) ? project : desk.project(project);
		},
		projectAdd: async (asked) => {
			const { slug, path: source, branch } = asked.body;
			const opened = await engine.cycle?.workspaces.openProject({ slug, source, ...(branch !== undefined && { branch }) });
			if (opened !== undefined && isRefusal(opened)) return opened;
			return projectOf(desk, await desk.say(asked, { type: "project.add", slug, ...(opened ?? { path: source }) }));
		},
		projectRemove: async (asked) => projectOf(desk, await desk.say(asked, { type: "project.remove", slug: asked.params["project"] ?? "" })),
		agents: ({ query, actor }) => listed(desk, query, actor),
		agentsOf: async ({ params, query, actor }) => {
			const slug = ProjectSlug.safeParse(params["project"]);
			return slug.success ? await listed(desk, { ...query, project: slug.data }, actor) : noProject(params["project"]);
		},
		agent: (asked) => desk.about(asked, (id) => desk.agent(id)),
		agentAdd: (asked) => desk.spawned(asked, { by: engine.agentZero.id, context: "fresh", ...wish(asked.body) }),
		agentAddTo: (asked) => desk.spawned(asked, { by: engine.agentZero.id, context: "fresh", project: asked.params["project"] ?? "", ...wish(asked.body) }),
	};
}

async function listed(desk: Desk, query: { project?: ProjectSlug | undefined; reaped: boolean }, actor: Actor): Promise<Agent[] | Refusal> {
	const { engine, reads } = desk;
	const caller = agentOf(actor);
	// an agent sees the agents of its own project
	const home = caller === null ? undefined : ((await reads.agent(caller))?.project ?? null);
	const project = caller === null ? query.project : (home ?? undefined);
	const unknown = project === undefined ? null : await desk.unknownProject(project);
	if (unknown !== null) return unknown;
	const counts = await reads.counts();
	const phases = await engine.phases();
	const own = caller !== null && project === undefined;
	const all = (await reads.agents(project === undefined ? {} : { project })).filter((agent) => !own || agent.project === null);
	const outlooks = await engine.scheduler.outlooks(all, counts);
	const shown = all.filter((agent) => (query.reaped || agent.reapedAt === null) && (home === undefined || agent.project === home));
	return shown.map((agent) => agentView(agent, beside(agent.id, counts, phases, outlooks)));
}

function beside(id: AgentId, counts: ReadonlyMap<AgentId, Counts>, phases: ReadonlyMap<AgentId, Phase>, outlooks: ReadonlyMap<AgentId, Outlook>): Beside {
	return { queueLength: 0, unreadMail: 0, ...counts.get(id), phase: phases.get(id) ?? "model", outlook: outlooks.get(id) };
}

interface Wish {
	type?: string | undefined;
	agentType?: string | undefined;
	workspace?: "none" | "share" | WorkspaceKind | undefined;
}

/** `type` is another name for `agentType`; a kind of workspace asks for one of its own. */
export function wish<W extends Wish>({ type, agentType = type, workspace, ...rest }: W) {
	const place =
		workspace === undefined ? {} : workspace === "none" || workspace === "share" ? { workspace } : { workspace: "new" as const, workspaceKind: workspace };
	return { ...rest, ...place, ...(agentType !== undefined && { agentType }) };
}

function projectOf(desk: Desk, outcome: Outcome) {
	if ("refused" in outcome) return outcome.refused;
	const { project } = outcome.done;
	return project === undefined ? refuse("INTERNAL_ERROR", "No project was answered.") : desk.project(project);
}
