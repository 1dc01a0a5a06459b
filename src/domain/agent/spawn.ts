// Creating agents.
import type { AgentState, Lineage } from "#contract/agent.ts";
import type { AgentSpawn } from "#contract/agent-commands.ts";
import { policies } from "#contract/approval.ts";
import type { NewEvent } from "#contract/event.ts";
import { fullName } from "#contract/full-name.ts";
import { type Actor, type AgentId, agentOf, type Handle, initHandle } from "#contract/ids.ts";
import type { NodeId, NodeState } from "#contract/node.ts";
import { noProject, type ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import { aboutAgent, refusedNow } from "../agent-state/transitions.ts";
import type { Decision } from "../decision.ts";
import { withoutCredentialsAt } from "../slots.ts";
import { wrongBinding } from "../subscription.ts";
import type { OpenCall } from "../turn-end.ts";
import { splitBudget } from "../usage.ts";
import { chooseWorkspace } from "../workspace.ts";
import { chooseNode } from "./placement.ts";

export interface SpawnFacts {
	parent: AgentState;
	/** the parent itself, or the nearest living agent above it */
	supervisor: AgentState;
	/** the last item that the child inherits; undefined if the requested one is not in the parent's context */
	forkPoint: Lineage["forkPoint"] | undefined;
	/** tool calls that have no result up to where the conversation is cut */
	openCalls: readonly OpenCall[];
	/** the child's project, null for none; undefined if it does not exist */
	project: ProjectState | null | undefined;
	/** the first candidate handle that was never used, if any */
	handle: Handle | undefined;
	/** who had the handle in a project of the same name that was removed, and its handle from now on */
	renamed: { agent: AgentId; handle: Handle } | null;
	subscriptions: readonly SubscriptionState[];
	/** a living agent of the project that works in the repository itself */
	inMain: AgentState | undefined;
	/** none where nodes do not matter */
	nodes?: readonly NodeState[];
	/** how many turns run at each node */
	busy?: ReadonlyMap<NodeId, number>;
	/** the agent above the child that has as many descendants as it may */
	full: { agent: AgentState; limit: number } | null;
}

export function decideSpawn(
	facts: SpawnFacts,
	command: AgentSpawn,
	by: { actor: Actor; freshId: AgentId; node?: NodeId | null },
): Decision {
	const { parent, supervisor } = facts;
	const [caller, child] = [agentOf(by.actor), by.freshId];
	const refusal = refusedSpawn(facts, command, caller);
	if (refusal) return refusal;
	if (facts.project === undefined) return noProject(command.project ?? parent.project ?? undefined);
	if (command.name === initHandle) return refuse("CONFLICT", "The name init belongs to agent 0.");
	if (facts.handle === undefined) {
		return refuse("CONFLICT", `The name ${command.name} has been used in this project; names are never used twice.`, {
			suggestions: ["brood agent list"],
		});
	}
	if (facts.forkPoint === undefined) {
		return refuse("ITEM_NOT_IN_CONTEXT", `Item ${command.at} is not in the context of ${parent.handle}.`, {
			details: { agent: parent.id, item: command.at ?? null },
			suggestions: [`brood log ${fullName(parent)} --context`],
		});
	}
	const type = command.agentType ?? parent.type;
	const subscription = command.subscription ?? (type === parent.type ? parent.subscription : null);
	const program = type === "acp" ? (command.program ?? (parent.type === "acp" ? parent.program : null)) : null;
	if ((program === null) !== (type !== "acp") || (command.program !== undefined && program === null))
		return refuse("VALIDATION_ERROR", "An agent of type acp needs a program; other types take none.", {
			suggestions: ["brood agent add --type acp --program 'program --acp'"],
		});
	const wrong = wrongBinding(facts.subscriptions, command.subscription ?? null, type);
	if (wrong) return wrong;
	const allotted = chooseWorkspace({ parent, project: facts.project, inMain: facts.inMain }, command);
	if (isRefusal(allotted)) return allotted;
	const withoutCredentials = withoutCredentialsFor(facts, { type, subscription });
	const at = chooseNode({ ...facts, ...allotted, type, withoutCredentials, asked: by.node ?? null }, command);
	if (isRefusal(at)) return at;
	const budget = splitBudget(parent, command.budget);
	if (isRefusal(budget)) return budget;
	const lineage = command.context === "inherit" ? { agent: parent.id, forkPoint: facts.forkPoint } : null;
	return [
		...(facts.renamed === null
			? []
			: [{ kind: "agent.renamed", agent: facts.renamed.agent, data: { handle: facts.renamed.handle } } as const]),
		{
			kind: "agent.spawned",
			agent: child,
			data: {
				handle: facts.handle,
				name: command.name ?? null,
				project: facts.project?.slug ?? null,
				type,
				model: command.model ?? (type === parent.type ? parent.model : null),
				program,
				subscription,
				policy: command.policy ?? parent.policy,
				lineage,
				supervisor: supervisor.id,
				settings: lineage === null ? null : parent.settings,
				...allotted,
				budget: budget.child,
				...at,
			},
		},
		...budget.parent,
		// without a workspace of its own there is nothing to provision
		...(allotted.workspacePlan === null ? [{ kind: "agent.provisioned", agent: child } as const] : []),
		...(lineage === null ? introduction(facts, child, caller) : inherited(facts, command, lineage, child)),
		...firstPrompt(command, child),
	];
}

const firstPrompt = ({ prompt }: AgentSpawn, child: AgentId): NewEvent[] =>
	prompt === undefined
		? []
		: [{ kind: "prompt.queued", agent: child, text: prompt, data: { position: 0, source: "queue" } }];

function refusedSpawn(facts: SpawnFacts, command: AgentSpawn, caller: AgentId | null): Refusal | null {
	const { parent } = facts;
	const { project } = command;
	if (project !== undefined && parent.supervisor !== null && project !== parent.project)
		return refuse(
			"VALIDATION_ERROR",
			`A fork of ${parent.handle} belongs to ${parent.project ?? "no project"} as well.`,
			{
				details: { agent: parent.id, project },
			},
		);
	if (caller !== null && caller !== parent.id)
		return refuse("FORBIDDEN", "An agent can fork only itself.", { details: { agent: parent.id } });
	return (
		refusedNow(parent, "fork") ??
		(caller === null ? null : beyondParent(parent, command)) ??
		notNow(facts, command, caller)
	);
}

/** Retryable refusals: the parent is in a tool call, or has too many descendants. */
function notNow({ parent, openCalls, full }: SpawnFacts, command: AgentSpawn, caller: AgentId | null): Refusal | null {
	if (command.context === "inherit" && command.at === undefined && openCalls.length > 0 && caller === null)
		return refuse(
			"FORK_BUSY",
			`${parent.handle} is in the middle of a tool call.`,
			aboutAgent(parent, "wait", { calls: openCalls.length }),
		);
	if (full === null) return null;
	return refuse(
		"AGENT_LIMIT",
		`${full.agent.handle} already has ${full.limit} living descendants, which is the limit (limits.descendantsMax).`,
		{
			details: { agent: full.agent.id, limit: full.limit },
			suggestions: ["brood tree"],
		},
	);
}

/** An agent may not give its child rights that it does not have itself. */
function beyondParent(
	parent: AgentState,
	{ policy, workspaceKind, agentType, program, subscription }: AgentSpawn,
): Refusal | null {
	const details = { agent: parent.id };
	if (policy !== undefined && policies.indexOf(policy) > policies.indexOf(parent.policy))
		return refuse(
			"FORBIDDEN",
			`An agent with the policy ${parent.policy} cannot create one with the policy ${policy}.`,
			{ details },
		);
	if (workspaceKind === "main")
		return refuse("FORBIDDEN", "Only people can add an agent that works in the repository itself (workspace main).", {
			details,
		});
	if (agentType !== undefined && agentType !== parent.type && parent.policy !== "full")
		return refuse("FORBIDDEN", `An agent with the policy ${parent.policy} can create only agents of its own type.`, {
			details,
		});
	// the child could read the credentials of another subscription
	if (subscription !== undefined && subscription !== parent.subscription)
		return refuse("FORBIDDEN", "An agent can give its child only its own subscription, or none.", {
			details: { ...details, subscription },
		});
	// programs start without an approval
	if (program !== undefined && program !== parent.program && parent.policy !== "full")
		return refuse(
			"FORBIDDEN",
			`An agent with the policy ${parent.policy} can create only agents with its own program.`,
			{
				details,
			},
		);
	return null;
}

const inherited = (facts: SpawnFacts, { at }: AgentSpawn, lineage: Lineage, child: AgentId): NewEvent[] => [
	...forkItems(facts, lineage, child),
	...callResults(facts.openCalls, child, at === undefined ? goesOn : cutOff),
];

/** A fork is an item in both threads, after the fork point. */
function forkItems({ parent, handle }: SpawnFacts, lineage: Lineage, child: AgentId): NewEvent[] {
	const inChild: NewEvent = {
		kind: "fork",
		agent: child,
		text: `You are ${handle}, forked from ${parent.handle}.`,
		data: { parent: parent.id, forkPoint: lineage.forkPoint },
	};
	if (parent.life === "ended") return [inChild];
	return [
		inChild,
		{ kind: "fork", agent: parent.id, text: `Forked ${handle}.`, data: { child, forkPoint: lineage.forkPoint } },
	];
}

/** A child without its parent's conversation still has to know its name and whom to write to. */
function introduction({ parent, handle }: SpawnFacts, child: AgentId, caller: AgentId | null): NewEvent[] {
	if (caller === null) return [];
	return [
		{ kind: "fork", agent: child, text: `You are ${handle}, made by ${parent.handle}.`, data: { parent: parent.id } },
	];
}

const goesOn = "You are the fork. This call goes on in the agent that you were forked from.";
const cutOff = "You are the fork. The conversation that you inherited ends before this call's result.";

/** The parent's open calls never return in the child, so the child gets a result for each at once. */
function callResults(calls: readonly OpenCall[], child: AgentId, text: string): NewEvent[] {
	return calls.map(({ call }) => ({
		kind: "tool_result",
		agent: child,
		text,
		data: { call, synthetic: true },
	}));
}

/** Agent 0, created on the first start. */
export function decideInit(
	existing: AgentState | undefined,
	command: { agentType: string },
	by: { freshId: AgentId; node: NodeId | null },
): Decision {
	if (existing !== undefined) return [];
	const data = {
		handle: initHandle,
		name: initHandle,
		project: null,
		type: command.agentType,
		model: null,
		program: null,
		subscription: null,
		policy: "ask" as const,
		lineage: null,
		supervisor: null,
		settings: null,
		workspace: null,
		workspacePlan: null,
		budget: null,
		...(by.node !== null && { node: by.node }),
	};
	return [
		{ kind: "agent.spawned", agent: by.freshId, data },
		{ kind: "agent.provisioned", agent: by.freshId },
	];
}

/** The subscriptions that an agent could use, if none of them has credentials at a node. */
const withoutCredentialsFor =
	({ project, subscriptions }: SpawnFacts, agent: Pick<AgentState, "type" | "subscription">) =>
	(node: NodeId): readonly SubscriptionState[] =>
		withoutCredentialsAt(
			{ ...agent, project: project?.slug ?? null, limitWaivedUntil: null, node },
			{ subscriptions, projects: [] },
		);
