// What was typed and not sent: kept in this tab, so that a dialog that was closed or a page that was left has it again.
import { useCallback, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
/** null: nothing is kept */
const texts = new Map<string, string | null>();
const keyOf = (name: string): string => `brood.draft.${name}`;

/** A text that begins as `initial`; given that again, nothing is kept. */
export function useDraft(name: string, initial = ""): [string, (text: string) => void] {
	const text = useSyncExternalStore(listen, () => keptAs(name) ?? initial);
	return [text, useCallback((next) => changeDraft(name, () => next, initial), [name, initial])];
}

/** What is kept now. */
export const draftNow = (name: string): string => keptAs(name) ?? "";

/** Also for a page that is not shown any more. */
export function changeDraft(name: string, next: (now: string) => string, initial = ""): void {
	const key = keyOf(name);
	const text = next(keptAs(name) ?? initial);
	texts.set(key, text === initial ? null : text);
	try {
		if (text === initial) sessionStorage.removeItem(key);
		else sessionStorage.setItem(key, text);
	} catch {
		// the storage is full: the text is there until the page is loaded again
	}
	for (const each of listeners) each();
}

function keptAs(name: string): string | null {
	const key = keyOf(name);
	return texts.has(key) ? (texts.get(key) ?? null) : sessionStorage.getItem(key);
}

function listen(changed: () => void): () => void {
	listeners.add(changed);
	return () => void listeners.delete(changed);
}
