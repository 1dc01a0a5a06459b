// Turns: one at a time for each agent, each started once and ended once.
//
//   prompt queued ─▶ turn started ─▶ handed over ─▶ items … ─▶ final item + turn ended
//                        │ crash: the prompt goes back     │ crash: interrupted, only a retry runs it again
//
// The agent's row names the open turn. Whoever speaks for another one speaks too late and is refused: that is the
// fence behind which an ended turn cannot be changed.
import type { AgentInterrupt, AgentState } from "#contract/agent.ts";
import type { Fact, Happened } from "#contract/event.ts";
import type { Actor, AgentId } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { PromptState } from "#contract/prompt.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { TurnAppend, TurnFact, TurnFinish, TurnRelease, TurnState } from "#contract/turn.ts";
import { outOfReach } from "./agent/subtree.ts";
import { refusedNow } from "./agent/transitions.ts";
import type { Decision } from "./decision.ts";
import { rendered } from "./mail.ts";
import { frontStart } from "./prompt.ts";

/** The head of the queue becomes a turn: prompt and agent are claimed in this one decision. */
export function decideStart(agent: AgentState, head: PromptState | undefined): Decision {
	const refusal = refusedNow(agent, "start");
	if (refusal) return refusal;
	if (head === undefined || agent.holds.length > 0) return [];
	return [{ kind: "turn.started", agent: agent.id, data: { prompt: head.id, source: head.source } }];
}

/** What the model is about to see becomes an item with the record that it is: the prompt, or the mail that it stands for. */
export function decideHand(agent: AgentState, turn: TurnState, prompt: string, mails: readonly MailState[]): Decision {
	const refusal = closed(agent, turn.id);
	if (refusal) return refusal;
	if (turn.handedAt !== null)
		return refuse("CONFLICT", `The prompt of turn ${turn.id} was handed over before.`, { details: { agent: agent.id, turn: turn.id } });
	if (turn.source === "mail" && mails.length === 0) return ending(agent, turn.id, { state: "completed", reason: "the mail had been read", text: null }, []);
	const text = turn.source === "mail" ? mails.map(rendered).join("\n") : prompt;
	const delivered: Fact[] = mails.map((mail) => ({ kind: "mail.delivered", agent: agent.id, data: { mail: mail.id, turn: turn.id } }));
	return [{ kind: "user", agent: agent.id, turn: turn.id, text }, { kind: "turn.handed", agent: agent.id, data: { turn: turn.id } }, ...delivered];
}

export function decideTurnAppend(agent: AgentState, { turn, items }: TurnAppend): Decision {
	return closed(agent, turn) ?? items.map((item) => ({ ...item, agent: agent.id, turn }));
}

/** Ends the turn that is open, with whatever tool calls it left open closed, and exactly one final item. */
export function decideTurnEnd(agent: AgentState, { turn, state, reason, text }: TurnFinish, openCalls: readonly OpenCall[]): Decision {
	return closed(agent, turn) ?? [...ending(agent, turn, { state, reason, text }, openCalls)];
}

/** The prompt never reached a process: it goes back to the head of the queue, and nothing holds the agent for it. */
export function decideRelease(agent: AgentState, turn: TurnState, { reason }: TurnRelease, first: number | null): Decision {
	const refusal = closed(agent, turn.id);
	if (refusal) return refusal;
	return [...ending(agent, turn.id, { state: "interrupted", reason, text: null }, []), ...returned(agent, turn, first)];
}

/** Only what was never handed over may run again. */
function returned(agent: AgentState, turn: TurnState, first: number | null): Fact[] {
	if (turn.handedAt !== null) return [];
	return [{ kind: "prompt.returned", agent: agent.id, data: { prompt: turn.prompt, position: Math.min(first ?? frontStart, frontStart) - 1 } }];
}

