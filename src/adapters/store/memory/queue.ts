// The order of a queue in memory.
import type { PromptState } from "#contract/prompt.ts";
import type { QueueHead } from "#engine/ports/store.ts";

export function headOf({ id, priority, manual, source, createdAt, notBefore }: PromptState): QueueHead {
	return { prompt: id, priority, manual, source, since: Math.max(createdAt, notBefore ?? 0) };
}

/** The same order as the databases' queries have it. */
export function asTheyStart(a: PromptState, b: PromptState): number {
	if (a.position < 0 || b.position < 0) return a.position - b.position;
	return b.priority - a.priority || a.position - b.position;
}
