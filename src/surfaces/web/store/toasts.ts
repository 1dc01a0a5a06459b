// Short messages about what was done or refused. Each stays for four seconds, a refusal until it is dismissed.
import type { Tone } from "#views/state-style.ts";

export interface Toast {
	tone: Tone;
	text: string;
	code?: string;
	suggestions?: readonly string[];
	/** what was asked for: the refusal goes when it is done after all */
	about?: string;
}
export interface ShownToast extends Toast {
	id: number;
}

const shownMax = 4;
const staysMs = 4000;
let list: readonly ShownToast[] = [];
let count = 0;
const listeners = new Set<() => void>();

export function toast(made: Toast): void {
	const id = ++count;
	const others = list.filter(({ text }) => text !== made.text);
	list = [...others, { ...made, id }].slice(-shownMax);
	tell();
	if (made.tone !== "bad") setTimeout(() => dismiss(id), staysMs);
}

export function dismiss(id: number): void {
	list = list.filter((each) => each.id !== id);
	tell();
}

export function dismissAbout(about: string): void {
	list = list.filter((each) => each.about !== about);
	tell();
}

/** The id of the last one that was made. */
export const lastToast = (): number => count;

export const toasts = (): readonly ShownToast[] => list;

export function subscribeToasts(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

function tell(): void {
	for (const listener of listeners) listener();
}
