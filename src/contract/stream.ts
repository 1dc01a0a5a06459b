// The event stream, `GET /api/events`: what may be asked for, and the messages that come.
import { z } from "zod";
import { AgentId, EventId, ProjectSlug } from "./ids.ts";
import { Unjournaled } from "./rows.ts";
import type { Item } from "./wire.ts";

/** `turn.ended`, or `turn` for all events of that noun; several with commas */
export const Kinds = z
	.string()
	.regex(
		/^[a-z_]+(\.[a-z]+)?(,[a-z_]+(\.[a-z]+)?){0,49}$/,
		"a kind is a word, or a noun and a verb with a dot; several are separated by commas",
	);

export const StreamQuery = z.strictObject({
	/** the last event that the reader has */
	after: z.coerce.number().int().nonnegative().default(0),
	/** pieces of what is being said, before it is an item */
	deltas: z.stringbool().default(false),
	/** only of this agent: its id, or a name that is looked for in `project` first */
	agent: z.string().optional(),
	/** only of this project: of its agents, its issues and itself */
	project: ProjectSlug.optional(),
	kind: Kinds.optional(),
	/**
	 * items only of the agents with these ids, with commas; of all others only those that change rows (`final`, `usage`)
	 */
	threads: z
		.string()
		.max(10_000)
		.transform((text) => text.split(",").filter((id) => id !== ""))
		.pipe(z.array(AgentId))
		.optional(),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

/** A piece of an item that is still being said. It is in no journal and has no id. */
export const Delta = z.object({
	agent: AgentId,
	turn: EventId,
	message: z.string(),
	kind: z.string(),
	text: z.string(),
});
export type Delta = z.infer<typeof Delta>;

/** `journal` is agent 0's id: another one is another store. */
export const UnjournaledUpdate = z.object({ journal: z.string(), ...Unjournaled.shape }).partial();
export type UnjournaledUpdate = z.infer<typeof UnjournaledUpdate>;

/**
 * `at`: the reader has everything that it asked for up to this event, and whatever comes next happens now or is said
 * anew after each batch. `unjournaled`: what no event tells, to readers that mirror rows (`threads`), whole at first
 * and then what changed. `cut`: the reader did not keep up and goes on behind this event on another stream.
 */
export type StreamMessage =
	| { event: Item }
	| { delta: Delta }
	| { at: number }
	| { cut: number }
	| { unjournaled: UnjournaledUpdate };
