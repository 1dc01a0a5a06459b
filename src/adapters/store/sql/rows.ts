// From rows to the contract's types. Rows were written from parsed values, so they are not parsed again.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { Actor } from "#contract/ids.ts";
import type { EntryState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { Receipt } from "#contract/receipt.ts";
import type { QueueHead } from "#engine/ports/store.ts";
import type { Connection } from "./connection.ts";
import type { Query, Value } from "./prepared.ts";
import type { StateRow } from "./state-queries.ts";

/** Reads of tables whose rows have all of their noun in `state`. The caller's return type names the noun. */
export function statesIn(connection: Connection) {
	const all = async <T, P extends Record<string, Value>>(query: Query<P, StateRow>, args: P): Promise<T[]> =>
		(await connection.all(query, args)).map(({ state }) => JSON.parse(state));
	const one = async <T, P extends Record<string, Value>>(query: Query<P, StateRow>, args: P): Promise<T | undefined> =>
		(await all<T, P>(query, args))[0];
	return { all, one };
}

/** An agent and its next prompt, without the text. */
export function headFrom(row: HeadRow): { agent: AgentState; head: QueueHead } {
	const { source, notBefore = 0 }: Queued = JSON.parse(row.data ?? "{}");
	const { prompt, priority, manual, at } = row;
	return {
		agent: JSON.parse(row.state),
		head: { prompt, priority, manual: manual === 1, source, since: Math.max(at, notBefore ?? 0) },
	};
}

interface HeadRow extends StateRow {
	prompt: number;
	priority: number;
	manual: number;
	data: string | null;
	at: number;
}

/** The text is in the event of the same id. */
export function entryFrom(row: { state: string; text: string | null }): EntryState {
	return { ...JSON.parse(row.state), text: row.text ?? "" };
}

export function receiptFrom(row: { fingerprint: string; outcome: string; answer: string | null }): Receipt {
	const { fingerprint, outcome, answer } = row;
	return { fingerprint, outcome: JSON.parse(outcome), ...(answer !== null && { answer: JSON.parse(answer) }) };
}

export interface EventRow extends Omit<Event, "data"> {
	data: string | null;
}

export function eventFrom(row: EventRow): Event {
	return { ...row, data: row.data === null ? null : JSON.parse(row.data) };
}

/** Events as JSON, separated by commas, with times as the wire has them. One call for all of them is twice as fast. */
export function eventTexts(rows: readonly EventRow[]): string {
	const timeOf = isoTimes();
	const events = rows.map(({ id, agent, turn, kind, text, data, at, actor, command }) => ({
		id,
		agent,
		turn,
		kind,
		text,
		data: data === null ? null : JSON.parse(data),
		at: timeOf(at),
		actor,
		command,
	}));
	return JSON.stringify(events).slice(1, -1);
}

/** Times that follow each other closely: most have the second of the one before. */
function isoTimes(): (at: number) => string {
	let second = Number.NaN;
	let start = "";
	return (at) => {
		const now = Math.floor(at / 1000);
		if (now !== second) start = new Date(now * 1000).toISOString().slice(0, -"000Z".length);
		second = now;
		return `${start}${String(at - now * 1000).padStart(3, "0")}Z`;
	};
}

/** The data of the event that queued a prompt: everything that its row does not have. */
type Queued = Pick<PromptState, "source"> & Partial<Pick<PromptState, "notBefore" | "retries" | "metadata" | "from">>;

export function promptFrom({ data, text, textEvent, manual, at, actor, ...row }: PromptRow): PromptState {
	const { source, notBefore = null, retries = null, metadata = null, from = null }: Queued = JSON.parse(data ?? "{}");
	return {
		...row,
		...{ text: text ?? "", textEvent: textEvent ?? row.id, manual: manual === 1, createdAt: at, createdBy: actor },
		...{ source, notBefore, retries, metadata, from },
	};
}

interface PromptRow
	extends Pick<PromptState, "id" | "agent" | "position" | "priority" | "editedBy" | "editedAt" | "taken"> {
	text: string | null;
	data: string | null;
	textEvent: number | null;
	manual: number;
	at: number;
	actor: Actor;
}

export function mailFrom(row: Omit<MailState, "body" | "urgent"> & { body: string | null; urgent: number }): MailState {
	return { ...row, body: row.body ?? "", urgent: row.urgent === 1 };
}
