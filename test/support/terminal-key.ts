// A key of the terminal, on a screen with nothing to scroll.
import type { Key } from "../../src/surfaces/tui/transition.ts";

const nowhere = { scroll: () => null, anchorOf: () => null, anchorWith: () => null };

export const terminalKey = (name: string, now = 0): Key => ({
	...{ name, data: "", now, height: 20, width: 100, rows: 30, room: 20 },
	draft: { text: "", cursor: { line: 0, column: 0 }, isCompleting: false },
	reading: { ...nowhere, collapsible: () => [], isShown: () => false },
});
