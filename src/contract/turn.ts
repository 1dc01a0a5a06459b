// The turn: one execution of one prompt. Its id is the id of the event that started it.
import { z } from "zod";
import { command, event } from "./define.ts";
import { AgentId, EventId, SubscriptionName } from "./ids.ts";
import { NodeId } from "./node.ts";
import { RefusalCodeSchema } from "./refusal-schema.ts";
import { Text } from "./text.ts";
import { Usage } from "./usage.ts";

export const turnStates = ["open", "completed", "interrupted", "failed"] as const;
/** `budget` is the turn for last words after one was stopped because its budget was used up */
export const turnSources = ["queue", "mail", "wait", "issue", "budget"] as const;
const stopReasons = ["interrupt", "urgent mail", "budget"] as const;
/** what a running turn is doing */
export const phases = ["model", "tool", "approval", "wait", "slot"] as const;
export type Phase = (typeof phases)[number];
/** by turn */
export const Phases = z.record(z.string(), z.enum(phases));
export type Phases = z.infer<typeof Phases>;

export const TurnState = z.strictObject({
	id: EventId,
	agent: AgentId,
	prompt: EventId,
	/** the event that has the text of the prompt */
	textEvent: EventId,
	source: z.enum(turnSources),
	/** started in spite of holds: by a person, or for the last words after a budget */
	manual: z.boolean(),
	/** whose slot it has, or had before it began to wait; null if it needs none */
	subscription: SubscriptionName.nullable(),
	/** the node that runs it, and the epoch in which it was started there */
	node: NodeId.nullable(),
	epoch: z.int().nullable(),
	state: z.enum(turnStates),
	startedAt: z.int(),
	/** when the prompt was given to a process; recorded first, so that it never runs twice */
	handedAt: z.int().nullable(),
	endedAt: z.int().nullable(),
	/** set when it was asked to stop */
	stoppingAt: z.int().nullable(),
	stoppingFor: z.enum(stopReasons).nullable(),
	reason: z.string().nullable(),
	finalItem: EventId.nullable(),
	/** the last commit that was made in it */
	commit: z.string().nullable(),
	/** tokens and cost, as reported by its program */
	usage: Usage.nullable(),
	/** the prompt that repeats it */
	retriedAs: EventId.nullable(),
});
export type TurnState = z.infer<typeof TurnState>;

const EndState = z.enum(["completed", "interrupted", "failed"]);

/** What a running turn takes: a place on the machine (a human agent's turn takes none), and a slot if it needs one. */
const Leased = { place: z.literal(true).exactOptional(), subscription: SubscriptionName.exactOptional() };

/** Where it runs. */
const At = { node: NodeId.exactOptional(), epoch: z.int().exactOptional() };

export const TurnEvent = z.discriminatedUnion("kind", [
	event("turn.started", {
		prompt: EventId,
		textEvent: EventId.exactOptional(),
		source: z.enum(turnSources),
		manual: z.literal(true).exactOptional(),
		...Leased,
		...At,
	}),
	event("turn.handed", { turn: EventId }),
	/** its process was asked to stop; its output until then still counts */
	event("turn.stopping", { turn: EventId, why: z.enum(stopReasons).exactOptional() }),
	/** after a wait, with its place and its slot again */
	event("turn.continued", { turn: EventId, ...Leased, node: NodeId.exactOptional() }),
	/** no output for `silentTurnMs` */
	event("turn.silent", { turn: EventId, since: z.int() }),
	/** output again after `turn.silent` */
	event("turn.responsive", { turn: EventId }),
	/** its process is done; its files are being snapshotted, and its branch pushed where the project says so */
	event("turn.settling", { turn: EventId }),
	/** `prompt` is done; absent if it went back to the queue */
	event("turn.ended", {
		turn: EventId,
		state: EndState,
		reason: z.string().nullable(),
		prompt: EventId.exactOptional(),
	}),
]);
export type TurnEvent = z.infer<typeof TurnEvent>;

const ItemKind = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, "an item's kind is a short lower-case word");

/** An item from a driver, before it is in the journal. */
export const TurnItem = z.strictObject({
	kind: ItemKind,
	text: Text.nullable().default(null),
	data: z.json().default(null),
});
export type TurnItem = z.infer<typeof TurnItem>;

/** The output of an unfinished tool call, or an unfinished message. */
const PartialOutput = z.union([
	z.strictObject({ call: z.string(), text: Text }),
	z.strictObject({ kind: z.enum(["assistant", "thought"]), text: Text }),
]);
export type PartialOutput = z.infer<typeof PartialOutput>;
export type PartialOf = { call: string } | { kind: "assistant" | "thought" };
export const PartialOutputs = z.array(PartialOutput);

const named = { agent: AgentId, turn: EventId };
export const TurnAppend = command("turn.append", { ...named, items: z.array(TurnItem).min(1).max(256) });
export type TurnAppend = z.infer<typeof TurnAppend>;
export const TurnEnd = command("turn.end", {
	...named,
	state: EndState,
	reason: z.string().max(10_000).nullable().default(null),
	text: Text.nullable().default(null),
	/** the last items, if they are not in the journal yet */
	items: z.array(TurnItem).max(256).default([]),
	/** a usage limit was reached; `until` if its end is known */
	limit: z.strictObject({ until: z.int().nullable() }).optional(),
});
export type TurnEnd = z.infer<typeof TurnEnd>;

/** The process never got the prompt. With `failed`, the step would fail again, so the agent is held. */
export const PromptReturn = command("prompt.return", {
	...named,
	reason: z.string().max(1000),
	failed: z.strictObject({ code: RefusalCodeSchema, step: z.string().max(100) }).optional(),
});
export type PromptReturn = z.infer<typeof PromptReturn>;

/** Queues the prompt of an ended turn again; of the latest turn if none is named. */
export const TurnRetry = command("turn.retry", { agent: AgentId, turn: EventId.optional() });
export type TurnRetry = z.infer<typeof TurnRetry>;
/** A person ends the turn of a `human` agent. */
export const TurnFinish = command("turn.finish", {
	agent: AgentId,
	message: Text.min(1),
	failed: z.boolean().default(false),
});
export type TurnFinish = z.infer<typeof TurnFinish>;
export const TurnMarkSilent = command("turn.markSilent", { ...named, since: z.int() });
export type TurnMarkSilent = z.infer<typeof TurnMarkSilent>;

/** Found open at the start: its process is gone. */
export const TurnCrash = command("turn.crash", { ...named, partials: PartialOutputs.default([]) });
export type TurnCrash = z.infer<typeof TurnCrash>;

export const TurnStart = command("turn.start", { agent: AgentId });
export const TurnHand = command("turn.hand", { ...named });
/** Stops it between two tool calls, for urgent mail or a budget that is used up. */
export const TurnYield = command("turn.yield", { ...named });
export const TurnSettle = command("turn.settle", { ...named });
export const TurnMarkResponsive = command("turn.markResponsive", { ...named });

/** Only the daemon dispatches these, except for the first two. */
export const turnCommands = [
	TurnRetry,
	TurnFinish,
	TurnStart,
	TurnHand,
	TurnAppend,
	TurnEnd,
	PromptReturn,
	TurnCrash,
	TurnYield,
	TurnSettle,
	TurnMarkSilent,
	TurnMarkResponsive,
] as const;
