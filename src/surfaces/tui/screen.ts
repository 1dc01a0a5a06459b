// The whole screen as rows: the conversation with the tree beside it, an approval, the separator, the input, and hints.

import type { Delta } from "#contract/stream.ts";
import { isOutput } from "#contract/unfinished.ts";
import type { Agent } from "#contract/wire.ts";
import { type Block, runningOutput } from "#views/conversation.ts";
import { withLocalTimes } from "#views/local-times.ts";
import { painted } from "#views/paint.ts";
import { nameOf, stateText } from "./agent-text.ts";
import { belowConversation, type ScreenLook, sharesOf } from "./below.ts";
import { type BlockLook, blockRows, hanging } from "./block-rows.ts";
import { hint } from "./keymap.ts";
import type { Seen, State } from "./model.ts";
import { type Anchor, isBegunOn, moved, type Page, pageAt, topOf } from "./page.ts";
import { panelRows } from "./panels.ts";
import { clipped, filled, widthOf } from "./pi/text.ts";
import { runningRows } from "./running.ts";
import { sideRows, sideWidth } from "./side.ts";
import type { Key, Reading } from "./transition.ts";
import { welcomeRows } from "./welcome.ts";

export function screenRows(state: State, seen: Seen, look: ScreenLook): string[] {
	const { width, colour } = look;
	const { question, input } = belowConversation(state, seen, look);
	const room = conversationHeight(state, seen, look);
	const below = (isEnd: boolean): string[] => [...question, ruleRow(isEnd, look), ...input];
	if (state.panel !== null)
		return fitted([...panelRows(state, state.panel, seen, { width, height: room, colour }), ...below(true)], look);
	const beside = sideWidth(width);
	const side = beside === 0 ? null : sideRows(state, seen, { height: room, width: beside, colour });
	const page = conversationPage(state, seen, { width: conversationWidth(width), height: room, colour });
	const blank = Array.from({ length: room - page.rows.length }, () => "");
	const conversation = [...blank, ...page.rows];
	const rows =
		side === null
			? conversation
			: conversation.map((row, at) => `${filled(row, conversationWidth(width))} ${clipped(side[at] ?? "", beside)}`);
	return fitted([...rows, ...below(page.anchor === null && !seen.isDetached(state.current))], look);
}

/** Never more rows or wider rows than the screen has. */
const fitted = (rows: readonly string[], { width, height }: ScreenLook): string[] =>
	rows.slice(-height).map((row) => (widthOf(row) > width ? clipped(row, width) : row));

/** How many rows of the screen belong to the conversation. */
export function conversationHeight(state: State, seen: Seen, look: ScreenLook): number {
	const { question, input } = belowConversation(state, seen, look);
	return Math.max(1, look.height - question.length - 1 - input.length);
}

interface ConversationLook {
	width: number;
	height: number;
	colour: boolean;
}

/** The part of the screen that the conversation has. */
export const conversationLook = (state: State, seen: Seen, look: ScreenLook): ConversationLook => ({
	...{ width: conversationWidth(look.width), height: conversationHeight(state, seen, look), colour: look.colour },
});

export const conversationWidth = (width: number): number => {
	const beside = sideWidth(width);
	return beside === 0 ? width : width - beside - 1;
};

export function conversationPage(state: State, seen: Seen, look: ConversationLook): Page {
	const page = pageAt(sourceOf(state, seen, look), state.anchors.get(state.current) ?? null, look.height);
	if (page.rows.length > 0) return page;
	const rows = welcomeRows(state, seen, look).slice(0, look.height);
	return { ...page, rows, blocks: rows.map(() => null) };
}

/**
 * A reader whose page has come to the end, because it grew or a block was closed, follows the end again. While they
 * choose a block, the page stays where it is.
 */
export function followed(state: State, seen: Seen, look: ScreenLook): State {
	const { current, anchors, panel, selected } = state;
	if (selected !== null) return paused(state, seen, look);
	const [anchor, blocks] = [anchors.get(current) ?? null, seen.blocks(current)];
	// the anchor may not have been loaded yet
	const isLoaded = anchor !== null && isBetween(anchor.block, blocks[0]?.id, blocks.at(-1)?.id);
	if (!isLoaded || panel !== null || seen.isDetached(current)) return state;
	if (conversationPage(state, seen, conversationLook(state, seen, look)).anchor !== null) return state;
	return { ...state, anchors: new Map([...anchors].filter(([agent]) => agent !== current)) };
}

function paused(state: State, seen: Seen, look: ScreenLook): State {
	const { current, anchors } = state;
	if (anchors.has(current)) return state;
	const part = conversationLook(state, seen, look);
	const anchor = topOf(sourceOf(state, seen, part), part.height);
	if (anchor === null) return state;
	const page = state.paused && { ...state.paused, anchor: state.paused.anchor ?? anchor };
	return { ...state, paused: page, anchors: new Map(anchors).set(current, anchor) };
}

const isBetween = (id: number, first: number | undefined, last: number | undefined): boolean =>
	first !== undefined && last !== undefined && first <= id && id <= last;

