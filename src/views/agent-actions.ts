// What a person may do to an agent now, and why not: from the same table that decides.
import type { Agent } from "#contract/wire.ts";
import { verbThatEnds } from "#domain/agent-state/holds.ts";
import { type AgentOperation, refusedUnder } from "#domain/agent-state/transitions.ts";

/** Verbs that need a workspace; the rest are operations of the table. */
const workspaceVerbs = ["commit", "sync", "approve", "diff"] as const;
export type WorkspaceVerb = (typeof workspaceVerbs)[number];

/** Why an operation is not possible now; null if it is. */
export function whyNot(agent: Agent, operation: AgentOperation): string | null {
	if (agent.supervisor === null && (operation === "kill" || operation === "delete"))
		return `${agent.handle} is the root of all agents and cannot be ended.`;
	if (operation === "resume" && agent.holds.length === 0 && agent.life !== "ended")
		return `${agent.handle} has no hold: there is nothing to resume.`;
	if (operation === "recover" && agent.life !== "ended" && agent.label !== "error")
		return `${agent.handle} has no error: there is nothing to recover.`;
	if (operation === "pause" && agent.holds.some(({ kind }) => kind === "user")) return `${agent.handle} is paused.`;
	return refusedUnder(agent.label, agent, operation)?.message ?? null;
}

/** Why a verb of its workspace is not possible now; null if it is. */
export function whyNotWorkspace(agent: Agent, verb: WorkspaceVerb): string | null {
	const { workspace, handle } = agent;
	if (workspace === null) return `${handle} has no workspace.`;
	if (agent.workspaceRemovedAt !== null) return `The workspace of ${handle} was removed.`;
	if (verb === "diff") return null;
	if (agent.life === "provisioning") return `The workspace of ${handle} is not ready.`;
	if (agent.lease !== null) return `A git step is running in the workspace of ${handle}: ${agent.lease}.`;
	if (agent.turn !== null && verb !== "commit")
		return `${handle} is ${agent.label}: wait for the turn, or interrupt it.`;
	if (workspace.kind === "main" && verb !== "commit") return `${handle} works in the project's own folder.`;
	return null;
}

/** The verb that lets a held agent continue. */
export const verbThatContinues = (agent: Agent): "resume" | "recover" => verbThatEnds(agent);
