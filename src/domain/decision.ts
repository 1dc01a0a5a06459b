// A decision is a value: the facts that follow from a command, or the reason why none do.
// An empty list is a decision too: nothing had to change.
import type { NewEvent } from "#contract/event.ts";
import type { Refusal } from "#contract/refusal.ts";

export type Decision = readonly NewEvent[] | Refusal;

/** What was said about why, if anything was. */
export const because = (reason: string): { reason?: string } => (reason === "" ? {} : { reason });
