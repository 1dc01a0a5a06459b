// A key of the terminal, on a screen with nothing to scroll.
import type { Key } from "../../src/surfaces/tui/transition.ts";

const nowhere = { scroll: () => null, anchorOf: () => null, anchorWith: () => null };

export const terminalKey = (name: string, now = 0): Key => ({
	...{ name, data: "", now, draft: { text: "", isCompleting: false }, height: 20, width: 100, rows: 30, room: 20 },
	reading: { ...nowhere, collapsible: () => [], isShown: () => false },
});
