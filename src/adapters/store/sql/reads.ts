// The store's questions, on either database.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import type { Reads } from "#engine/ports.ts";
import type { Connection } from "./connection.ts";
import * as queries from "./queries.ts";
import { agentFrom, eventFrom, projectFrom } from "./rows.ts";

export class SqlReads implements Reads {
	protected readonly connection: Connection;

	constructor(connection: Connection) {
		this.connection = connection;
	}

	async agent(id: AgentId): Promise<AgentState | undefined> {
		return (await this.connection.all(queries.agentById, { id })).map(agentFrom)[0];
	}

	async agentByHandle(project: ProjectSlug | null, handle: Handle): Promise<AgentState | undefined> {
		return (await this.connection.all(queries.agentByHandle, { project: project ?? "", handle })).map(agentFrom)[0];
	}

	async agentsNamed(reference: string): Promise<AgentState[]> {
		// no id has a "~", which sorts behind every character of one
		const args = { handle: reference, tail: reference.slice(reference.indexOf("/") + 1), from: reference, upTo: `${reference}~` };
		return (await this.connection.all(queries.agentsNamed, args)).map(agentFrom);
	}

	async agents(filter: { project?: ProjectSlug; life?: AgentState["life"] } = {}): Promise<AgentState[]> {
		const { project, life } = filter;
		const rows =
			life === "provisioning"
				? await this.connection.all(queries.agentsBeingProvisioned, {})
				: project === undefined
					? await this.connection.all(queries.allAgents, {})
					: await this.connection.all(queries.agentsOfProject, { project });
		const wanted = (agent: AgentState): boolean => (project === undefined || agent.project === project) && (life === undefined || agent.life === life);
		return rows.map(agentFrom).filter(wanted);
	}

	async children(supervisor: AgentId): Promise<AgentState[]> {
		return (await this.connection.all(queries.livingChildren, { supervisor })).map(agentFrom);
	}

	async descendants(supervisor: AgentId): Promise<AgentState[]> {
		return (await this.connection.all(queries.livingDescendants, { supervisor })).map(agentFrom);
	}

	async above(id: AgentId): Promise<AgentId[]> {
		const rows = await this.connection.all(queries.agentsAbove, { id });
		return rows.flatMap((row) => row.supervisor ?? []);
	}

	async project(slug: ProjectSlug): Promise<ProjectState | undefined> {
		return (await this.connection.all(queries.projectBySlug, { slug })).map(projectFrom)[0];
	}

	async projects(): Promise<ProjectState[]> {
		return (await this.connection.all(queries.allProjects, {})).map(projectFrom);
	}

	async lastItem(agent: AgentId): Promise<number> {
		return (await this.connection.all(queries.lastItem, { agent }))[0]?.id ?? 0;
	}

	async events({ after, limit, agent }: { after: number; limit: number; agent?: AgentId }): Promise<Event[]> {
		const rows =
			agent === undefined
				? await this.connection.all(queries.eventsAfter, { after, limit })
				: await this.connection.all(queries.eventsOfAgentAfter, { agent, after, limit });
		return rows.map(eventFrom);
	}
}