/** The anchor so many rows further. */
export function scrolled(state: State, seen: Seen, look: ConversationLook, by: number | "top"): Anchor {
	const source = sourceOf(state, seen, look);
	const top = source.blocks[0] === undefined ? null : { block: source.blocks[0].id, row: 0 };
	const isUp = by === "top" || by < 0;
	const to =
		by === "top"
			? pageAt(source, top, look.height).anchor
			: moved(source, state.anchors.get(state.current) ?? null, by, look.height);
	// what is in memory may be less than a page: its end is not the end
	return to === null && isUp && seen.isDetached(state.current) ? top : to;
}

export const isCollapsible = ({ kind, isOutdated }: Block): boolean =>
	kind === "call" || kind === "thought" || isOutdated;

export function readingOf(state: State, seen: Seen, look: ConversationLook): Reading {
	/** Null at the end of the conversation, but not at the end of what is in memory. */
	const pinned = (source: ReturnType<typeof sourceOf>, to: Anchor): Anchor =>
		seen.isDetached(state.current) ? to : pageAt(source, to, look.height).anchor;
	return {
		scroll: (by) => scrolled(state, seen, look, by),
		collapsible: () =>
			seen
				.blocks(state.current)
				.filter(isCollapsible)
				.map(({ id }) => id),
		isShown: (block) => conversationPage(state, seen, look).blocks.includes(block),
		anchorOf: (block) => pinned(sourceOf(state, seen, look), { block, row: 0 }),
		anchorWith: (opened, block) => {
			const source = sourceOf({ ...state, opened }, seen, look);
			const before = state.anchors.get(state.current) ?? null;
			const isBegun = isBegunOn(source, before, look.height, block);
			return pinned(source, isBegun ? before : { block, row: 0 });
		},
	};
}

/** A key with the screen that it was pressed on. */
export function keyOn(
	state: State,
	seen: Seen,
	look: ScreenLook,
	pressed: Pick<Key, "name" | "data" | "now" | "draft">,
): Key {
	const part = conversationLook(state, seen, look);
	const { width, height: rows } = look;
	const { room } = sharesOf(state, seen, look);
	return { ...pressed, width, rows, room, height: part.height, reading: readingOf(state, seen, part) };
}

/** wrapping is the most expensive part of a frame */
const kept = new WeakMap<Block, { key: string; rows: string[] }>();

function sourceOf(state: State, seen: Seen, { width, colour }: ConversationLook) {
	const rowsOf = (block: Block): string[] => {
		const look = blockLook(state, seen, { width, colour, block });
		const key = `${width} ${look.isOpened} ${look.isSelected} ${colour} ${look.output ?? ""}`;
		const before = kept.get(block);
		if (before?.key === key) return before.rows;
		const rows = blockRows(block, look);
		kept.set(block, { key, rows });
		return rows;
	};
	return { blocks: seen.blocks(state.current), tail: tailRows(state, seen, width, colour), rowsOf };
}

export function blockLook(
	state: State,
	seen: Seen,
	{ width, colour, block }: { width: number; colour: boolean; block: Block },
): BlockLook {
	const folder = seen.agents.get(state.current)?.workspace?.path ?? null;
	const [isOpened, isSelected] = [state.opened.has(block.id), state.selected === block.id];
	const output = isOpened ? runningOutput(block, seen.messages(state.current)) : null;
	return { width, colour, folder, isOpened, isSelected, output, nameOf: (by: string) => nameOf(seen, by) };
}

/** The messages that are being written. */
export const shownMessages = (state: State, seen: Seen): Delta[] =>
	seen.messages(state.current).filter((message) => !isOutput(message));

/** The messages that are being written, and why nothing is being written though a prompt waits. */
export function tailRows(state: State, seen: Seen, width: number, colour: boolean): string[] {
	const rows = shownMessages(state, seen).flatMap((message) => runningRows(message, { width, colour }));
	if (rows.length > 0) return rows.with(-1, `${rows.at(-1)}▌`);
	const why = waitingText(seen.agents.get(state.current), seen.now);
	return why === null ? [] : hanging("  ⧗ ", why, width).map((row) => painted("wait", row, colour));
}

function waitingText(agent: Agent | undefined, now: number): string | null {
	if (agent === undefined || agent.waitingFor === null) return null;
	if (agent.holds.length === 0) return `the next prompt waits: ${withLocalTimes(agent.waitingFor, now)}`;
	const isError = agent.label === "error";
	const state = `${isError ? "in " : ""}${stateText(agent, now)}`;
	return `the next prompt waits: the agent is ${state}; ${isError ? "/recover repairs it" : "/resume lets it continue"}`;
}

/** Below the conversation. Whoever does not see the end of it reads how to get there. */
function ruleRow(isEnd: boolean, { width, colour }: ScreenLook): string {
	const text = isEnd ? "" : clipped(`── ↓ more below · ${hint("conversation", "bottom", "to the end")} `, width);
	return painted("faint", text + "─".repeat(width - widthOf(text)), colour);
}
