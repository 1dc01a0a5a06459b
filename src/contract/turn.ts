// The turn: one execution of one prompt. Its id is the id of the event that started it.
import { z } from "zod";
import { AgentId, EventId } from "./ids.ts";
import { Text } from "./text.ts";

export const turnStates = ["open", "completed", "interrupted", "failed"] as const;
export const turnSources = ["queue", "mail"] as const;

export const TurnState = z.strictObject({
	id: EventId,
	agent: AgentId,
	prompt: EventId,
	source: z.enum(turnSources),
	state: z.enum(turnStates),
	startedAt: z.int(),
	/** when the prompt was given to a process; recorded before it is, so that it never starts twice */
	handedAt: z.int().nullable(),
	endedAt: z.int().nullable(),
	/** set once somebody asked for it to be stopped */
	stoppingAt: z.int().nullable(),
	reason: z.string().nullable(),
	finalItem: EventId.nullable(),
});
export type TurnState = z.infer<typeof TurnState>;

const TurnEnd = z.enum(["completed", "interrupted", "failed"]);

export const TurnFact = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("turn.started"), data: z.object({ prompt: EventId, source: z.enum(turnSources) }) }),
	z.object({ kind: z.literal("turn.handed"), data: z.object({ turn: EventId }) }),
	/** its process was asked to stop; what it says until it does still counts */
	z.object({ kind: z.literal("turn.stopping"), data: z.object({ turn: EventId }) }),
	z.object({ kind: z.literal("turn.ended"), data: z.object({ turn: EventId, state: TurnEnd, reason: z.string().nullable() }) }),
]);
export type TurnFact = z.infer<typeof TurnFact>;

const ItemKind = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, "an item's kind is a short lower-case word");

/** What a driver saw: an item before it is in the journal. */
export const TurnItem = z.strictObject({ kind: ItemKind, text: Text.nullable().default(null), data: z.json().default(null) });
export type TurnItem = z.infer<typeof TurnItem>;

const named = { agent: AgentId, turn: EventId };
const TurnAppend = z.strictObject({ type: z.literal("turn.append"), ...named, items: z.array(TurnItem).min(1).max(256) });
export type TurnAppend = z.infer<typeof TurnAppend>;
const TurnFinish = z.strictObject({
	type: z.literal("turn.end"),
	...named,
	state: TurnEnd,
	reason: z.string().max(10_000).nullable().default(null),
	text: Text.nullable().default(null),
});
export type TurnFinish = z.infer<typeof TurnFinish>;

/** The process never got the prompt. */
const TurnRelease = z.strictObject({ type: z.literal("turn.release"), ...named, reason: z.string().max(1000) });
export type TurnRelease = z.infer<typeof TurnRelease>;

/** Said by the daemon's reactors only. */
export const turnCommands = [
	z.strictObject({ type: z.literal("turn.start"), agent: AgentId }),
	z.strictObject({ type: z.literal("turn.hand"), ...named }),
	TurnAppend,
	TurnFinish,
	TurnRelease,
	/** found open at boot: its process is gone */
	z.strictObject({ type: z.literal("turn.crash"), ...named }),
] as const;
