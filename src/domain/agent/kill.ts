// Ending an agent. A plain kill puts its children under its own supervisor; a cascade ends them too.
import type { AgentState, endReasons } from "#contract/agent.ts";
import type { AgentDelete, AgentKill } from "#contract/agent-commands.ts";
import type { NewEvent } from "#contract/event.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import type { NodeId } from "#contract/node.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { notInSubtree } from "../agent-state/subtree.ts";
import { aboutAgent, refusedNow } from "../agent-state/transitions.ts";
import type { Decision } from "../decision.ts";
import { ending, noOpenWork, type OpenWork } from "../turn-end.ts";
import { returnBudgets } from "../usage.ts";
import { endWait } from "../wait.ts";

export interface KillFacts {
	target: AgentState;
	/** the open work of each agent that will end */
	openWork: ReadonlyMap<AgentId, OpenWorkAndQueue>;
	/** living agents that the target supervises directly */
	children: readonly AgentState[];
	/** all living agents below the target, children before their supervisors */
	descendants: readonly AgentState[];
	/** the agents whose budgets were split for those that will end */
	givers: ReadonlyMap<AgentId, AgentState>;
	/** the agents above the target, nearest first */
	above: readonly AgentId[];
	/** the agents above the caller, if the caller is an agent */
	aboveCaller: readonly AgentId[];
}

/** With the queued prompts, which will never run. */
export interface OpenWorkAndQueue extends OpenWork {
	prompts: readonly number[];
}

export function decideKill(facts: KillFacts, command: AgentKill, by: { actor: Actor; node?: NodeId | null }): Decision {
	const refusal = forbidden(facts, by.actor) ?? refusedNow(facts.target, "kill");
	if (refusal) return refusal;
	const ending = command.cascade ? [...facts.descendants, facts.target] : [facts.target];
	return [
		...(command.cascade ? [] : childrenMovedUp(facts)),
		...ending.flatMap((agent) => killed(agent, facts.openWork.get(agent.id), by, command.reason)),
		...returnBudgets(ending, facts.givers),
	];
}

/** The refusal to end agent 0; null for every other agent. */
export function protectedRoot(
	{ id, supervisor }: Pick<AgentState, "id" | "supervisor">,
	done: "killed" | "deleted",
): Refusal | null {
	return supervisor === null
		? refuse("CANNOT_KILL_ROOT", `Agent 0 cannot be ${done}.`, { details: { agent: id } })
		: null;
}

function forbidden({ target, above, aboveCaller }: KillFacts, actor: Actor): Refusal | null {
	const details = { agent: target.id };
	const root = protectedRoot(target, "killed");
	if (root !== null) return root;
	if (aboveCaller.includes(target.id))
		return refuse("CANNOT_KILL_ANCESTOR", "An agent cannot kill an agent above it.", { details });
	return notInSubtree(target.id, above, actor, "kills");
}

/**
 * Like a kill, but only of an agent that is idle, has ended or could not be made and, without `force`, one with an
 * empty queue.
 */
export function decideDelete(facts: KillFacts, command: AgentDelete): Decision {
	const { target, openWork } = facts;
	const refusal = protectedRoot(target, "deleted") ?? refusedNow(target, "delete");
	if (refusal) return refusal;
	const ends = openWork.get(target.id);
	const prompts = ends?.prompts.length ?? 0;
	if (prompts > 0 && !command.force) {
		const words = `${prompts} prompt${prompts === 1 ? "" : "s"} still wait${prompts === 1 ? "s" : ""} for ${target.handle}.`;
		return refuse("CONFLICT", words, aboutAgent(target, "queue", { prompts }));
	}
	const reason = target.life === "provisioning" ? "provision_failed" : "deleted";
	const ending =
		target.life === "ended"
			? []
			: [
					...childrenMovedUp(facts),
					...ended(target, ends, reason, command.reason),
					...returnBudgets([target], facts.givers),
				];
	return [
		...ending,
		{ kind: "agent.deleted", agent: target.id, ...(command.reason !== "" && { data: { note: command.reason } }) },
	];
}

function childrenMovedUp({ target, children }: KillFacts): NewEvent[] {
	const { supervisor } = target;
	if (supervisor === null) return [];
	return children.map((child) => ({ kind: "agent.supervised", agent: child.id, data: { supervisor } }));
}

function killed(
	agent: AgentState,
	openWork: OpenWorkAndQueue | undefined,
	{ actor: by, node = null }: { actor: Actor; node?: NodeId | null },
	why: string,
): NewEvent[] {
	const itself = agentOf(by) === agent.id;
	const elsewhere = node !== null && agent.node !== null && node !== agent.node ? node : undefined;
	const result = {
		state: itself ? "completed" : "interrupted",
		reason: itself ? "exit" : "killed",
		text: null,
	} as const;
	return [
		...(agent.turn === null ? [] : ending(agent, agent.turn.id, result, openWork ?? noOpenWork)),
		{ kind: "killed", agent: agent.id, text: `Killed by ${by}${why === "" ? "." : `: ${why}`}` },
		...ended(agent, openWork, "killed", why, elsewhere),
	];
}

/** Cancels the queue, and the waits outside of a turn. */
function ended(
	agent: AgentState,
	openWork: OpenWorkAndQueue | undefined,
	reason: (typeof endReasons)[number],
	why: string,
	askedNode?: NodeId,
): NewEvent[] {
	const prompts = [...(openWork?.prompts ?? [])];
	const cancelled: NewEvent[] =
		prompts.length === 0 ? [] : [{ kind: "prompt.cancelled", agent: agent.id, data: { prompts } }];
	const waits = agent.turn === null ? (openWork?.waits ?? []) : [];
	return [
		...cancelled,
		...waits.flatMap((wait) => endWait(wait, "cancelled")),
		{
			kind: "agent.ended",
			agent: agent.id,
			data: { reason, ...(why !== "" && { note: why }), ...(askedNode && { askedNode }) },
		},
	];
}
