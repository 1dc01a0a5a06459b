// Reads events of the journal by their kind. An event was checked when it was written, so it is not parsed again.
//
// In the journal a kind is any string, since other versions may have written it. Here a kind that no event has does not
// compile: a filter for a renamed event would miss it in silence.
import type { NounEvent } from "./event.ts";

type Kind = NounEvent["kind"];
type Noun = Kind extends `${infer N}.${string}` ? N : never;
type VerbOf<N extends Noun> = Kind extends infer K ? (K extends `${N}.${infer V}` ? V : never) : never;
type DataOf<K extends Kind> = Extract<NounEvent, { kind: K }> extends { data?: infer D } ? D : undefined;

/** Undefined for an event of another kind. */
export function dataOf<K extends Kind>(event: { kind: string; data?: unknown }, kind: K): DataOf<K> | undefined {
	if (event.kind !== kind) return undefined;
	// biome-ignore lint/suspicious/noExplicitAny: the table of events says what its kind has
	const data: any = event.data;
	return data;
}

/** The kinds of events that a reader looks for, by noun. */
export function kindsOf(verbs: { readonly [N in Noun]?: readonly VerbOf<N>[] }): ReadonlySet<string> {
	return new Set(Object.entries(verbs).flatMap(([noun, named]) => named.map((verb) => `${noun}.${verb}`)));
}

/** Whether an event is about one of these nouns. */
export function isAbout({ kind }: { kind: string }, ...nouns: Noun[]): boolean {
	return nouns.some((noun) => kind.startsWith(`${noun}.`));
}
