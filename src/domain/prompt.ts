// The prompt queue: prompts put in front, then by priority, then first in, first out. A prompt that is not due yet does
// not block the others.
import type { AgentState } from "#contract/agent.ts";
import { executesPrompt } from "#contract/agent-type.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import type {
	PromptCancel,
	PromptEdit,
	PromptMove,
	PromptQueue,
	PromptState,
	QueuePosition,
} from "#contract/prompt.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { notInSubtree } from "./agent-state/subtree.ts";
import { aboutAgent, refusedNow } from "./agent-state/transitions.ts";
import { because, type Decision } from "./decision.ts";
import { type Shortage, shortageText } from "./slots.ts";

/** Positions below zero are in front. Prompts that return after a crash go before even these. */
export const frontStart = -1_000_000_000;

/** The position before every other one. */
export const positionBeforeAll = (first: number | null): number => Math.min(first ?? frontStart, frontStart) - 1;

type Rank = Pick<PromptState, "position" | "priority">;
/** An entry of the queue, as far as its order goes. */
type Queued = Rank & Pick<PromptState, "id">;

/** The same order as in the stores' queries. */
export function byStart(a: PromptState, b: PromptState): number {
	if (a.position < 0 || b.position < 0) return a.position - b.position;
	return b.priority - a.priority || a.position - b.position;
}

/** The prompt that starts next: the first that is due. */
export const nextDue = (queue: readonly PromptState[], now: number): PromptState | undefined =>
	queue.find(({ notBefore }) => notBefore === null || notBefore <= now);

/** Positions are null while the queue is empty. */
export interface QueueFacts {
	length: number;
	lengthMax: number;
	first: number | null;
	/** the last position of all, and of those in front */
	last: number | null;
	lastFront: number | null;
	above: readonly AgentId[];
	/** the calling agent; null for people */
	caller: AgentState | null;
	/** what a manual turn lacks to start now */
	short: Shortage | null;
}

export function decideQueue(
	agent: AgentState,
	command: PromptQueue,
	queue: QueueFacts,
	by: { actor: Actor },
): Decision {
	const { text, front, now, priority, notBefore, metadata } = command;
	const refusal =
		notInSubtree(agent.id, queue.above, by.actor, "prompts") ??
		refusedNow(agent, "prompt") ??
		(now ? refusedNow(agent, "start") : null) ??
		beingDeleted(agent);
	if (refusal) return refusal;
	if (queue.caller !== null && !mayExecute(queue.caller, agent))
		return refuse(
			"FORBIDDEN",
			`${agent.handle} executes its prompts, so an agent with the policy ${queue.caller.policy} cannot prompt it.`,
			{ details: { agent: agent.id, type: agent.type } },
		);
	// holds are set by people, or for people to check
	if (now && agentOf(by.actor) !== null)
		return refuse("FORBIDDEN", "Only people can start a turn of a held agent.", { details: { agent: agent.id } });
	if (queue.length >= queue.lengthMax) return full(agent, queue);
	if (queue.short !== null) return noSlot(agent, queue.short);
	return [
		{
			kind: "prompt.queued",
			agent: agent.id,
			text,
			data: {
				position: now ? positionBeforeAll(queue.first) : nextPosition(front, queue),
				source: "queue",
				...(priority !== 0 && { priority }),
				...(notBefore !== undefined && !now && { notBefore }),
				...(now && { manual: true as const }),
				...(metadata !== undefined && { metadata }),
			},
		},
	];
}

/** An executed prompt runs without approval: only callers that may run commands without approval can queue one. */
const mayExecute = (caller: AgentState, agent: AgentState): boolean =>
	!executesPrompt(agent.type) || caller.policy === "full" || executesPrompt(caller.type);

/** Prompts put in front keep their order. */
export function nextPosition(front: boolean, { last, lastFront }: Pick<QueueFacts, "last" | "lastFront">): number {
	return front ? Math.max(frontStart, (lastFront ?? frontStart) + 1) : Math.max(0, (last ?? -1) + 1);
}

