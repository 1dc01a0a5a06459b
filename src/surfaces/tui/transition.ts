// A step of the screen: the next state, and what has to happen besides.
import type { AgentId } from "#contract/ids.ts";
import type { Mode } from "./keymap.ts";
import type { Effect, State } from "./model.ts";
import type { Anchor } from "./page.ts";
import type { Draft } from "./pi/draft.ts";

export interface Update {
	state: State;
	effects: Effect[];
}

export interface Key {
	name: string;
	data: string;
	now: number;
	/** what is written in the input */
	draft: Pick<Draft, "text" | "cursor" | "isCompleting">;
	/** of the conversation's part of the screen */
	height: number;
	/** of the screen */
	width: number;
	rows: number;
	/** the rows that a question can have */
	room: number;
	reading: Reading;
}

/** What is where in the conversation that is shown. */
export interface Reading {
	/** the anchor that many rows further */
	scroll(by: number | "top"): Anchor;
	/** the selectable blocks, oldest first */
	collapsible(): readonly number[];
	isShown(block: number): boolean;
	/** the anchor that shows a block */
	anchorOf(block: number): Anchor;
	/** the anchor with these blocks opened, such that the first row of one stays on the page */
	anchorWith(opened: ReadonlySet<number>, block: number): Anchor;
}

export const only = (state: State, ...effects: Effect[]): Update => ({ state, effects });

/** Shows another agent; what was typed to the last one stays with it. */
export function goTo(state: State, to: AgentId | undefined, none: string): Update {
	if (to === undefined) return only(noted(state, none));
	const there = { ...state, current: to, panel: null, selected: null, armed: null, question: null };
	return only(there, { do: "show", agent: to });
}

export const noted = (state: State, text: string): State => ({ ...state, status: { text, style: "faint" } });

export const modeOf = ({ panel, selected }: State): Mode => {
	if (panel === null) return selected === null ? "conversation" : "blocks";
	switch (panel.kind) {
		case "tree":
		case "queue":
		case "mail":
		case "turns":
		case "diff":
			return panel.kind;
		default:
			return "list";
	}
};
