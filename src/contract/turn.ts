// The turn: one execution of one prompt. Its id is the id of the event that started it.
import { z } from "zod";
import { command, event } from "./define.ts";
import { AgentId, EventId, SubscriptionName } from "./ids.ts";
import { RefusalCode } from "./refusal-schema.ts";
import { Text } from "./text.ts";
import { Usage } from "./usage.ts";

export const turnStates = ["open", "completed", "interrupted", "failed"] as const;
/** `budget` is the turn for last words, after one was stopped because a budget is used up */
export const turnSources = ["queue", "mail", "wait", "issue", "budget"] as const;
const stopReasons = ["interrupt", "urgent mail", "budget"] as const;
/** what a running turn is doing */
export const phases = ["model", "tool", "approval", "wait", "slot"] as const;
export type Phase = (typeof phases)[number];

export const TurnState = z.strictObject({
	id: EventId,
	agent: AgentId,
	prompt: EventId,
	/** the event that has the words of the prompt */
	words: EventId,
	source: z.enum(turnSources),
	/** started by hand, whatever held the agent */
	manual: z.boolean(),
	/** whose slot it has, or gave back while it waits; null if it needs none */
	subscription: SubscriptionName.nullable(),
	state: z.enum(turnStates),
	startedAt: z.int(),
	/** when the prompt was given to a process; recorded before it is, so that it never starts twice */
	handedAt: z.int().nullable(),
	endedAt: z.int().nullable(),
	/** set once somebody asked for it to be stopped */
	stoppingAt: z.int().nullable(),
	stoppingFor: z.enum(stopReasons).nullable(),
	reason: z.string().nullable(),
	finalItem: EventId.nullable(),
	/** the last commit that was made in it */
	commit: z.string().nullable(),
	/** tokens and cost, as far as its program told */
	usage: Usage.nullable(),
	/** the prompt that runs it again */
	retriedAs: EventId.nullable(),
});
export type TurnState = z.infer<typeof TurnState>;

const EndState = z.enum(["completed", "interrupted", "failed"]);

/**
 * What a turn takes when it is at work: a place on the machine, which people do without, and a slot where one is
 * needed.
 */
const Leased = { place: z.literal(true).exactOptional(), subscription: SubscriptionName.exactOptional() };

export const TurnEvent = z.discriminatedUnion("kind", [
	event("turn.started", {
		prompt: EventId,
		words: EventId.exactOptional(),
		source: z.enum(turnSources),
		manual: z.literal(true).exactOptional(),
		...Leased,
	}),
	event("turn.handed", { turn: EventId }),
	/** its process was asked to stop; what it says until it does still counts */
	event("turn.stopping", { turn: EventId, why: z.enum(stopReasons).exactOptional() }),
	/** it waited, and has its place and its slot again */
	event("turn.continued", { turn: EventId, ...Leased }),
	/** nothing was heard of it for a long time: somebody may want to look */
	event("turn.silent", { turn: EventId, since: z.int() }),
	event("turn.heard", { turn: EventId }),
	/** its process is done; what it left behind is being kept */
	event("turn.settling", { turn: EventId }),
	/** `prompt` has had its run; absent if it went back to the queue */
	event("turn.ended", {
		turn: EventId,
		state: EndState,
		reason: z.string().nullable(),
		prompt: EventId.exactOptional(),
	}),
]);
export type TurnEvent = z.infer<typeof TurnEvent>;

const ItemKind = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, "an item's kind is a short lower-case word");

/** What a driver saw: an item before it is in the journal. */
export const TurnItem = z.strictObject({
	kind: ItemKind,
	text: Text.nullable().default(null),
	data: z.json().default(null),
});
export type TurnItem = z.infer<typeof TurnItem>;

/** What a tool call had put out, or what had been said of a message, when it was last heard of. */
const PartialOutput = z.union([
	z.strictObject({ call: z.string(), text: Text }),
	z.strictObject({ said: z.enum(["assistant", "thought"]), text: Text }),
]);
export type PartialOutput = z.infer<typeof PartialOutput>;
export type PartialOf = { call: string } | { said: "assistant" | "thought" };
export const PartialOutputs = z.array(PartialOutput);

const named = { agent: AgentId, turn: EventId };
export const TurnAppend = command("turn.append", { ...named, items: z.array(TurnItem).min(1).max(256) });
export type TurnAppend = z.infer<typeof TurnAppend>;
export const TurnEnd = command("turn.end", {
	...named,
	state: EndState,
	reason: z.string().max(10_000).nullable().default(null),
	text: Text.nullable().default(null),
	/** what was heard last, if it is not in the journal yet */
	items: z.array(TurnItem).max(256).default([]),
	/** a usage limit was met, which ends at that moment if it is known */
	limit: z.strictObject({ until: z.int().nullable() }).optional(),
});
export type TurnEnd = z.infer<typeof TurnEnd>;

/** The process never got the prompt; if a step failed that would fail again, the agent is held. */
export const TurnRelease = command("turn.release", {
	...named,
	reason: z.string().max(1000),
	failed: z.strictObject({ code: RefusalCode, step: z.string().max(100) }).optional(),
});
export type TurnRelease = z.infer<typeof TurnRelease>;

/** Runs the prompt of an ended turn again, as a new prompt that names the old one; the latest turn if none is named. */
export const TurnRetry = command("turn.retry", { agent: AgentId, turn: EventId.optional() });
export type TurnRetry = z.infer<typeof TurnRetry>;
/** A person ends the turn of a `human` agent. */
export const TurnFinish = command("turn.finish", {
	agent: AgentId,
	message: Text.min(1),
	failed: z.boolean().default(false),
});
export type TurnFinish = z.infer<typeof TurnFinish>;
export const TurnSilent = command("turn.silent", { ...named, since: z.int() });
export type TurnSilent = z.infer<typeof TurnSilent>;

/** Found open at boot: its process is gone, and this is what its open calls had put out. */
export const TurnCrash = command("turn.crash", { ...named, partials: PartialOutputs.default([]) });
export type TurnCrash = z.infer<typeof TurnCrash>;

export const TurnStart = command("turn.start", { agent: AgentId });
export const TurnHand = command("turn.hand", { ...named });
/** Stops it between two tool calls, because urgent mail has come or its budget is used up. */
export const TurnYield = command("turn.yield", { ...named });
export const TurnSettle = command("turn.settle", { ...named });
export const TurnHeard = command("turn.heard", { ...named });

/** Only the daemon's reactors dispatch these, except for the first two. */
export const turnCommands = [
	TurnRetry,
	TurnFinish,
	TurnStart,
	TurnHand,
	TurnAppend,
	TurnEnd,
	TurnRelease,
	TurnCrash,
	TurnYield,
	TurnSettle,
	TurnSilent,
	TurnHeard,
] as const;
