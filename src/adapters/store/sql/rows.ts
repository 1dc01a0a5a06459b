// From rows to the contract's shapes. Rows were written by us from parsed values, so they are not parsed again.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { ProjectState } from "#contract/project.ts";
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