/** The daemon died. What was never handed over has done nothing yet and goes back to the head of the queue. */
export function decideCrash(agent: AgentState, turn: TurnState, openCalls: readonly OpenCall[], first: number | null): Decision {
	const refusal = closed(agent, turn.id);
	if (refusal) return refusal;
	return [
		...ending(agent, turn.id, { state: "interrupted", reason: "crash", text: null }, openCalls),
		...returned(agent, turn, first),
		{ kind: "agent.held", agent: agent.id, data: { hold: "crash", reason: "The daemon ended while this turn was open." } },
	];
}

/** The hold is there before the process hears of it, so that nothing new starts in between. Twice changes nothing. */
export function decideInterrupt(
	agent: AgentState,
	{ reason, resume }: AgentInterrupt,
	seen: { turn: TurnState | undefined; above: readonly AgentId[] },
	by: { actor: Actor },
): Decision {
	const refusal = outOfReach(agent.id, seen.above, by.actor, "interrupts") ?? refusedNow(agent, "interrupt");
	if (refusal) return refusal;
	const { turn } = seen;
	if (turn === undefined || turn.stoppingAt !== null) return [];
	const held: Fact[] = resume ? [] : [{ kind: "agent.held", agent: agent.id, data: { hold: "interrupt", reason } }];
	return [{ kind: "interrupt", agent: agent.id, turn: turn.id, text: reason }, { kind: "turn.stopping", agent: agent.id, data: { turn: turn.id } }, ...held];
}

export interface Ending {
	state: "completed" | "interrupted" | "failed";
	reason: string | null;
	text: string | null;
}

/** A tool call that has no result yet. */
export interface OpenCall {
	call: string;
}

export function ending(agent: AgentState, turn: number, { state, reason, text }: Ending, openCalls: readonly OpenCall[]): Fact[] {
	const note = `The turn was ${state}${reason === null ? "" : ` (${reason})`} before this call ended.`;
	const closing: Fact[] = openCalls.map(({ call }) => ({ kind: "tool_result", agent: agent.id, turn, text: note, data: { call, synthetic: true } }));
	return [
		...closing,
		{ kind: "final", agent: agent.id, turn, text: text ?? reason, data: { state, reason } },
		{ kind: "turn.ended", agent: agent.id, data: { turn, state, reason } },
	];
}

/** The calls of a turn's items that have no result, in the order in which they were made. */
export function openCallsOf(items: readonly { kind: string; data: unknown }[]): OpenCall[] {
	const open = new Set<string>();
	for (const { kind, data } of items) {
		const call = callOf(data);
		if (call === null) continue;
		if (kind === "tool_call") open.add(call);
		else if (kind === "tool_result") open.delete(call);
	}
	return [...open].map((call) => ({ call }));
}

function callOf(data: unknown): string | null {
	return typeof data === "object" && data !== null && "call" in data && typeof data.call === "string" ? data.call : null;
}

/** The refusal for a turn that is not the agent's open one. */
export function closed(agent: AgentState, turn: number): Refusal | null {
	if (agent.turn?.id === turn) return null;
	return refuse("TURN_NOT_OPEN", `Turn ${turn} of ${agent.handle} is not open.`, { details: { agent: agent.id, turn, open: agent.turn?.id ?? null } });
}

type TurnEvent = Happened<TurnFact & { agent: AgentId }>;

export function evolveTurn(state: TurnState | undefined, event: TurnEvent): TurnState {
	if (event.kind === "turn.started") {
		const { agent, data, id, at } = event;
		return { id, agent, ...data, state: "open", startedAt: at, handedAt: null, stoppingAt: null, endedAt: null, reason: null, finalItem: null };
	}
	if (state === undefined) throw new Error(`${event.kind} of turn ${event.data.turn}, which never started`);
	switch (event.kind) {
		case "turn.handed":
			return { ...state, handedAt: event.at };
		case "turn.stopping":
			return { ...state, stoppingAt: event.at };
		case "turn.ended":
			return { ...state, state: event.data.state, reason: event.data.reason, endedAt: event.at };
	}
}
