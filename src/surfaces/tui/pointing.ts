// What the mouse points at. A click opens a call, goes to an agent of the tree, or takes an entry of a list; a
// selection stays in the conversation or in the tree beside it.
import type { AgentId } from "#contract/ids.ts";
import type { ScreenLook } from "./below.ts";
import type { Panel, Seen, State } from "./model.ts";
import { pickerRows } from "./moving.ts";
import { entryAt } from "./panels.ts";
import { conversationHeight, conversationLook, conversationPage, conversationWidth, isCollapsible } from "./screen.ts";
import { sideAgents } from "./side.ts";
import { goTo, type Key, only, type Update } from "./transition.ts";
import { toggled, update } from "./update.ts";

/** What a click is for. */
export type Target = { agent: AgentId } | { block: number } | { entry: number; of: Panel["kind"] };

/** Null if there is nothing to click. */
export function targetAt(
	state: State,
	seen: Seen,
	look: ScreenLook,
	at: { column: number; row: number },
): Target | null {
	const part = conversationLook(state, seen, look);
	const { width, height } = part;
	if (at.row >= height) return null;
	if (state.panel !== null) return targetInPanel(state, state.panel, seen, { ...look, height, row: at.row });
	if (at.column > width) {
		const agent = sideAgents(state, seen, height)[at.row]?.agent;
		return agent === undefined || agent.id === state.current ? null : { agent: agent.id };
	}
	const page = conversationPage(state, seen, part);
	const block = page.blocks[at.row - (height - page.rows.length)] ?? null;
	return block === null ? null : { block };
}

function targetInPanel(state: State, panel: Panel, seen: Seen, at: Parameters<typeof entryAt>[3]): Target | null {
	const entry = entryAt(state, panel, seen, at);
	if (entry === null) return null;
	const row = panel.kind === "tree" ? pickerRows(seen, state.current, panel)[entry] : undefined;
	return row === undefined ? { entry, of: panel.kind } : { agent: row.agent.id };
}

/** Null if it does nothing. The key is Enter, which does the same for what is selected. */
export function clicked(state: State, seen: Seen, enter: Key, target: Target): Update | null {
	if ("agent" in target) return goTo(state, target.agent, "");
	if ("entry" in target) {
		if (state.panel?.kind !== target.of) return null;
		const there = { ...state, panel: { ...state.panel, at: target.entry } };
		// Enter would begin an edit
		return target.of === "queue" ? only(there) : update(there, enter, seen);
	}
	const block = seen.blocks(state.current).find((each) => each.id === target.block);
	if (block === undefined || !isCollapsible(block)) return null;
	return only(toggled(state, block.id, enter.reading));
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
