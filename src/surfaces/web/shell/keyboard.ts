// Keys that work on every page. A key that is typed into a field, or pressed in a dialog, belongs to it.
import { type KeyboardEvent as FieldKeyboardEvent, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { navEntries } from "./nav-entries.ts";

export interface GlobalKeys {
	palette(): void;
	shortcuts(): void;
	next(): void;
}

export function useGlobalKeys({ palette, shortcuts, next }: GlobalKeys): void {
	const [, go] = useLocation();
	const isGoing = useRef(false);
	useEffect(() => {
		const press = (event: KeyboardEvent): void => {
			if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
				event.preventDefault();
				palette();
				return;
			}
			if (!isFree(event)) return;
			const entry = isGoing.current ? navEntries.find(({ key }) => key === event.key) : undefined;
			isGoing.current = event.key === "g" && entry === undefined;
			if (entry !== undefined) go(entry.href);
			else if (event.key === "?") shortcuts();
			else if (event.key === "n" && !event.defaultPrevented) next();
		};
		addEventListener("keydown", press);
		return () => removeEventListener("keydown", press);
	}, [go, palette, shortcuts, next]);
}

/** Whether a plain key is a command rather than text. */
export function isFree(event: KeyboardEvent): boolean {
	const { target } = event;
	if (event.metaKey || event.ctrlKey || event.altKey || !(target instanceof HTMLElement)) return false;
	return target.closest("input, textarea, select, [contenteditable], dialog") === null;
}

/** Enter, which sends what is in a box. On a touch screen it is the only way to begin a line: only with Ctrl there. */
export function isSendKey(event: FieldKeyboardEvent): boolean {
	const isTouch = matchMedia("(pointer: coarse)").matches;
	return event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing && (!isTouch || event.ctrlKey);
}
