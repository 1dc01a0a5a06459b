// A decision: the events that follow from a command, or its refusal. An empty list means that nothing has to change.
import type { NewEvent } from "#contract/event.ts";
import type { Refusal } from "#contract/refusal.ts";

export type Decision = readonly NewEvent[] | Refusal;

/** The optional `reason` of an event. */
export const because = (reason: string): { reason?: string } => (reason === "" ? {} : { reason });
