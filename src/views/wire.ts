// Turns rows into wire shapes. The label is derived here, once, for every surface.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { MailState } from "#contract/mail.ts";
import type { PersonState } from "#contract/person.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { Hit } from "#contract/search.ts";
import type { Session } from "#contract/session.ts";
import type { Credential, SubscriptionState, TurnLease } from "#contract/subscription.ts";
import type { Phase, TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type {
	Agent,
	Approval,
	Availability,
	Found,
	Mail,
	Person,
	Project,
	Prompt,
	Snapshot,
	Subscription,
	Turn,
	Wait,
	WireEvent,
} from "#contract/wire.ts";
import type { HealthProblem } from "#contract/workspace.ts";
import { labelOf } from "#domain/agent-state/label.ts";
import { workSettingsOf } from "#domain/project.ts";
import { usedOf } from "#domain/slots.ts";
import { leftOf } from "#domain/usage.ts";

/** What an agent's view needs beside its row. */
export interface AgentViewInput {
	queueLength: number;
	unreadMail: number;
	phase: Phase;
	/** only for an agent that has a turn or a queue */
	availability?: { waitingFor: string | null; ahead: number; availableAt: number | null } | undefined;
}

export function agentView(state: AgentState, { queueLength, unreadMail, phase, availability }: AgentViewInput): Agent {
	const {
		settings: _settings,
		permits: _permits,
		turnEndedIn: _ended,
		seenCommit: _seen,
		workspacePlan: _workspacePlan,
		bundles,
		notUploaded: _notUploaded,
		former: _former,
		lease,
		...visible
	} = state;
	const {
		limitWaivedUntil: _waived,
		turnStartedAt: _started,
		turnsTookMs: _took,
		session,
		issue,
		turn,
		lastError,
		budget,
		...rest
	} = visible;
	return {
		...rest,
		session: session && sessionView(session),
		queueLength,
		unreadMail,
		waitingFor: availability?.waitingFor ?? null,
		turnsAhead: availability?.ahead ?? 0,
		availableAt: isoOrNull(availability?.availableAt ?? null),
		lease: lease?.step ?? null,
		issue: issue?.number ?? null,
		stage: issue?.stage ?? null,
		movable: bundles.length > 0 || (state.workspace === null && state.workspacePlan === null),
		label: labelOf(state),
		budget: budget && { tokens: budget.tokens, cost: budget.cost },
		budgetLeft: budget && leftOf(state),
		holds: state.holds.map(({ until, ...hold }) => ({
			...hold,
			at: iso(hold.at),
			...(until !== undefined && { until: iso(until) }),
		})),
		turn: turn && { id: turn.id, startedAt: iso(turn.startedAt), phase, silentSince: isoOrNull(turn.silentSince) },
		lastError: lastError && { ...lastError, at: iso(lastError.at) },
		createdAt: iso(state.createdAt),
		lastActiveAt: iso(state.lastActiveAt),
		endedAt: isoOrNull(state.endedAt),
		reapedAt: isoOrNull(state.reapedAt),
		workspaceRemovedAt: isoOrNull(state.workspaceRemovedAt),
	};
}

export const foundView = ({ at, ...hit }: Hit, { handle, project }: AgentState): Found => ({
	...hit,
	at: iso(at),
	handle,
	project,
});
const sessionView = ({ folder: _folder, openedIn: _in, ...session }: Session): Agent["session"] => session;

export const eventView = (event: Event): WireEvent => ({ ...event, data: shownData(event), at: iso(event.at) });

/** The hash of a person's token is for the daemon alone. */
function shownData({ kind, data }: Event): Event["data"] {
	if (!kind.startsWith("person.") || typeof data !== "object" || data === null || Array.isArray(data)) return data;
	const { tokenHash: _, ...shown } = data;
	return shown;
}

export function turnView({
	handedAt: _handed,
	stoppingAt: _stopping,
	stoppingFor: _for,
	textEvent: _textEvent,
	...turn
}: TurnState): Turn {
	return { ...turn, startedAt: iso(turn.startedAt), endedAt: isoOrNull(turn.endedAt) };
}

/** With its position in the queue, counted from 1. */
export function promptView({ textEvent: _textEvent, taken: _taken, ...prompt }: PromptState, position: number): Prompt {
	return {
		...prompt,
		position,
		notBefore: isoOrNull(prompt.notBefore),
		createdAt: iso(prompt.createdAt),
		editedAt: isoOrNull(prompt.editedAt),
	};
}

/** `agents`: the one that asks and its supervisors, nearest first. */
export function approvalView(approval: ApprovalState, agents: readonly AgentState[]): Approval {
	const handles = agents.map((agent) => agent.handle).toReversed();
	return { ...approval, handles, askedAt: iso(approval.askedAt), answeredAt: isoOrNull(approval.answeredAt) };
}

export function waitView({ ready: _, ...wait }: WaitState, targets: readonly AgentState[]): Wait {
	const seen = targets.map((agent) => {
		const met = wait.seen.find((each) => each.agent === agent.id)?.met ?? false;
		return { agent: agent.id, handle: agent.handle, label: labelOf(agent), met };
	});
	return {
		...wait,
		seen,
		deadline: isoOrNull(wait.deadline),
		openedAt: iso(wait.openedAt),
		endedAt: isoOrNull(wait.endedAt),
	};
}

export function mailView({ deletedAt: _, ...mail }: MailState): Mail {
	return { ...mail, sentAt: iso(mail.sentAt), readAt: isoOrNull(mail.readAt) };
}

export const snapshotView = ({ at, ...snapshot }: Omit<Snapshot, "at"> & { at: number }): Snapshot => ({
	...snapshot,
	at: iso(at),
});

export function projectView(project: ProjectState, problem: HealthProblem | null): Project {
	const { slug, path, url, addedAt, node } = project;
	const { homeConfig: _home, ...work } = workSettingsOf(project);
	const { presets: _presets, chosen: _chosen, written: _written, ...settings } = work;
	return { slug, path, url, addedAt: iso(addedAt), ...settings, node, problem };
}

/** A cool-down that has ended shows as null. */
export function subscriptionView(
	{ removedAt: _, ...state }: SubscriptionState,
	{
		leases,
		now,
		...here
	}: { leases: readonly TurnLease[]; now: number; credential?: Credential; problem: string | null },
): Subscription {
	const { coolingUntil, createdAt } = state;
	return {
		...state,
		used: usedOf(state.name, leases),
		coolingUntil: isoOrNull((coolingUntil ?? 0) > now ? coolingUntil : null),
		createdAt: iso(createdAt),
		...here,
	};
}

export const personView = ({ name, role, createdAt, createdBy, rotatedAt }: PersonState): Person => ({
	name,
	role,
	createdAt: iso(createdAt),
	createdBy,
	rotatedAt: isoOrNull(rotatedAt),
});

export const availabilityView = (
	{ id, handle, project, type, model, label, availableAt }: Agent,
	short: { reason: string; until: number | null } | null,
): Availability => ({
	...{ id, handle, project, type, model, label, available: short === null, reason: short?.reason ?? null },
	availableAt: short === null ? null : (availableAt ?? isoOrNull(short.until)),
});

export const iso = (ms: number): string => new Date(ms).toISOString();

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
