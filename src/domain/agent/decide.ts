// Changes to an existing agent. Creating one is in `spawn.ts`, ending one in `kill.ts`.
import type { AgentState, Settings } from "#contract/agent.ts";
import type { AgentConfigure, AgentFail, AgentPause, AgentResume } from "#contract/agent-commands.ts";
import { takesNoModel } from "#contract/agent-type.ts";
import type { NewEvent } from "#contract/event.ts";
import { fullName } from "#contract/full-name.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Workspace } from "#contract/workspace.ts";
import { holdTable, resumableHolds, stepFailed } from "../agent-state/holds.ts";
import { isHeld } from "../agent-state/label.ts";
import { aboutAgent, refusedNow } from "../agent-state/transitions.ts";
import { because, type Decision } from "../decision.ts";
import { wrongBinding } from "../subscription.ts";
import { decideBudget } from "../usage.ts";

export function decideProvision(
	agent: AgentState,
	{ workspace, head }: { workspace?: Workspace | undefined; head: string | null },
): Decision {
	if (agent.life !== "provisioning") return [];
	return [
		{ kind: "agent.provisioned", agent: agent.id, ...(workspace !== undefined && { data: { workspace, head } }) },
	];
}

export function decideFail(agent: AgentState, command: AgentFail): Decision {
	return agent.life === "ended" ? [] : stepFailed(agent, command);
}

export function decidePause(agent: AgentState, command: AgentPause): Decision {
	const refusal = refusedNow(agent, "pause");
	if (refusal) return refusal;
	if (isHeld(agent, "user")) return [];
	return [{ kind: "agent.held", agent: agent.id, data: { hold: "user", reason: command.reason } }];
}

/** Ends every hold that a resume may end; refused if one remains that needs `recover`. */
export function decideResume(agent: AgentState, { reason }: Pick<AgentResume, "reason"> = { reason: "" }): Decision {
	const refusal = refusedNow(agent, "resume");
	if (refusal) return refusal;
	const ends = resumableHolds(agent);
	const remaining = agent.holds.filter((hold) => !ends.includes(hold.kind));
	if (remaining.length > 0) {
		const kinds = remaining.map((hold) => hold.kind);
		return refuse(
			"AGENT_INVALID_STATE",
			`${agent.handle} is held (${kinds.join(", ")}): its workspace has to be recovered first.`,
			aboutAgent(agent, "recover", { from: "error", to: "idle", operation: "resume", holds: kinds }),
		);
	}
	return ends.length === 0
		? []
		: [{ kind: "agent.unheld", agent: agent.id, data: { holds: ends, ...because(reason) } }];
}

/** Clears error holds; while provisioning, the reactor then tries again. */
export function decideRecover(agent: AgentState): Decision {
	const refusal = refusedNow(agent, "recover");
	if (refusal) return refusal;
	const ends = agent.holds.map(({ kind }) => kind).filter((kind) => holdTable[kind].label === "error");
	return ends.length === 0 ? [] : [{ kind: "agent.unheld", agent: agent.id, data: { holds: ends } }];
}

/** Settings belong to the agent, not to the conversation: no clear or rewind touches them. */
export function decideConfigure(
	agent: AgentState,
	current: Settings,
	command: AgentConfigure,
	subscriptions: readonly SubscriptionState[],
): Decision {
	const refusal = refusedNow(agent, "change");
	if (refusal) return refusal;
	const type = command.agentType ?? agent.type;
	const notChosen = type === agent.type ? null : refusedType(agent, type);
	if (notChosen) return notChosen;
	// models and subscriptions belong to a type
	const before = type === agent.type ? agent : { model: null, subscription: null };
	if (command.model != null && takesNoModel(type))
		return refuse("VALIDATION_ERROR", `${agent.handle} is a ${type} agent, which takes no model.`, {
			details: { agent: agent.id },
		});
	const { model = before.model, policy = agent.policy, subscription = before.subscription } = command;
	const { systemPrompt = current.systemPrompt, pinned = current.pinned, options = current.options } = command;
	const wrong = wrongBinding(subscriptions, subscription === before.subscription ? null : subscription, type);
	if (wrong) return wrong;
	const { type: _type, agent: _agent, budget, ...others } = command;
	const configured: NewEvent = {
		kind: "agent.configured",
		agent: agent.id,
		data: { ...(type !== agent.type && { type }), model, policy, subscription, systemPrompt, pinned, options },
	};
	const onlyBudget = budget !== undefined && Object.keys(others).length === 0;
	return [...(onlyBudget ? [] : [configured]), ...(budget === undefined ? [] : decideBudget(agent, budget))];
}

/** An agent keeps its type. Only the type of agent 0 can change: no person chose it. */
function refusedType(agent: AgentState, type: string): Refusal | null {
	if (agent.supervisor !== null)
		return refuse("CONFLICT", `${agent.handle} stays ${agent.type}; a fork of it can have another type.`, {
			details: { agent: agent.id },
			suggestions: [`brood fork ${fullName(agent)} --type ${type}`],
		});
	if (agent.turn !== null) return refusedNow(agent, "rewind");
	if (type !== "acp") return null;
	return refuse("VALIDATION_ERROR", "Agent 0 cannot be of type acp, which needs a program.");
}

export function decideReap(agent: AgentState): Decision {
	const refusal = refusedNow(agent, "reap");
	if (refusal) return refusal;
	return agent.reapedAt === null ? [{ kind: "agent.reaped", agent: agent.id }] : [];
}
