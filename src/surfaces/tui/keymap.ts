// Every key of the terminal, with what it does. The table in docs/user/terminal.md is generated from this.

export type Mode = "conversation" | "blocks" | "approval" | "list" | "tree" | "queue" | "mail" | "turns" | "diff";

export interface KeyEntry {
	keys: readonly string[];
	action: Action;
	help: string;
}

export type Action =
	| "above"
	| "child"
	| "previous"
	| "next"
	| "tree"
	| "needs-you"
	| "page-up"
	| "page-down"
	| "line-up"
	| "line-down"
	| "top"
	| "bottom"
	| "interrupt"
	| "quit"
	| "blocks"
	| "open"
	| "up"
	| "down"
	| "close"
	| "go"
	| "collapse"
	| "expand"
	| "filter"
	| "erase"
	| "allow"
	| "deny"
	| "always"
	| "whole"
	| "queue"
	| "mail"
	| "turns"
	| "diff"
	| "inbox"
	| "keys"
	| "transcript"
	| "redraw"
	| "suspend"
	| "move-up"
	| "move-down"
	| "remove"
	| "edit"
	| "reply"
	| "fork-here"
	| "viewed"
	| "next-file"
	| "previous-file"
	| "open-all";

const escapeHelp = "interrupt the running turn; twice ends it by force. Without a turn, scroll to the end";

const lists: readonly KeyEntry[] = [
	{ keys: ["up", "k"], action: "up", help: "one row up" },
	{ keys: ["down", "j"], action: "down", help: "one row down" },
	{ keys: ["pageUp"], action: "page-up", help: "one page up" },
	{ keys: ["pageDown"], action: "page-down", help: "one page down" },
	{ keys: ["home", "g"], action: "top", help: "to the beginning" },
	{ keys: ["end", "shift+g"], action: "bottom", help: "to the end" },
	{ keys: ["escape", "q", "ctrl+c"], action: "close", help: "back to the conversation" },
];

export const keymap: Readonly<Record<Mode, readonly KeyEntry[]>> = {
	conversation: [
		{ keys: ["ctrl+up"], action: "above", help: "go to the agent above" },
		{ keys: ["ctrl+down"], action: "child", help: "go to the child that was made last, a living one if there is any" },
		{ keys: ["ctrl+left"], action: "previous", help: "go to the previous living agent below the same one" },
		{ keys: ["ctrl+right"], action: "next", help: "go to the next living agent below the same one" },
		{ keys: ["ctrl+t"], action: "tree", help: "choose an agent from the tree" },
		{ keys: ["ctrl+n"], action: "needs-you", help: "go to the next agent that needs you" },
		{ keys: ["pageUp"], action: "page-up", help: "scroll one page up" },
		{ keys: ["pageDown"], action: "page-down", help: "scroll one page down" },
		{ keys: ["alt+up"], action: "line-up", help: "scroll one row up" },
		{ keys: ["alt+down"], action: "line-down", help: "scroll one row down" },
		{ keys: ["ctrl+home", "alt+home"], action: "top", help: "scroll to the beginning" },
		{ keys: ["ctrl+end", "alt+end"], action: "bottom", help: "scroll to the end, and follow it" },
		{ keys: ["escape"], action: "interrupt", help: escapeHelp },
		{ keys: ["ctrl+o"], action: "blocks", help: "choose a tool call, a thought or an earlier plan, to open it" },
		{ keys: ["f1"], action: "keys", help: "show the keys" },
		{ keys: ["f2"], action: "inbox", help: "show everything that needs you" },
		{ keys: ["f3"], action: "queue", help: "show the queue" },
		{ keys: ["f4"], action: "mail", help: "show the mail" },
		{ keys: ["f5"], action: "diff", help: "show what the agent changed" },
		{ keys: ["f6"], action: "turns", help: "show the turns, each with its diff" },
		{ keys: ["ctrl+p"], action: "transcript", help: "print the conversation into the normal screen" },
		{ keys: ["ctrl+l"], action: "redraw", help: "draw the screen again" },
		{ keys: ["ctrl+z"], action: "suspend", help: "suspend Brood's terminal; `fg` brings it back" },
		{ keys: ["ctrl+c"], action: "quit", help: "leave; agents go on. Asks first" },
	],
	approval: [
		{ keys: ["y", "alt+y"], action: "allow", help: "allow it" },
		{ keys: ["n", "alt+n"], action: "deny", help: "deny it" },
		{
			keys: ["a", "alt+a"],
			action: "always",
			help: "allow it always: a line says what that covers, and Enter confirms",
		},
		{ keys: ["shift+up"], action: "line-up", help: "scroll the question up" },
		{ keys: ["shift+down"], action: "line-down", help: "scroll the question down" },
		{ keys: ["v", "alt+v"], action: "whole", help: "show more of the question, or less" },
	],
	blocks: [
		{ keys: ["up", "k"], action: "up", help: "the block above" },
		{ keys: ["down", "j"], action: "down", help: "the block below" },
		{ keys: ["enter", "space"], action: "open", help: "open or close it" },
		{ keys: ["pageUp"], action: "page-up", help: "scroll one page up" },
		{ keys: ["pageDown"], action: "page-down", help: "scroll one page down" },
		{ keys: ["escape", "ctrl+o", "q", "ctrl+c"], action: "close", help: "back to the input" },
	],
	list: [...lists, { keys: ["enter"], action: "go", help: "open it, or go there" }],
	tree: [
		{ keys: ["up"], action: "up", help: "one row up" },
		{ keys: ["down"], action: "down", help: "one row down" },
		{ keys: ["pageUp"], action: "page-up", help: "one page up" },
		{ keys: ["pageDown"], action: "page-down", help: "one page down" },
		{ keys: ["enter"], action: "go", help: "go to the agent" },
		{ keys: ["left"], action: "collapse", help: "collapse those below it" },
		{ keys: ["right"], action: "expand", help: "expand them" },
		{ keys: ["tab"], action: "filter", help: "living, those that need you, all, those of all projects" },
		{ keys: ["backspace"], action: "erase", help: "erase the last letter of the search" },
		{ keys: ["escape", "ctrl+c", "ctrl+t"], action: "close", help: "back to the conversation" },
	],
	queue: [
		...lists,
		{ keys: ["shift+up", "shift+k"], action: "move-up", help: "move the prompt up" },
		{ keys: ["shift+down", "shift+j"], action: "move-down", help: "move the prompt down" },
		{ keys: ["e", "enter"], action: "edit", help: "edit the prompt" },
		{ keys: ["x", "delete"], action: "remove", help: "take the prompt out of the queue" },
	],
	mail: [
		...lists,
		{ keys: ["enter"], action: "go", help: "show the whole mail; for the agent it stays unread" },
		{ keys: ["r"], action: "reply", help: "answer it" },
		{ keys: ["x", "delete"], action: "remove", help: "delete it; the agent does not get it" },
	],
	turns: [
		...lists,
		{ keys: ["enter"], action: "go", help: "show what the turn changed" },
		{ keys: ["f"], action: "fork-here", help: "fork from the end of this turn" },
	],
	diff: [
		...lists,
		{ keys: ["enter"], action: "open", help: "open or close the file" },
		{ keys: ["o"], action: "open-all", help: "open or close all files" },
		{ keys: ["space"], action: "viewed", help: "mark the file as viewed, and go to the next" },
		{ keys: ["n"], action: "next-file", help: "to the next file" },
		{ keys: ["p"], action: "previous-file", help: "to the file before" },
	],
};

