// What a person may do to an agent now, and why not: from the same rules that decide.
import type { Agent } from "#contract/wire.ts";
import type { LeaseStep } from "#contract/workspace-step.ts";
import { protectedRoot } from "#domain/agent/kill.ts";
import { type AgentOperation, notRunning, refusedUnder } from "#domain/agent-state/transitions.ts";
import { noWorkspace, refusedStep } from "#domain/workspace.ts";

/** Why an operation is not possible now; null if it is. */
export function whyNot(agent: Agent, operation: AgentOperation): string | null {
	const ended = operation === "kill" ? "killed" : operation === "delete" ? "deleted" : null;
	const root = ended && protectedRoot(agent, ended);
	if (root) return root.message;
	if (operation === "resume" && agent.holds.length === 0 && agent.life !== "ended")
		return `${agent.handle} has no hold: there is nothing to resume.`;
	if (operation === "recover" && agent.life !== "ended" && agent.label !== "error")
		return `${agent.handle} has no error: there is nothing to recover.`;
	if (operation === "pause" && agent.holds.some(({ kind }) => kind === "user")) return `${agent.handle} is paused.`;
	if (operation === "reap" && agent.life !== "ended")
		return `${agent.handle} lives: only agents that have ended are reaped.`;
	const refusal =
		refusedUnder(agent.label, agent, operation) ??
		(operation === "interrupt" && agent.turn === null ? notRunning(agent, agent.label) : null);
	return refusal?.message ?? null;
}

/** Why a git step is not possible in its workspace now; null if it is. */
export const whyNoStep = (agent: Agent, step: LeaseStep): string | null => refusedStep(agent, step)?.message ?? null;

/** Why there are no files of the agent to look at; null if there are. */
export function whyNoFiles(agent: Agent): string | null {
	if (agent.workspace === null) return noWorkspace(agent).message;
	return agent.workspaceRemovedAt === null ? null : `The workspace of ${agent.handle} was removed.`;
}

/** The verb that lets a held agent continue. */
export { verbThatEndsHolds } from "#domain/agent-state/holds.ts";
