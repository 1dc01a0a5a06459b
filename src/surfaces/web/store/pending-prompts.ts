// Prompts that were sent and that the daemon has not taken yet, by agent: they outlive the page that they were sent
// from.
import { useSyncExternalStore } from "react";
import { changeDraft } from "./drafts.ts";

export interface PendingPrompt {
	id: number;
	text: string;
}

const none: readonly PendingPrompt[] = [];
const pending = new Map<string, readonly PendingPrompt[]>();
const listeners = new Set<() => void>();
let count = 0;

export const usePendingPrompts = (agent: string): readonly PendingPrompt[] =>
	useSyncExternalStore(listen, () => pending.get(agent) ?? none);

/** Shows the text until the daemon has taken it; a text that it did not take is the draft again. */
export async function onItsWay(agent: string, text: string, sent: Promise<unknown>): Promise<void> {
	const id = ++count;
	change(agent, (before) => [...before, { id, text }]);
	const answer = await sent;
	change(agent, (before) => before.filter((each) => each.id !== id));
	if (answer === null) changeDraft(agent, (now) => [text, now].filter(Boolean).join("\n"));
}

function change(agent: string, next: (before: readonly PendingPrompt[]) => readonly PendingPrompt[]): void {
	pending.set(agent, next(pending.get(agent) ?? none));
	for (const each of listeners) each();
}

function listen(changed: () => void): () => void {
	listeners.add(changed);
	return () => void listeners.delete(changed);
}
