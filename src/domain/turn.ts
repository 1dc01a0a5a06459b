// Turns: one at a time for each agent, each started once and ended once.
//
//   prompt queued ─▶ turn started ─▶ handed over ─▶ items … ─▶ final item + turn ended
//                        │ crash: the prompt goes back     │ crash: interrupted, only a retry runs it again
//
// The agent's row names the open turn. A command about any other turn is refused, so an ended turn cannot change.
import type { AgentState } from "#contract/agent.ts";
import type { AgentInterrupt } from "#contract/agent-commands.ts";
import type { NewEvent } from "#contract/event.ts";
import type { Actor, AgentId } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { NodeEpoch } from "#contract/node.ts";
import type { Author, PromptState } from "#contract/prompt.ts";
import { mailAuthor, quotedMail } from "#contract/quote.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { TurnAppend, TurnState } from "#contract/turn.ts";
import { isHeld, labelOf } from "./agent-state/label.ts";
import { notInSubtree } from "./agent-state/subtree.ts";
import { notRunning, refusedNow, suggestion } from "./agent-state/transitions.ts";
import type { Decision } from "./decision.ts";
import { wakesOnMail } from "./mail.ts";
import { noSlot, positionBeforeAll } from "./prompt.ts";
import { type Claim, turnLeaseOf } from "./slots.ts";
import {
	cancelled,
	ending,
	itemsOf,
	noOpenWork,
	type OpenCall,
	refusedIfHandedOver,
	refusedIfNotOpen,
} from "./turn-end.ts";
import { heldForBudget, usedUp } from "./usage.ts";

/** The head of the queue becomes a turn: prompt, agent, place and slot are taken in this one decision. */
export function decideStart(
	agent: AgentState,
	{ head, run: open }: { head: PromptState | undefined; run: number | null },
	got: Claim,
	at: NodeEpoch | null = null,
): Decision {
	// the last run of its issue is settled before the next one starts
	if (open !== null) return [];
	const refusal = refusedNow(agent, "start");
	if (refusal) return refusal;
	// a git step is running in its workspace; the turn starts after it
	if (agent.lease !== null) return [];
	// a manual turn ignores holds and leaves them in place
	if (head === undefined || (agent.holds.length > 0 && !head.manual)) return [];
	if ("short" in got) return noSlot(agent, got.short);
	const { id: prompt, textEvent, source, manual } = head;
	// every turn of an agent that has an issue is a run of that issue
	const run: NewEvent[] =
		agent.issue === null
			? []
			: [{ kind: "run.started", agent: agent.id, data: { issueId: agent.issue.id, stage: agent.issue.stage } }];
	return [
		{
			kind: "turn.started",
			agent: agent.id,
			data: { prompt, textEvent, source, ...(manual && { manual }), ...turnLeaseOf(agent, got), ...at },
		},
		...run,
	];
}

/** The text of a prompt, and its author if that is not the user. */
export interface PromptText {
	text: string;
	from: Author | null;
}

/**
 * Only the caller that this succeeds for gives the prompt to a process. The text that the model will
 * see (the prompt, or the mails) is recorded as an item in the same decision.
 */
export function decideHandOver(
	agent: AgentState,
	turn: TurnState,
	prompt: PromptText,
	mails: readonly MailState[],
): Decision {
	const refusal = refusedIfHandedOver(agent, turn);
	if (refusal) return refusal;
	if (turn.source === "mail" && mails.length === 0)
		return ending(agent, turn.id, { state: "completed", reason: "the mail had been read", text: null }, noOpenWork);
	const text = turn.source === "mail" ? mails.map(quotedMail).join("\n") : prompt.text;
	// text that is not the user's carries its author, so that every model sees it quoted
	const from = turn.source === "mail" ? mailAuthor : prompt.from;
	const delivered: NewEvent[] = mails.map((mail) => ({
		kind: "mail.delivered",
		agent: agent.id,
		data: { mail: mail.id, turn: turn.id },
	}));
	return [
		{ kind: "user", agent: agent.id, turn: turn.id, text, ...(from !== null && { data: { from } }) },
		{ kind: "turn.handed", agent: agent.id, data: { turn: turn.id } },
		...delivered,
	];
}

export function decideTurnAppend(agent: AgentState, { turn, items }: TurnAppend): Decision {
	return refusedIfNotOpen(agent, turn) ?? itemsOf(agent, turn, items);
}

/** Sets the hold before the process is stopped, so that no other turn starts in between. Idempotent. */
export function decideInterrupt(
	agent: AgentState,
	{ reason, resume }: AgentInterrupt,
	facts: { turn: TurnState | undefined; above: readonly AgentId[]; approvals: readonly number[] },
	by: { actor: Actor },
): Decision {
	const refusal = notInSubtree(agent.id, facts.above, by.actor, "interrupts") ?? refusedNow(agent, "interrupt");
	if (refusal) return refusal;
	const { turn } = facts;
	if (turn === undefined) return notRunning(agent, labelOf(agent));
	const held: NewEvent[] =
		resume || isHeld(agent, "interrupt")
			? []
			: [{ kind: "agent.held", agent: agent.id, data: { hold: "interrupt", reason } }];
	// already stopping: only the hold may still be missing
	if (turn.stoppingAt !== null) return held;
	return [
		{ kind: "interrupt", agent: agent.id, turn: turn.id, text: reason },
		{ kind: "turn.stopping", agent: agent.id, data: { turn: turn.id, why: "interrupt" } },
		...cancelled(agent.id, facts.approvals),
		...held,
	];
}

