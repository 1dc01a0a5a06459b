// Ending an agent. A plain kill hands its children to its own supervisor; a cascade ends them too.
import type { AgentKill, AgentState } from "#contract/agent.ts";
import type { Fact } from "#contract/event.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "../decision.ts";
import { ending, type OpenCall } from "../turn.ts";
import { outOfReach } from "./subtree.ts";
import { refusedNow } from "./transitions.ts";

export interface KillSight {
	target: AgentState;
	/** what each agent that will end leaves behind */
	loose: ReadonlyMap<AgentId, LooseEnds>;
	/** living agents that the target supervises directly */
	children: readonly AgentState[];
	/** all living agents below the target, children before their supervisors */
	descendants: readonly AgentState[];
	/** the agents above the target, nearest first */
	above: readonly AgentId[];
	/** the agents above the caller, if the caller is an agent */
	aboveCaller: readonly AgentId[];
}

/** A turn in the middle, and prompts that will never run. */
export interface LooseEnds {
	openCalls: readonly OpenCall[];
	prompts: readonly number[];
}

export function decideKill(seen: KillSight, command: AgentKill, by: { actor: Actor }): Decision {
	const refusal = forbidden(seen, by.actor) ?? refusedNow(seen.target, "kill");
	if (refusal) return refusal;
	if (command.cascade) return [...seen.descendants, seen.target].flatMap((agent) => ended(agent, seen.loose.get(agent.id), by.actor));
	return [...handedOver(seen), ...ended(seen.target, seen.loose.get(seen.target.id), by.actor)];
}

function forbidden({ target, above, aboveCaller }: KillSight, actor: Actor): Refusal | null {
	const details = { agent: target.id };
	if (target.supervisor === null) return refuse("CANNOT_KILL_ROOT", "Agent 0 cannot be killed.", { details });
	if (aboveCaller.includes(target.id)) return refuse("CANNOT_KILL_ANCESTOR", "An agent cannot kill an agent above it.", { details });
	return outOfReach(target.id, above, actor, "kills");
}

function handedOver({ target, children }: KillSight): Fact[] {
	const heir = target.supervisor;
	if (heir === null) return [];
	return children.map((child) => ({ kind: "agent.supervised", agent: child.id, data: { supervisor: heir } }));
}

function ended(agent: AgentState, loose: LooseEnds | undefined, by: Actor): Fact[] {
	const itself = agentOf(by) === agent.id;
	const how = { state: itself ? "completed" : "interrupted", reason: itself ? "exit" : "killed", text: null } as const;
	const prompts = [...(loose?.prompts ?? [])];
	const cancelled: Fact[] = prompts.length === 0 ? [] : [{ kind: "prompt.cancelled", agent: agent.id, data: { prompts } }];
	return [
		...(agent.turn === null ? [] : ending(agent, agent.turn.id, how, loose?.openCalls ?? [])),
		...cancelled,
		{ kind: "killed", agent: agent.id, text: `Killed by ${by}.` },
		{ kind: "agent.ended", agent: agent.id, data: { reason: "killed" } },
	];
}
