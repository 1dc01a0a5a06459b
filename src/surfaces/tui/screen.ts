// The whole screen as rows: the thread with the tree beside it, an approval, the separator, the input, and hints.
import { inline, visible } from "#contract/visible.ts";
import { painted } from "#views/paint.ts";
import type { Block } from "#views/thread.ts";
import { counters, glyph, nameOf, stateOf } from "./agent-text.ts";
import { blockRows, hanging } from "./block-rows.ts";
import { hint } from "./keymap.ts";
import type { Seen, State } from "./model.ts";
import { isLiving } from "./moving.ts";
import { type Anchor, moved, type Page, pageAt } from "./page.ts";
import { panelRows } from "./panels.ts";
import { clipped, filled, markdownRows, widthOf } from "./pi.ts";
import { questionRows } from "./question.ts";
import { separatorRow } from "./separator.ts";
import { unwritable } from "./update.ts";

export interface ScreenLook {
	width: number;
	height: number;
	colour: boolean;
	/** the rows of the input */
	input: readonly string[];
}

/** wide enough for a tree beside the thread */
const sideFrom = 100;
const sideWidth = 26;

export function screenRows(state: State, seen: Seen, look: ScreenLook): string[] {
	const { width, height, colour } = look;
	const below = belowThread(state, seen, look);
	const room = Math.max(1, height - below.length);
	if (state.panel !== null)
		return fitted([...panelRows(state, state.panel, seen, { width, height: room, colour }), ...below], look);
	const side = width >= sideFrom ? sideRows(state, seen, { height: room, colour }) : null;
	const threadWidth = side === null ? width : width - sideWidth - 1;
	const page = threadPage(state, seen, { width: threadWidth, height: room, colour });
	const blank = Array.from({ length: room - page.rows.length }, () => "");
	const thread = [...blank, ...page.rows];
	const rows =
		side === null
			? thread
			: thread.map((row, at) => `${filled(row, threadWidth)} ${clipped(side[at] ?? "", sideWidth)}`);
	return fitted([...rows, ...below], look);
}

/** Never more rows or wider rows than the screen has. */
const fitted = (rows: readonly string[], { width, height }: ScreenLook): string[] =>
	rows.slice(-height).map((row) => (widthOf(row) > width ? clipped(row, width) : row));

/** How many rows of the screen belong to the thread. */
export const threadHeight = (state: State, seen: Seen, look: ScreenLook): number =>
	Math.max(1, look.height - belowThread(state, seen, look).length);

interface ThreadLook {
	width: number;
	height: number;
	colour: boolean;
}

export const threadWidth = (width: number): number => (width >= sideFrom ? width - sideWidth - 1 : width);

export function threadPage(state: State, seen: Seen, look: ThreadLook): Page {
	return pageAt(sourceOf(state, seen, look), state.anchors.get(state.current) ?? null, look.height);
}

/** The anchor so many rows further. */
export function scrolled(state: State, seen: Seen, look: ThreadLook, by: number | "top"): Anchor {
	const source = sourceOf(state, seen, look);
	const [first] = source.blocks;
	if (by === "top") return first === undefined ? null : pageAt(source, { block: first.id, row: 0 }, look.height).anchor;
	return moved(source, state.anchors.get(state.current) ?? null, by, look.height);
}

const isFoldable = ({ kind }: Block): boolean => kind === "call" || kind === "thought";

export const foldable = (seen: Seen, state: State): number[] =>
	seen
		.blocks(state.current)
		.filter(isFoldable)
		.map(({ id }) => id);

/** wrapping is the most expensive part of a frame */
const kept = new WeakMap<Block, { key: string; rows: string[] }>();

