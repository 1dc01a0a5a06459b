// A card that comes into another column is another element there: what had the focus in it has it again.
import { type FocusEvent, useEffect, useRef } from "react";

interface Focused {
	card: string;
	/** which of the card's controls */
	at: number;
	element: HTMLElement;
}

const controlsOf = (card: Element | null): HTMLElement[] => [
	...(card?.querySelectorAll<HTMLElement>("button, a") ?? []),
];

/** For the element around all cards. */
export function useKeptFocus() {
	const board = useRef<HTMLDivElement>(null);
	const had = useRef<Focused | null>(null);
	useEffect(() => {
		const { current } = had;
		if (current === null || current.element.isConnected || document.activeElement !== document.body) return;
		const controls = controlsOf(board.current?.querySelector(`[data-issue="${current.card}"]`) ?? null);
		(controls[current.at] ?? controls[0])?.focus();
	});
	return {
		ref: board,
		onFocus: ({ target }: FocusEvent<HTMLElement>): void => {
			const card = target.closest<HTMLElement>("[data-issue]");
			const number = card?.dataset["issue"];
			if (number !== undefined) had.current = { card: number, at: controlsOf(card).indexOf(target), element: target };
		},
		// an element that is removed does not tell
		onBlur: (): void => {
			had.current = null;
		},
	};
}
