// The end of a turn: once, with one final item, and with its open calls, approvals and waits closed.
import type { AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { PartialOutput, PromptReturn, TurnEnd, TurnFinish, TurnItem, TurnState } from "#contract/turn.ts";
import { Usage } from "#contract/usage.ts";
import type { WaitState } from "#contract/wait.ts";
import { stepFailed } from "./agent-state/holds.ts";
import { aboutAgent } from "./agent-state/transitions.ts";
import type { Decision } from "./decision.ts";
import { positionBeforeAll } from "./prompt.ts";
import { heldForBudget, withSpent } from "./usage.ts";
import { endWait } from "./wait.ts";

export const itemsOf = (agent: AgentState, turn: number, items: readonly TurnItem[]): NewEvent[] =>
	items.map((item) => ({
		...item,
		...(item.kind === "usage" && { data: withSubscription(agent, item.data) }),
		agent: agent.id,
		turn,
	}));

/** Usage counts on the turn's subscription, whatever the program reports. */
function withSubscription({ turn }: AgentState, data: TurnItem["data"]): TurnItem["data"] {
	if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
	const { subscription: _, ...reported } = data;
	return turn === null || turn.subscription === null ? reported : { ...reported, subscription: turn.subscription };
}

/** The decision counts the usage in the turn's last items. */
export function withLastItems(
	agent: AgentState,
	{ turn, items }: TurnEnd,
	decide: (agent: AgentState) => Decision,
): Decision {
	const used = items.flatMap(({ kind, data }) => (kind === "usage" ? (Usage.safeParse(data).data ?? []) : []));
	const decision = decide({ ...agent, spent: used.reduce(withSpent, agent.spent) });
	return isRefusal(decision) ? decision : [...itemsOf(agent, turn, items), ...decision];
}

export function decideTurnEnd(
	agent: AgentState,
	{ turn, state, reason, text }: TurnEnd,
	openWork: OpenWork,
	commit: string | null,
): Decision {
	return (
		refusedIfNotOpen(agent, turn) ?? [
			...ending(agent, turn, { state, reason, text, commit }, openWork),
			...heldForBudget(agent),
		]
	);
}

/** A person ends the turn of a `human` agent. */
export function decideFinishTurn(agent: AgentState, { message, failed }: TurnFinish, openWork: OpenWork): Decision {
	if (agent.type !== "human")
		return refuse(
			"FORBIDDEN",
			`${agent.handle} is not a human agent: its driver ends its turns.`,
			aboutAgent(agent, "interrupt"),
		);
	if (agent.turn === null)
		return refuse("NOT_RUNNING", `${agent.handle} has no open turn.`, aboutAgent(agent, "status"));
	const { id: turn } = agent.turn;
	return [
		{ kind: "assistant", agent: agent.id, turn, text: message },
		...ending(
			agent,
			turn,
			{ state: failed ? "failed" : "completed", reason: failed ? "reported as failed" : null, text: message },
			openWork,
		),
	];
}

/** The prompt never reached a process: it goes back to the head of the queue. */
export function decideReturnPrompt(
	agent: AgentState,
	turn: TurnState,
	{ reason, failed }: PromptReturn,
	openWork: OpenWork,
	first: number | null,
): Decision {
	const refusal = refusedIfHandedOver(agent, turn);
	if (refusal) return refusal;
	// it was stopped on purpose, so its prompt does not go back to the queue
	if (turn.stoppingFor !== null)
		return ending(agent, turn.id, { state: "interrupted", reason: stopReason(turn), text: null }, openWork);
	return [
		...(failed === undefined ? [] : stepFailed(agent, { ...failed, reason })),
		...returned(agent, turn, first),
		...ending(agent, turn.id, { state: "interrupted", reason, text: null, returned: turn.handedAt === null }, openWork),
	];
}

/** The reason of a stopped turn's end. */
export const stopReason = ({ stoppingFor }: Pick<TurnState, "stoppingFor">): string =>
	stoppingFor === "interrupt" ? "interrupted" : (stoppingFor ?? "shutdown");

/** Only a prompt that was never handed over may run again. */
function returned(agent: AgentState, turn: TurnState, first: number | null): NewEvent[] {
	if (turn.handedAt !== null) return [];
	return [
		{ kind: "prompt.returned", agent: agent.id, data: { prompt: turn.prompt, position: positionBeforeAll(first) } },
	];
}

/** The daemon died. A prompt that was never handed over goes back to the head of the queue. */
export function decideCrash(
	agent: AgentState,
	turn: TurnState,
	openWork: OpenWork,
	first: number | null,
	why = "The daemon ended while this turn was open.",
): Decision {
	const refusal = refusedIfNotOpen(agent, turn.id);
	if (refusal) return refusal;
	return [
		...returned(agent, turn, first),
		...ending(
			agent,
			turn.id,
			{ state: "interrupted", reason: "crash", text: null, returned: turn.handedAt === null },
			openWork,
		),
		{
			kind: "agent.held",
			agent: agent.id,
			data: { hold: "crash", reason: why },
		},
	];
}

/** What a turn leaves open: calls without a result, approvals without an answer, waits. */
export interface OpenWork {
	openCalls: readonly OpenCall[];
	approvals: readonly number[];
	waits: readonly WaitState[];
	/** the partial output of open calls and messages */
	partials?: readonly PartialOutput[];
}

export const noOpenWork: OpenWork = { openCalls: [], approvals: [], waits: [] };

export function cancelled(agent: AgentId, approvals: readonly number[]): NewEvent[] {
	return approvals.length === 0 ? [] : [{ kind: "approval.cancelled", agent, data: { approvals: [...approvals] } }];
}

export interface Ending {
	state: "completed" | "interrupted" | "failed";
	reason: string | null;
	text: string | null;
	/** the last commit that was made in it */
	commit?: string | null;
	/** its prompt is in the queue again */
	returned?: boolean;
}

/** A tool call that has no result yet. */
export interface OpenCall {
	call: string;
}

export function ending(
	agent: AgentState,
	turn: number,
	{ state, reason, text, commit = null, returned = false }: Ending,
	openWork: OpenWork,
): NewEvent[] {
	const note = `The turn was ${state}${reason === null ? "" : ` (${reason})`} before this call ended.`;
	const { partials = [] } = openWork;
	const words = partials.flatMap((each): NewEvent[] =>
		"kind" in each ? [{ kind: each.kind, agent: agent.id, turn, text: each.text, data: null }] : [],
	);
	const printed = new Map(partials.flatMap((each) => ("call" in each ? [[each.call, each.text]] : [])));
	const closing: NewEvent[] = openWork.openCalls.map(({ call }) => {
		const text = [printed.get(call)?.trimEnd(), note].filter(Boolean).join("\n");
		return { kind: "tool_result", agent: agent.id, turn, text, data: { call, synthetic: true } };
	});
	return [
		...words,
		...closing,
		...cancelled(agent.id, openWork.approvals),
		...openWork.waits.flatMap((wait) => endWait(wait, "cancelled")),
		{
			kind: "final",
			agent: agent.id,
			turn,
			text: text ?? reason,
			data: { state, reason, ...(commit !== null && { commit }) },
		},
		{
			kind: "turn.ended",
			agent: agent.id,
			data: { turn, state, reason, ...(agent.turn !== null && !returned && { prompt: agent.turn.prompt }) },
		},
	];
}

/** The calls of a turn's items that have no result, in the order in which they were made. */
export function openCallsOf(items: readonly { kind: string; data: unknown }[]): OpenCall[] {
	const open = new Set<string>();
	followCalls(open, items);
	return [...open].map((call) => ({ call }));
}

/** Updates the set of open calls. */
export function followCalls(open: Set<string>, items: readonly { kind: string; data: unknown }[]): void {
	for (const { kind, data } of items) {
		const call = callOf(data);
		if (call === null) continue;
		if (kind === "tool_call") open.add(call);
		else if (kind === "tool_result") open.delete(call);
	}
}

function callOf(data: unknown): string | null {
	return typeof data === "object" && data !== null && "call" in data && typeof data.call === "string"
		? data.call
		: null;
}

/** The refusal for a turn that is over, or whose prompt was handed over. */
export function refusedIfHandedOver(agent: AgentState, turn: Pick<TurnState, "id" | "handedAt">): Refusal | null {
	if (agent.turn?.id !== turn.id || turn.handedAt === null) return refusedIfNotOpen(agent, turn.id);
	return refuse("CONFLICT", `The prompt of turn ${turn.id} was handed over before.`, {
		details: { agent: agent.id, turn: turn.id },
	});
}

/** The same for a command that may name an open turn: its prompt must not have been handed over. */
export function refusedIfTurnHandedOver(
	agent: AgentState,
	id: number | undefined,
	turn: TurnState | undefined,
): Refusal | null {
	if (id === undefined) return null;
	return turn === undefined ? refusedIfNotOpen(agent, id) : refusedIfHandedOver(agent, turn);
}

/** The refusal for a turn that is not the agent's open one. */
export function refusedIfNotOpen(agent: AgentState, turn: number): Refusal | null {
	if (agent.turn?.id === turn) return null;
	return refuse("TURN_NOT_OPEN", `Turn ${turn} of ${agent.handle} is not open.`, {
		details: { agent: agent.id, turn, openTurn: agent.turn?.id ?? null },
	});
}

/** The output that is not in the journal yet: a message may have been recorded after the last flush. */
export const notRecorded = (
	partials: readonly PartialOutput[],
	items: readonly { kind: string; text: string | null }[],
): PartialOutput[] =>
	partials.filter((each) => {
		const beginning = each.text.slice(0, comparedLength);
		return (
			"call" in each ||
			(beginning !== "" && !items.some(({ kind, text }) => kind === each.kind && text?.startsWith(beginning) === true))
		);
	});

/** the part of a long text that its item certainly has */
const comparedLength = 8 * 1024;