/** A prompt queued during a delete would be lost. */
function beingDeleted(agent: AgentState): Refusal | null {
	if (agent.lease?.step !== "delete") return null;
	return refuse("AGENT_BUSY", `${agent.handle} is being deleted.`, aboutAgent(agent, "status"));
}

function full(agent: AgentState, { length, lengthMax }: QueueFacts): Refusal {
	const text = `The queue of ${agent.handle} has ${length} prompts, which is the limit.`;
	return refuse("QUEUE_FULL", text, aboutAgent(agent, "queue", { limit: lengthMax }));
}

export function noSlot(agent: AgentState, short: Shortage): Refusal {
	return refuse(
		"NO_SLOT",
		`${agent.handle} cannot start now: ${shortageText(short)}.`,
		aboutAgent(agent, "status", { ...short }),
	);
}

/** The journal keeps both texts. */
export function decideEdit(
	agent: AgentState,
	{ prompt, text, before, reason }: PromptEdit,
	entry: PromptState | undefined,
): Decision {
	const refusal = refusedNow(agent, "prompt");
	if (refusal) return refusal;
	if (entry === undefined) return notQueued(agent, prompt);
	if (entry.source === "mail" || entry.source === "wait")
		return refuse(
			"CONFLICT",
			`Prompt ${prompt} announces ${entry.source === "mail" ? "mail" : "the end of a wait"} and has no text to edit.`,
		);
	if (before !== undefined && before !== entry.text)
		return refuse("CONFLICT", `Prompt ${prompt} was changed meanwhile.`, aboutAgent(agent, "queue", { prompt }));
	const author = entry.from ?? (agentOf(entry.createdBy) === null ? null : entry.createdBy);
	const from = author === null ? {} : { from: author };
	return entry.text === text
		? []
		: [
				{
					kind: "prompt.edited",
					agent: agent.id,
					text,
					data: { prompt, before: entry.text, ...because(reason), ...from },
				},
			];
}

/** The prompt takes its neighbour's priority, so that it stays in its new position. */
export function decideMovePrompt(agent: AgentState, { prompt, to }: PromptMove, queue: readonly Queued[]): Decision {
	const refusal = refusedNow(agent, "prompt");
	if (refusal) return refusal;
	const from = queue.findIndex(({ id }) => id === prompt);
	const entry = queue[from];
	if (entry === undefined) return notQueued(agent, prompt);
	const others = queue.toSpliced(from, 1);
	const at = Math.min(to - 1, others.length);
	const neighbour = others[at] ?? others[at - 1] ?? entry;
	const order = others.toSpliced(at, 0, { ...entry, position: neighbour.position, priority: neighbour.priority });
	const positions = renumbered(order).filter(
		(now) => !queue.some((old) => old.id === now.prompt && isSameRank(old, now)),
	);
	return positions.length === 0 ? [] : [{ kind: "prompt.moved", agent: agent.id, data: { prompt, positions } }];
}

function renumbered(order: readonly Queued[]): QueuePosition[] {
	const front = order.filter(({ position }) => position < 0);
	const rest = order.filter(({ position }) => position >= 0);
	const numbered = (start: number) => (entry: Queued, at: number) => ({
		prompt: entry.id,
		position: start + at,
		priority: entry.priority,
	});
	return [...front.map(numbered(frontStart)), ...rest.map(numbered(0))];
}

const isSameRank = (a: Rank, b: Rank): boolean => a.position === b.position && a.priority === b.priority;

/** `found` is the whole queue, or the one prompt if it is there. */
export function decideCancel(
	agent: AgentState,
	{ prompt, reason }: PromptCancel,
	found: readonly Pick<PromptState, "id">[],
): Decision {
	const refusal = refusedNow(agent, "prompt");
	if (refusal) return refusal;
	const prompts = found.map(({ id }) => id);
	if (prompts.length === 0) return prompt === undefined ? [] : notQueued(agent, prompt);
	return [{ kind: "prompt.cancelled", agent: agent.id, data: { prompts, ...because(reason) } }];
}

function notQueued(agent: AgentState, prompt: number): Refusal {
	return refuse("NOT_FOUND", `${agent.handle} has no queued prompt ${prompt}.`, aboutAgent(agent, "queue", { prompt }));
}
