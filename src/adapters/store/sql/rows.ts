// From rows to the contract's shapes. Rows were written by us from parsed values, so they are not parsed again.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { Actor } from "#contract/ids.ts";
import type { IssueState, NoteState, RunState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import { type ProjectState, untuned } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { Receipt } from "#contract/receipt.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import { nothingSpent } from "#contract/usage.ts";
import type { WaitState } from "#contract/wait.ts";
import type { QueueHead } from "#engine/ports.ts";

/** What rows did not have when they were written by an earlier version. */
type LaterOfAgent =
	| ("policy" | "permits" | "turnEndedIn" | "endNote")
	| ("workspace" | "plan" | "lease" | "seenCommit" | "removedBy" | "removedNote")
	| ("subscription" | "limitWaivedUntil")
	| ("issue" | "totalTasksCompleted" | "command" | "session" | "spent" | "budget");
const laterOfAgent: Pick<AgentState, LaterOfAgent> = {
	...{ policy: "ask", permits: [], turnEndedIn: null, endNote: null },
	...{ workspace: null, plan: null, lease: null, seenCommit: null, removedBy: null, removedNote: null },
	...{ subscription: null, limitWaivedUntil: null },
	...{ issue: null, totalTasksCompleted: 0, command: null, session: null, spent: nothingSpent, budget: null },
};
const laterOfTurn: Pick<TurnState, "manual" | "retriedAs" | "stoppingFor" | "commit" | "subscription" | "usage"> = {
	...{ manual: false, retriedAs: null, stoppingFor: null },
	...{ commit: null, subscription: null, usage: null },
};

const laterOfApproval: Pick<ApprovalState, "content" | "files" | "inside" | "digest" | "reason"> = {
	content: "",
	files: [],
	inside: false,
	digest: "",
	reason: null,
};

export function agentFrom(row: { state: string }): AgentState {
	return { ...laterOfAgent, ...JSON.parse(row.state) };
}

export function approvalFrom(row: { state: string }): ApprovalState {
	return { ...laterOfApproval, ...JSON.parse(row.state) };
}

export function waitFrom(row: { state: string }): WaitState {
	return { ready: null, ...JSON.parse(row.state) };
}

export function subscriptionFrom(row: { state: string }): SubscriptionState {
	return { spent: nothingSpent, ...JSON.parse(row.state) };
}

/** Of an agent whose prompt is next: all but the words. */
export function headFrom(row: HeadRow): { agent: AgentState; head: QueueHead } {
	const { source, notBefore }: Pick<PromptState, "source"> & Partial<Pick<PromptState, "notBefore">> = JSON.parse(row.data ?? "{}");
	const { prompt, priority, manual, at } = row;
	return { agent: agentFrom(row), head: { prompt, priority, manual: manual === 1, source, since: Math.max(at, notBefore ?? 0) } };
}

interface HeadRow {
	state: string;
	prompt: number;
	priority: number;
	manual: number;
	data: string | null;
	at: number;
}

export function projectFrom(row: { state: string }): ProjectState {
	const state = { base: null, url: null, approved: [], ...untuned, ...JSON.parse(row.state) };
	if (Object.hasOwn(JSON.parse(row.state), "chosen")) return state;
	// an older release did not write down where these come from
	const { preset, agentsMax, context, agentType } = state;
	const unusual = Object.entries({ preset, agentsMax, context, agentType }).filter(([name, value]) => value !== Reflect.get(untuned, name));
	return { ...state, chosen: Object.fromEntries(unusual) };
}

export function issueFrom(row: { state: string }): IssueState {
	return { spent: nothingSpent, ...JSON.parse(row.state) };
}

/** A run of an older release has no session. */
export function runFrom(row: { state: string }): RunState {
	return { session: null, ...JSON.parse(row.state) };
}

/** The words are in the event of the same id. */
export function noteFrom(row: { state: string; text: string | null }): NoteState {
	return { ...JSON.parse(row.state), text: row.text ?? "" };
}

export function receiptFrom({ fingerprint, answer, given }: { fingerprint: string; answer: string; given: string | null }): Receipt {
	return { fingerprint, answer: JSON.parse(answer), ...(given !== null && { given: JSON.parse(given) }) };
}

export interface EventRow extends Omit<Event, "data"> {
	data: string | null;
}

export function eventFrom(row: EventRow): Event {
	return { ...row, data: row.data === null ? null : JSON.parse(row.data) };
}

export function turnFrom(row: { state: string }): TurnState {
	const turn: TurnState = { ...laterOfTurn, ...JSON.parse(row.state) };
	return { ...turn, words: turn.words ?? turn.prompt };
}

/** The event that queued a prompt holds all that its row does not. */
export function promptFrom(row: PromptRow): PromptState {
	const queued: Pick<PromptState, "source"> & Partial<Pick<PromptState, "notBefore" | "retries" | "metadata" | "from">> = JSON.parse(row.data ?? "{}");
	const { source, notBefore = null, retries = null, metadata = null, from = null } = queued;
	const { id, agent, position, priority, editedBy, editedAt, taken } = row;
	return {
		...{ id, agent, text: row.text ?? "", words: row.words ?? id, position, priority, notBefore, manual: row.manual === 1, source, retries, metadata, from },
		...{ createdAt: row.at, createdBy: row.actor, editedBy, editedAt, taken },
	};
}

interface PromptRow extends Pick<PromptState, "id" | "agent" | "position" | "priority" | "editedBy" | "editedAt" | "taken"> {
	text: string | null;
	data: string | null;
	words: number | null;
	manual: number;
	at: number;
	actor: Actor;
}

export function mailFrom(row: Omit<MailState, "body" | "urgent"> & { body: string | null; urgent: number }): MailState {
	return { ...row, body: row.body ?? "", urgent: row.urgent === 1 };
}
