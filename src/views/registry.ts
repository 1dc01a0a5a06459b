// The registry as a reader of the event stream sees it: every agent and project, folded from the journal.
// The store keeps the same rows; folding all events gives exactly them, and a test holds that true.
import { AgentOrTurnFact, type AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { ProjectFact, type ProjectState } from "#contract/project.ts";
import { evolveAgent } from "#domain/agent/evolve.ts";
import { evolveProject } from "#domain/project.ts";

export interface Registry {
	readonly agents: ReadonlyMap<AgentId, AgentState>;
	readonly projects: ReadonlyMap<ProjectSlug, ProjectState>;
}

export const emptyRegistry: Registry = { agents: new Map(), projects: new Map() };

/** Events of other nouns, items and kinds that this version does not know leave the registry as it is. */
export function foldRegistry(registry: Registry, event: Event): Registry {
	const { id, agent, actor, at } = event;
	if (agent !== null) {
		// what was used counts as a turn's only
		if (event.kind === "usage" && event.turn === null) return registry;
		const fact = AgentOrTurnFact.safeParse(event);
		if (!fact.success) return registry;
		const evolved = evolveAgent(registry.agents.get(agent), { ...fact.data, id, agent, actor, at });
		return { ...registry, agents: new Map(registry.agents).set(agent, evolved) };
	}
	const fact = ProjectFact.safeParse(event);
	if (!fact.success) return registry;
	const { slug } = fact.data.data;
	const evolved = evolveProject(registry.projects.get(slug), { ...fact.data, id, actor, at });
	return { ...registry, projects: new Map(registry.projects).set(slug, evolved) };
}