function sourceOf(state: State, seen: Seen, { width, colour }: ThreadLook) {
	const folder = seen.agents.get(state.current)?.workspace?.path ?? null;
	const rowsOf = (block: Block): string[] => {
		const [isOpened, isSelected] = [state.opened.has(block.id), state.selected === block.id];
		const key = `${width} ${isOpened} ${isSelected} ${colour}`;
		const before = kept.get(block);
		if (before?.key === key) return before.rows;
		const rows = blockRows(block, { width, colour, folder, isOpened, isSelected, nameOf: (by) => nameOf(seen, by) });
		kept.set(block, { key, rows });
		return rows;
	};
	return { blocks: seen.blocks(state.current), tail: tailRows(state, seen, width, colour), rowsOf };
}

/** The messages that are being written, and why nothing is being written though a prompt waits. */
function tailRows(state: State, seen: Seen, width: number, colour: boolean): string[] {
	const rows = seen.messages(state.current).flatMap(({ kind, text }) => {
		const whole = visible(text.trim());
		if (whole === "") return [];
		return kind === "thought"
			? hanging("  ", lastLines(whole, 5), width).map((row) => painted("faint", row, colour))
			: markdownRows(whole, width, colour).map((row) => `  ${row}`);
	});
	const agent = seen.agents.get(state.current);
	const waits = agent?.waitingFor ?? null;
	const why = waits === null ? [] : hanging("  ⧗ waits for ", waits, width).map((row) => painted("wait", row, colour));
	return rows.length === 0 ? why : rows.with(-1, `${rows.at(-1)}▌`);
}

const lastLines = (text: string, count: number): string => text.split("\n").slice(-count).join("\n");

function belowThread(state: State, seen: Seen, { width, colour, input }: ScreenLook): string[] {
	const approval = seen.approvals(state.current)[0];
	return [
		...(approval === undefined || state.panel !== null ? [] : questionRows(approval, seen, { width, colour })),
		painted("faint", "─".repeat(width), colour),
		separatorRow(state, seen, { width, colour }),
		...input,
		clipped(statusRow(state, seen, colour), width),
	];
}

/** What just happened, else what can be done. */
function statusRow(state: State, seen: Seen, colour: boolean): string {
	if (seen.connection === "lost")
		return painted("bad", "  The daemon is gone. What you typed stays; it is being looked for …", colour);
	if (seen.connection === "connecting") return painted("faint", "  connecting …", colour);
	const waiting = state.waiting.at(-1);
	if (waiting !== undefined) return painted("wait", `  ${inline(waiting.text)}   (Esc cancels)`, colour);
	if (state.notice !== null) return painted(state.notice.style, `  ${inline(state.notice.text)}`, colour);
	const dead = unwritable(seen, state.current);
	if (dead !== null) return painted("off", `  ${inline(dead)}`, colour);
	const running = seen.agents.get(state.current)?.turn !== null;
	const hints = [
		"Enter send",
		"Alt+Enter line",
		...(running ? [hint("thread", "interrupt", "interrupt")] : []),
		"Ctrl+↑↓←→ move",
		hint("thread", "tree", "tree"),
		hint("thread", "keys", "keys"),
	];
	return painted("faint", `  ${hints.join(" · ")}`, colour);
}

/** The tree beside the thread, around the current agent. */
function sideRows(state: State, seen: Seen, { height, colour }: { height: number; colour: boolean }): string[] {
	const rows = seen.tree.filter(({ agent }) => isLiving(agent) || agent.id === state.current);
	const at = Math.max(
		0,
		rows.findIndex(({ agent }) => agent.id === state.current),
	);
	const from = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
	return rows.slice(from, from + height).map(({ agent, depth }) => {
		const indent = " ".repeat(Math.min(depth, 6));
		const isHere = agent.id === state.current;
		const asking = stateOf(agent) === "asks you" ? " asks" : "";
		const name = `${inline(agent.handle)}${asking} ${counters(agent)}`.trimEnd();
		return `${indent}${glyph(agent, colour)} ${isHere ? painted("strong", name, colour) : name}${isHere ? " ←" : ""}`;
	});
}