/** The keys of the input, which the library's editor takes. */
export const inputKeys: readonly Pick<KeyEntry, "keys" | "help">[] = [
	{ keys: ["enter"], help: "send the prompt, or run the command" },
	{ keys: ["alt+enter", "shift+enter", "ctrl+j"], help: "begin a new line" },
	{ keys: ["tab"], help: "complete a command, an option, an agent or a file" },
	{ keys: ["up"], help: "one line up; in the first line, the prompt before" },
	{ keys: ["down"], help: "one line down; in the last line, the prompt after" },
	{ keys: ["home", "ctrl+a"], help: "to the beginning of the line" },
	{ keys: ["end", "ctrl+e"], help: "to the end of the line" },
	{ keys: ["alt+left", "alt+b"], help: "one word to the left" },
	{ keys: ["alt+right", "alt+f"], help: "one word to the right" },
	{ keys: ["ctrl+w", "alt+backspace"], help: "delete the word before the cursor" },
	{ keys: ["alt+d", "alt+delete"], help: "delete the word after the cursor" },
	{ keys: ["ctrl+u"], help: "delete to the beginning of the line" },
	{ keys: ["ctrl+k"], help: "delete to the end of the line" },
	{ keys: ["ctrl+y"], help: "insert what was deleted last" },
	{ keys: ["ctrl+-"], help: "undo" },
];

/** What a key does in a mode; null if it means nothing there. */
export const actionOf = (mode: Mode, key: string): Action | null =>
	keymap[mode].find(({ keys }) => keys.includes(key))?.action ?? null;

/** The hint of an action: its first key. */
export function hint(mode: Mode, action: Action, word: string): string {
	const [key = ""] = keymap[mode].find((entry) => entry.action === action)?.keys ?? [];
	return `${keyName(key)} ${word}`;
}

/** As many hints as fit, none of them cut; the last one stays longest. */
export function fittingHints(hints: readonly string[], width: number): string {
	const kept = [...hints];
	while (kept.length > 1 && kept.join(" · ").length > width) kept.splice(-2, 1);
	return kept.join(" · ");
}

/** As people write keys: `Ctrl+T`, `PgUp`, `↑`. */
export function keyName(key: string): string {
	const names: Readonly<Record<string, string>> = {
		...{ up: "↑", down: "↓", left: "←", right: "→", escape: "Esc", pageUp: "PgUp", pageDown: "PgDn" },
		...{ enter: "Enter", space: "Space", tab: "Tab", home: "Home", end: "End", delete: "Del", backspace: "Backspace" },
	};
	return key
		.split("+")
		.map((part, at, all) =>
			at < all.length - 1 || /^f\d/.test(part)
				? part.charAt(0).toUpperCase() + part.slice(1)
				: (names[part] ?? (all.length > 1 ? part.toUpperCase() : part)),
		)
		.join("+");
}
