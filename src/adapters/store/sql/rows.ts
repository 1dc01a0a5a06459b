// From rows to the contract's shapes. Rows were written by us from parsed values, so they are not parsed again.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { Actor } from "#contract/ids.ts";
import type { IssueState, NoteState, RunState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { Receipt } from "#contract/receipt.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type { QueueHead } from "#engine/ports/store.ts";

export function agentFrom(row: { state: string }): AgentState {
	return JSON.parse(row.state);
}

export function approvalFrom(row: { state: string }): ApprovalState {
	return JSON.parse(row.state);
}

export function waitFrom(row: { state: string }): WaitState {
	return JSON.parse(row.state);
}

export function subscriptionFrom(row: { state: string }): SubscriptionState {
	return JSON.parse(row.state);
}

/** Of an agent whose prompt is next: all but the words. */
export function headFrom(row: HeadRow): { agent: AgentState; head: QueueHead } {
	const { source, notBefore }: Pick<PromptState, "source"> & Partial<Pick<PromptState, "notBefore">> = JSON.parse(
		row.data ?? "{}",
	);
	const { prompt, priority, manual, at } = row;
	return {
		agent: agentFrom(row),
		head: { prompt, priority, manual: manual === 1, source, since: Math.max(at, notBefore ?? 0) },
	};
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
	return JSON.parse(row.state);
}

export function issueFrom(row: { state: string }): IssueState {
	return JSON.parse(row.state);
}

export function runFrom(row: { state: string }): RunState {
	return JSON.parse(row.state);
}

/** The words are in the event of the same id. */
export function noteFrom(row: { state: string; text: string | null }): NoteState {
	return { ...JSON.parse(row.state), text: row.text ?? "" };
}

export function receiptFrom({
	fingerprint,
	answer,
	given,
}: {
	fingerprint: string;
	answer: string;
	given: string | null;
}): Receipt {
	return { fingerprint, answer: JSON.parse(answer), ...(given !== null && { given: JSON.parse(given) }) };
}

export interface EventRow extends Omit<Event, "data"> {
	data: string | null;
}

export function eventFrom(row: EventRow): Event {
	return { ...row, data: row.data === null ? null : JSON.parse(row.data) };
}

export function turnFrom(row: { state: string }): TurnState {
	return JSON.parse(row.state);
}

/** The event that queued a prompt holds all that its row does not. */
export function promptFrom(row: PromptRow): PromptState {
	const queued: Pick<PromptState, "source"> &
		Partial<Pick<PromptState, "notBefore" | "retries" | "metadata" | "from">> = JSON.parse(row.data ?? "{}");
	const { source, notBefore = null, retries = null, metadata = null, from = null } = queued;
	const { id, agent, position, priority, editedBy, editedAt, taken } = row;
	return {
		...{
			id,
			agent,
			text: row.text ?? "",
			words: row.words ?? id,
			position,
			priority,
			notBefore,
			manual: row.manual === 1,
			source,
			retries,
			metadata,
			from,
		},
		...{ createdAt: row.at, createdBy: row.actor, editedBy, editedAt, taken },
	};
}

interface PromptRow
	extends Pick<PromptState, "id" | "agent" | "position" | "priority" | "editedBy" | "editedAt" | "taken"> {
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
