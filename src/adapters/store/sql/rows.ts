// From rows to the contract's shapes. Rows were written by us from parsed values, so they are not parsed again.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { Actor, AgentId } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Receipt } from "#engine/ports.ts";

export function agentFrom(row: { state: string }): AgentState {
	return JSON.parse(row.state);
}

export function projectFrom(row: { state: string }): ProjectState {
	return JSON.parse(row.state);
}

export function receiptFrom(row: { fingerprint: string; answer: string }): Receipt {
	return { fingerprint: row.fingerprint, answer: JSON.parse(row.answer) };
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
export function promptFrom(
	row: { id: number; position: number; text: string | null; data: string | null; at: number; actor: Actor },
	agent: AgentId,
): PromptState {
	const { source }: Pick<PromptState, "source"> = JSON.parse(row.data ?? "{}");
	return { id: row.id, agent, text: row.text ?? "", position: row.position, source, createdAt: row.at, createdBy: row.actor };
}

export function mailFrom(row: Omit<MailState, "body"> & { body: string | null }): MailState {
	return { ...row, body: row.body ?? "" };
}
