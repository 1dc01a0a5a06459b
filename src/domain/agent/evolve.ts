// What an event does to an agent's row. No rules here: whether it may happen was decided before.
import type { AgentFact, AgentState, Hold } from "#contract/agent.ts";
import type { ApprovalFact } from "#contract/approval.ts";
import type { WorkspaceFact } from "#contract/cycle.ts";
import type { Happened } from "#contract/event.ts";
import { type AgentId, system } from "#contract/ids.ts";
import type { SessionFact } from "#contract/session.ts";
import type { TurnFact } from "#contract/turn.ts";
import { nothingSpent, type UsageFact } from "#contract/usage.ts";
import { withSpent } from "../usage.ts";

type AgentEvent = Happened<(AgentFact | TurnFact | ApprovalFact | WorkspaceFact | SessionFact | UsageFact) & { agent: AgentId }>;
type Spawned = Extract<AgentEvent, { kind: "agent.spawned" }>;

export function evolveAgent(state: AgentState | undefined, event: AgentEvent): AgentState {
	if (event.kind === "agent.spawned") return spawned(event);
	if (state === undefined) throw new Error(`${event.kind} of ${event.agent}, which was never spawned`);
	switch (event.kind) {
		case "agent.configured":
			return configured(state, event);
		case "agent.budgeted":
			return { ...state, budget: event.data.budget };
		case "usage":
			return { ...state, spent: withSpent(state.spent, event.data) };
		case "agent.provisioned":
			return { ...state, life: "live", plan: null, workspace: event.data?.workspace ?? state.workspace, seenCommit: event.data?.head ?? null };
		case "agent.assigned":
			return { ...state, activity: "preparing", issue: { ...event.data, home: null }, lastActiveAt: event.at };
		case "agent.readied":
			return { ...onBranch(state, event.data.branch), activity: "idle" };
		case "agent.released":
			return released(state, event.data.done ? 1 : 0);
		case "agent.failed":
			return { ...state, lastError: { ...event.data, at: event.at } };
		case "agent.held":
			return { ...state, ...(event.data.hold === "limit" && { limitWaivedUntil: null }), holds: withHold(state.holds, held(event)) };
		case "agent.unheld":
			return { ...state, ...waived(state, event), holds: state.holds.filter((hold) => !event.data.holds.includes(hold.kind)) };
		case "agent.supervised":
			return { ...state, supervisor: event.data.supervisor };
		case "agent.ended":
			return ended(state, event);
		case "turn.started":
			return { ...state, activity: "running", turn: { id: event.id, startedAt: event.at, silentSince: null }, lastActiveAt: event.at };
		case "turn.handed":
		case "turn.stopping":
		case "turn.continued":
		case "approval.asked":
		case "approval.cancelled":
		case "workspace.snapshotted":
		case "workspace.merged":
		case "workspace.pushed":
			return state;
		case "turn.ended":
			return { ...state, activity: "idle", turn: null, turnEndedIn: event.id, lastActiveAt: event.at };
		case "turn.silent":
			return { ...state, turn: state.turn && { ...state.turn, silentSince: event.data.since } };
		case "turn.heard":
			return { ...state, turn: state.turn && { ...state.turn, silentSince: null } };
		case "approval.answered":
			return event.data.permit === undefined ? state : { ...state, permits: [...state.permits, event.data.permit] };
		case "agent.removed":
			return { ...state, workspaceRemovedAt: event.at, removedBy: event.actor, removedNote: event.data?.note ?? null, lease: null };
		case "agent.settling":
		case "turn.settling":
			return { ...state, activity: "settling" };
		case "workspace.leased":
			return { ...state, lease: { ...event.data, at: event.at } };
		case "workspace.freed":
			return { ...state, lease: null };
		case "workspace.committed":
			return { ...state, seenCommit: event.data.commit };
		case "workspace.moved":
			return { ...state, seenCommit: event.data.head };
		case "session.opened":
			return { ...state, session: { ...event.data, openedIn: event.id } };
		case "agent.reaped":
			return { ...state, reapedAt: event.at };
	}
}

function ended(state: AgentState, { data, at, actor }: Extract<AgentEvent, { kind: "agent.ended" }>): AgentState {
	const end = { endReason: data.reason, endNote: data.note ?? null, endedAt: at, endedBy: actor };
	return { ...state, life: "ended", activity: "idle", holds: [], ...end };
}

function released(state: AgentState, done: number): AgentState {
	return { ...onBranch(state, state.issue?.home ?? null), activity: "idle", issue: null, totalTasksCompleted: state.totalTasksCompleted + done };
}

/** While it works on an issue, its workspace is on the issue's branch; where it was before is remembered. */
function onBranch(state: AgentState, branch: string | null): AgentState {
	const { workspace, issue } = state;
	if (workspace === null || branch === null) return state;
	return { ...state, workspace: { ...workspace, branch }, issue: issue && { ...issue, home: issue.home ?? workspace.branch } };
}

function spawned(event: Spawned): AgentState {
	return {
		id: event.agent,
		...event.data,
		limitWaivedUntil: null,
		session: null,
		permits: [],
		lease: null,
		seenCommit: null,
		life: "provisioning",
		activity: "idle",
		holds: [],
		turn: null,
		turnEndedIn: null,
		issue: null,
		totalTasksCompleted: 0,
		spent: nothingSpent,
		lastError: null,
		createdAt: event.at,
		createdBy: event.actor,
		lastActiveAt: event.at,
		endedAt: null,
		endedBy: null,
		endReason: null,
		endNote: null,
		reapedAt: null,
		workspaceRemovedAt: null,
		removedBy: null,
		removedNote: null,
	};
}

function configured(state: AgentState, { id, data }: Extract<AgentEvent, { kind: "agent.configured" }>): AgentState {
	const { model, policy = state.policy, subscription = state.subscription } = data;
	return { ...state, model, policy, subscription, settings: id };
}

function held({ data, actor, at }: Extract<AgentEvent, { kind: "agent.held" }>): Hold {
	const { hold: kind, reason, until, step } = data;
	return { kind, reason, by: actor, at, ...(until !== undefined && { until }), ...(step !== undefined && { step }) };
}

/** Whoever resumes an agent before its limit ends takes the limit off it; time alone does not. */
function waived(state: AgentState, { data, actor }: Extract<AgentEvent, { kind: "agent.unheld" }>): Partial<AgentState> {
	const limit = state.holds.find((hold) => hold.kind === "limit" && data.holds.includes("limit"));
	return actor === system || limit?.until === undefined ? {} : { limitWaivedUntil: limit.until };
}

/** A set by kind: the newest word on a kind replaces the older one. */
const withHold = (holds: Hold[], hold: Hold): Hold[] => [...holds.filter((other) => other.kind !== hold.kind), hold];
