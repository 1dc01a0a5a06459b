// What the mouse points at. A click opens a call, or goes to an agent of the tree; a selection stays in the
// conversation or in the tree beside it.
import type { ScreenLook } from "./below.ts";
import type { Seen, State } from "./model.ts";
import {
	conversationHeight,
	conversationLook,
	conversationPage,
	conversationWidth,
	isCollapsible,
	readingOf,
} from "./screen.ts";
import { sideAgents } from "./side.ts";
import { goTo, only, type Update } from "./transition.ts";
import { toggled } from "./update.ts";

/** Null if there is nothing to click. */
export function clicked(
	state: State,
	seen: Seen,
	look: ScreenLook,
	at: { column: number; row: number },
): Update | null {
	const part = conversationLook(state, seen, look);
	const { width, height } = part;
	if (state.panel !== null || at.row >= height) return null;
	if (at.column > width) {
		const agent = sideAgents(state, seen, height)[at.row]?.agent;
		return agent === undefined || agent.id === state.current ? null : goTo(state, agent.id, "");
	}
	const page = conversationPage(state, seen, part);
	const id = page.blocks[at.row - (height - page.rows.length)] ?? null;
	const block = id === null ? undefined : seen.blocks(state.current).find((each) => each.id === id);
	if (block === undefined || !isCollapsible(block)) return null;
	return only(toggled(state, block.id, readingOf(state, seen, part)));
}

/**
 * The columns that a selection may have in a row: the tree beside the conversation is not part of what is said there.
 */
export function selectable(
	state: State,
	seen: Seen,
	look: ScreenLook,
	{ column, row }: { column: number; row: number },
): [from: number, to: number] {
	const width = conversationWidth(look.width);
	if (state.panel !== null || row >= conversationHeight(state, seen, look)) return [0, look.width];
	return column < width ? [0, width] : [width, look.width];
}
