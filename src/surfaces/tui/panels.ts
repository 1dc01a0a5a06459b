// The lists over the conversation: the frame around them, and what of them is inside.
import { inline } from "#contract/visible.ts";
import { painted } from "#views/paint.ts";
import { fittingHints } from "./keymap.ts";
import type { Panel, Seen, State } from "./model.ts";
import { type Content, contentOf, type DrawnRows, type Look } from "./panel-content.ts";
import { clipped, filled, uncoloured, widthOf } from "./pi/text.ts";
import type { Said } from "./said.ts";

/** A frame with a title above and hints below; the selected row is always inside. */
export function panelRows(state: State, panel: Panel, seen: Seen, look: Look): string[] {
	const { width, colour } = look;
	const { content, rows, from, room, at, isList } = partShown(state, panel, seen, look);
	const shown = Array.from({ length: Math.min(room, rows.length - from) }, (_, index) => rows.row(from + index));
	const line = (row: string, index: number): string => {
		const isHere = isList && from + index === at;
		const text = filled(row, width - 4);
		return `│${isHere && !colour ? ">" : " "}${isHere ? marked(text, colour) : text} │`;
	};
	const count = rows.length > room ? `${from + 1}–${Math.min(from + room, rows.length)} of ${rows.length}` : "";
	return [
		edge("┌", content.title, count, "┐", width),
		...Array.from({ length: room }, (_, index) => line(shown[index] ?? "", shown[index] === undefined ? -1 : index)),
		edge("└", fittingHints(content.hints, width - 4), "", "┘", width),
	];
}

/** Which rows of the list are inside the frame. */
function partShown(state: State, panel: Panel, seen: Seen, look: Look) {
	const content = contentOf(state, panel, seen, { ...look, width: look.width - 4 });
	const room = look.height - 2;
	const { rows: found, none = "" } = content;
	const rows = drawn(found.length === 0 ? [painted("faint", none, look.colour)] : found);
	const at = Math.min(panel.at, Math.max(0, rows.length - 1));
	const isList = found.length > 0 && !isText(panel);
	const from = Math.max(0, Math.min(isList ? at - Math.floor(room / 2) : at, rows.length - room));
	return { content, rows, from, room, at, isList };
}

/** The entry of a list in a row of the screen; null if there is none. */
export function entryAt(
	state: State,
	panel: Panel,
	seen: Seen,
	{ row, ...look }: Look & { row: number },
): number | null {
	const { rows, from, room, isList } = partShown(state, panel, seen, look);
	const at = from + row - 1;
	return isList && row >= 1 && row <= room && at < rows.length ? at : null;
}

/** What the rows of the screen say without the frame. */
export function saidInPanel(state: State, panel: Panel, seen: Seen, look: Look): (row: number) => Said | null {
	const { content, rows, from, room } = partShown(state, panel, seen, look);
	return (row) => {
		const at = from + row - 1;
		if (row < 1 || row > room || at >= rows.length) return null;
		const said = content.said?.(at) ?? { text: uncoloured(rows.row(at)).trimEnd(), lead: 0, joint: null };
		return { ...said, lead: said.lead + frameWidth };
	};
}

/** the frame and a space */
const frameWidth = 2;

const drawn = (rows: Content["rows"]): DrawnRows =>
	Array.isArray(rows) ? { length: rows.length, row: (at) => rows[at] ?? "" } : rows;

/** What is only read: nothing in it can be chosen. */
const isText = ({ kind }: Panel): boolean => kind === "text" || kind === "keys" || kind === "commands";

const marked = (row: string, colour: boolean): string =>
	// without the colours of its parts, which would be patches in it
	colour ? `\u001B[7m${uncoloured(row)}\u001B[0m` : row;

function edge(left: string, text: string, more: string, right: string, width: number): string {
	const room = width - 2 - (more === "" ? 0 : widthOf(more) + 2);
	const shown = clipped(` ${inline(text)} `, room);
	const rest = room - widthOf(shown);
	return `${left}${shown}${"─".repeat(Math.max(0, rest))}${more === "" ? "" : ` ${more} `}${right}`;
}
