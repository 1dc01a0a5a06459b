// The event stream, `GET /api/events`: its query and its messages.
import { z } from "zod";
import { AfterQuery } from "./after-query.ts";
import { AgentId, EventId, ProjectSlug } from "./ids.ts";
import { Unjournaled } from "./rows.ts";
import type { WireEvent } from "./wire.ts";

/** `turn.ended`, or `turn` for all events of that noun; several with commas */
export const Kinds = z
	.string()
	.regex(
		/^[a-z_]+(\.[a-zA-Z]+)?(,[a-z_]+(\.[a-zA-Z]+)?){0,49}$/,
		"a kind is a word, or a noun and a verb with a dot; several are separated by commas",
	);

export const filterOrLookup = ProjectSlug.optional().describe(
	"a filter; with `agent`, where its name is looked up first",
);

export const StreamQuery = z.strictObject({
	/** the last event that the reader has */
	after: AfterQuery.default(0),
	/** with the output of running turns as it comes, before it is an item */
	deltas: z.stringbool().default(false),
	/** only of this agent: its id, or a name that is looked up in `project` first */
	agent: z.string().optional(),
	/** of its agents, its issues and itself */
	project: filterOrLookup,
	kind: Kinds.optional(),
	/** items only of these agents (ids with commas); of all others only items that change rows (`final`, `usage`) */
	threads: z
		.string()
		.max(10_000)
		.transform((text) => text.split(",").filter((id) => id !== ""))
		.pipe(z.array(AgentId))
		.optional(),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

/**
 * A piece of an unfinished item: of a message or a thought, or of the output of a running tool call (`kind` is
 * `tool_result`, `part` the call's id). It is not in the journal and has no id.
 */
export const Delta = z.object({
	agent: AgentId,
	turn: EventId,
	part: z.string(),
	kind: z.string(),
	text: z.string(),
});
export type Delta = z.infer<typeof Delta>;
export type LiveMessage = { delta: Delta } | { soFar: Delta };

/** The daemon's clocks, and how many turns run at once. */
export const Clocks = z.object({ now: z.int(), monotonic: z.int(), turnsMax: z.int() });
export type Clocks = z.infer<typeof Clocks>;

/** `journalId` is agent 0's id, which identifies the store. */
export const UnjournaledUpdate = z.object({ journalId: z.string(), clocks: Clocks, ...Unjournaled.shape }).partial();
export type UnjournaledUpdate = z.infer<typeof UnjournaledUpdate>;

/**
 * `soFar`: an unfinished item as far as it is, of a call's output the end; deltas follow. It is for a reader that
 * begins in the middle, and for output that does not continue what was sent. `upTo`: the reader has every matching
 * event up to this one; sent when it has caught up, then after each batch to readers that do not get all events.
 * `unjournaled`: state that is not in the journal, for readers that mirror rows (`threads`): whole at first
 * and with every keep-alive, `phases` alone when they change. `cut`: the reader did not keep up and has to reconnect
 * after this event.
 */
export type StreamMessage =
	| { event: WireEvent }
	| LiveMessage
	| { upTo: number }
	| { cut: number }
	| { unjournaled: UnjournaledUpdate };
