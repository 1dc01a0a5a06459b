// What a selection copies: the text of what was marked, not the rows of the screen.
import type { Block } from "#views/conversation.ts";
import type { ScreenLook } from "./below.ts";
import type { Seen, State } from "./model.ts";
import { pageAt } from "./page.ts";
import { saidInPanel } from "./panels.ts";
import { uncoloured } from "./pi/text.ts";
import { runningLines } from "./running.ts";
import { partOf, type Said, saidIn } from "./said.ts";
import { saidRows } from "./said-block.ts";
import {
	blockLook,
	conversationHeight,
	conversationLook,
	conversationWidth,
	shownMessages,
	tailRows,
} from "./screen.ts";

/** The columns of a row that are marked, from the first to before the last. */
export interface Span {
	row: number;
	from: number;
	to: number;
}

/** `rows`: the screen as it was drawn. */
export function copiedText(
	state: State,
	seen: Seen,
	look: ScreenLook,
	{ rows, spans }: { rows: readonly string[]; spans: readonly Span[] },
): string {
	const saidOf = saidOnScreen(state, seen, look, spans[0]?.from ?? 0);
	return spans
		.map(({ row, from, to }, at) => {
			const said = saidOf(row) ?? { text: uncoloured(rows[row] ?? "").trimEnd(), lead: 0, joint: null };
			return (at === 0 ? "" : (said.joint ?? "\n")) + partOf(said, from, to).trimEnd();
		})
		.join("");
}

/** Null for a row that is copied as it is drawn. */
function saidOnScreen(state: State, seen: Seen, look: ScreenLook, column: number): (row: number) => Said | null {
	const { panel } = state;
	const height = conversationHeight(state, seen, look);
	if (panel !== null) return saidInPanel(state, panel, seen, { ...look, height });
	// the tree beside the conversation
	if (column >= conversationWidth(look.width)) return () => null;
	const { width, colour } = conversationLook(state, seen, look);
	const messages = shownMessages(state, seen);
	const tail = tailRows(state, seen, width, colour).map((row) => uncoloured(row).replace(/▌$/, ""));
	const source = {
		blocks: seen.blocks(state.current),
		tail: saidIn(tail, messages.flatMap(runningLines)),
		rowsOf: (block: Block) => saidRows(block, blockLook(state, seen, { width, colour, block })),
	};
	const { rows } = pageAt(source, state.anchors.get(state.current) ?? null, height);
	return (row) => rows[row - (height - rows.length)] ?? null;
}
