// Reads the data of one event of the journal. It was checked when it was written, so it is not parsed again.
import type { NounEvent } from "./event.ts";

type Kind = NounEvent["kind"];
type DataOf<K extends Kind> = Extract<NounEvent, { kind: K }> extends { data?: infer D } ? D : undefined;

/** Undefined for an event of another kind. */
export function dataOf<K extends Kind>(event: { kind: string; data?: unknown }, kind: K): DataOf<K> | undefined {
	if (event.kind !== kind) return undefined;
	// biome-ignore lint/suspicious/noExplicitAny: the table of events says what its kind has
	const data: any = event.data;
	return data;
}
