// The one way to make an agent.
import type { AgentSpawn, AgentState, Lineage } from "#contract/agent.ts";
import { type Actor, type AgentId, agentOf, type Handle, initHandle } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import { refuse } from "#contract/refusal.ts";
import type { Decision } from "../decision.ts";
import { refusedNow } from "./transitions.ts";

/** What a spawn has to know before it decides. */
export interface SpawnSight {
	parent: AgentState;
	/** the parent itself, or the nearest living agent above it */
	supervisor: AgentState;
	/** where the parent's context ends now; only looked at when the child inherits it */
	forkPoint: Lineage["forkPoint"];
	/** of the child's project; undefined if there is no such project */
	project: ProjectState | null | undefined;
	/** the first wished-for handle that nobody ever had, if any */
	handle: Handle | undefined;
	/** the agent whose family is full, if one is */
	full: { agent: AgentState; limit: number } | null;
}

export function decideSpawn(seen: SpawnSight, command: AgentSpawn, by: { actor: Actor; freshId: AgentId }): Decision {
	const { parent, supervisor } = seen;
	const caller = agentOf(by.actor);
	if (caller !== null && caller !== parent.id) return refuse("FORBIDDEN", "An agent forks only itself.", { details: { agent: parent.id } });
	const refusal = refusedNow(parent, "fork");
	if (refusal) return refusal;
	if (command.workspace !== "none") return refuse("VALIDATION_ERROR", "Agents have no workspaces yet: use workspace none.");
	if (seen.project === undefined) return refuse("NOT_FOUND", `There is no project ${command.project}.`, { suggestions: ["brood project list"] });
	if (command.name === initHandle) return refuse("CONFLICT", "The name init belongs to agent 0.");
	if (seen.handle === undefined) {
		return refuse("CONFLICT", `The name ${command.name} has been used in this project; names are never used twice.`, { suggestions: ["brood agent list"] });
	}
	if (seen.full !== null) {
		const { agent, limit } = seen.full;
		return refuse("AGENT_LIMIT", `${agent.handle} already has ${limit} living descendants.`, {
			details: { agent: agent.id, limit },
			suggestions: ["brood tree"],
		});
	}
	const inherits = command.context === "inherit";
	return [
		{
			kind: "agent.spawned",
			agent: by.freshId,
			data: {
				handle: seen.handle,
				name: command.name ?? null,
				project: seen.project?.slug ?? null,
				type: command.agentType ?? parent.type,
				model: command.model ?? parent.model,
				lineage: inherits ? { agent: parent.id, forkPoint: seen.forkPoint } : null,
				supervisor: supervisor.id,
			},
		},
	];
}

/** Agent 0: made once on the first start, then only found. */
export function decideInit(existing: AgentState | undefined, command: { agentType: string }, by: { freshId: AgentId }): Decision {
	if (existing !== undefined) return [];
	const data = { handle: initHandle, name: initHandle, project: null, type: command.agentType, model: null, lineage: null, supervisor: null };
	return [
		{ kind: "agent.spawned", agent: by.freshId, data },
		{ kind: "agent.provisioned", agent: by.freshId },
	];
}