/** What decides whether a turn ends early: its tool calls, the open ones among them, and urgent mail. */
export interface YieldFacts {
	calls: number;
	openCalls: readonly OpenCall[];
	mails: number;
	first: number | null;
}

/**
 * Ends a turn between two tool calls, for urgent mail or a used-up budget. Mail: no hold, and a prompt with the mail
 * comes next. Budget: a hold, and one more turn without tools in which the agent sums up. A manual turn is not ended
 * for its budget.
 */
export function decideYield(agent: AgentState, turn: TurnState, facts: YieldFacts): Decision {
	const refusal = refusedIfNotOpen(agent, turn.id);
	if (refusal) return refusal;
	// a prompt that was not handed over would be lost
	if (turn.handedAt === null || turn.stoppingAt !== null || facts.openCalls.length > 0) return [];
	const stoppable = turn.source === "budget" ? facts.calls > 0 : !turn.manual;
	const reason = stoppable ? usedUp(agent) : null;
	if (reason !== null) return outOfBudget(agent, turn, reason, facts.first);
	if (facts.mails === 0 || !wakesOnMail(agent)) return [];
	return [
		{ kind: "interrupt", agent: agent.id, turn: turn.id, text: "Urgent mail has come." },
		{ kind: "turn.stopping", agent: agent.id, data: { turn: turn.id, why: "urgent mail" } },
		{
			kind: "prompt.queued",
			agent: agent.id,
			text: "You have urgent mail.",
			data: { position: positionBeforeAll(facts.first), source: "mail" },
		},
	];
}

function outOfBudget(agent: AgentState, turn: TurnState, reason: string, first: number | null): NewEvent[] {
	return [
		{ kind: "interrupt", agent: agent.id, turn: turn.id, text: `Stopped: ${reason}.` },
		{ kind: "turn.stopping", agent: agent.id, data: { turn: turn.id, why: "budget" } },
		...heldForBudget(agent),
		...(turn.source === "budget" ? [] : [lastWordsPrompt(agent, first)]),
	];
}

const lastWordsPrompt = (agent: AgentState, first: number | null): NewEvent => ({
	kind: "prompt.queued",
	agent: agent.id,
	text: lastWordsText,
	data: { position: positionBeforeAll(first), source: "budget", manual: true },
});

const lastWordsText =
	"Your budget is used up and you were stopped. Start nothing new. Say in a few lines what is done and what is left to do.";

/**
 * Queues the prompt of an interrupted or failed turn again, at the front. Each turn is retried once; the retry itself
 * can be retried.
 */
export function decideRetry(
	agent: AgentState,
	turn: TurnState | undefined,
	facts: { promptText: PromptText | null; position: number },
): Decision {
	const refusal = refusedNow(agent, "prompt");
	if (refusal) return refusal;
	const suggestions = [suggestion("turns", agent)];
	if (turn === undefined || turn.agent !== agent.id)
		return refuse("NOT_FOUND", `${agent.handle} has no such turn.`, { details: { agent: agent.id }, suggestions });
	const no = (why: string): Refusal =>
		refuse("CONFLICT", `Turn ${turn.id} ${why}.`, { details: { agent: agent.id, turn: turn.id }, suggestions });
	if (turn.state === "open") return no("is still open");
	if (turn.state === "completed") return no("was completed; queue a new prompt instead");
	if (turn.retriedAs !== null) return no(`is run again by prompt ${turn.retriedAs}`);
	if (facts.promptText === null) return no("never handed its prompt over: it is in the queue again");
	return [
		retryPrompt(agent, turn, facts.promptText, facts.position),
		...(agent.holds.some((hold) => hold.kind === "crash")
			? [{ kind: "agent.unheld", agent: agent.id, data: { holds: ["crash"] } } satisfies NewEvent]
			: []),
	];
}

/** The prompt that repeats a turn. It names that turn, and keeps the prompt's author. */
export function retryPrompt(
	agent: AgentState,
	turn: TurnState,
	{ text, from }: PromptText,
	position: number,
): NewEvent {
	// the prompt of an issue still belongs to the issue
	const source = turn.source === "issue" ? "issue" : "queue";
	const asks = source === "issue" && agent.issue !== null ? { issueId: agent.issue.id } : {};
	const retries = { prompt: turn.prompt, turn: turn.id };
	return {
		kind: "prompt.queued",
		agent: turn.agent,
		text,
		data: { position, source, retries, ...(from !== null && { from }), ...asks },
	};
}

/** The process has ended its work and sends nothing more. */
export function decideSettle(agent: AgentState, { turn }: { turn: number }): Decision {
	return (
		refusedIfNotOpen(agent, turn) ??
		(agent.activity === "settling" ? [] : [{ kind: "turn.settling", agent: agent.id, data: { turn } }])
	);
}

export function decideSilent(agent: AgentState, { turn, since }: { turn: number; since: number }): Decision {
	if (agent.turn?.id !== turn || agent.turn.silentSince !== null) return [];
	return [{ kind: "turn.silent", agent: agent.id, data: { turn, since } }];
}

export function decideResponsive(agent: AgentState, { turn }: { turn: number }): Decision {
	if (agent.turn?.id !== turn || agent.turn.silentSince === null) return [];
	return [{ kind: "turn.responsive", agent: agent.id, data: { turn } }];
}

/** The token of an agent is valid only during an open turn. */
export function outsideTurn(caller: AgentId, agent: AgentState | undefined): Refusal | null {
	if (agent?.turn !== null && agent !== undefined) return null;
	return refuse("TURN_NOT_OPEN", "This agent has no open turn, so its process may not call Brood.", {
		details: { agent: caller },
	});
}
