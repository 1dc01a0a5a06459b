// The rows of one block of a conversation. Collapsed, a call, a thought and an outdated plan are one row each;
// opened, they are whole.
import { inline, oneLine, visible } from "#contract/visible.ts";
import { type CallResult, summaryOf } from "#views/call-result.ts";
import { type Block, callWords, insideOf } from "#views/conversation.ts";
import { withSenders } from "#views/mail-senders.ts";
import { painted, type Style } from "#views/paint.ts";
import { planLine, planSteps } from "#views/plan.ts";
import { colouredCode } from "./code-colours.ts";
import { clipped, markdownRows, widthOf, wrapped } from "./pi/text.ts";

export interface BlockLook {
	width: number;
	colour: boolean;
	/** the agent's workspace: paths inside it are shown without it */
	folder: string | null;
	isOpened: boolean;
	/** the end of what a running call has printed */
	output: string | null;
	/** the block that the reader has selected */
	isSelected: boolean;
	nameOf(actor: string): string;
}

const margin = "  ";
/** wider prose is hard to read */
export const proseMax = 120;
/** rows of one result, at most: the rest is shown by the CLI */
const resultRowsMax = 2000;

export function blockRows(block: Block, look: BlockLook): string[] {
	const bar = block.isInherited ? painted("faint", "┆ ", look.colour) : "";
	const marks = [block.isInherited, look.isSelected && !look.colour].filter(Boolean).length;
	const rows = rowsOf(block, { ...look, width: look.width - 2 * marks }).map((row) => bar + row);
	return look.isSelected ? rows.map((row, at) => (at === 0 ? selected(row, look) : row)) : rows;
}

const selected = (row: string, { width, colour }: BlockLook): string =>
	colour ? `\u001B[7m${row.replaceAll("\u001B[0m", "\u001B[0;7m")}\u001B[0m` : clipped(`> ${row}`, width);

/** The sender of a prompt or an interrupt, if it was not the user. */
export const fromWhom = ({ author }: Block, { nameOf }: BlockLook): string =>
	author === "" ? "" : `${inline(nameOf(author))} `;

function rowsOf(block: Block, look: BlockLook): string[] {
	const paint = (style: Style, text: string): string => painted(style, text, look.colour);
	switch (block.kind) {
		case "prompt": {
			const text = withSenders(block.text, look.nameOf);
			return ["", ...hanging(`${fromWhom(block, look)}› `, text, look.width).map((row) => paint("strong", row))];
		}
		case "message":
			return block.bad
				? hanging("✗ ", `failed: ${block.text}`, look.width).map((row) => paint("bad", row))
				: markdownRows(visible(block.text), {
						...{ width: Math.min(look.width, proseMax), colour: look.colour, highlight: colouredCode },
					}).map((row) => margin + row);
		case "thought": {
			const rows = hanging(margin, block.text, look.width);
			const shown = look.isOpened ? rows : [clipped(`${margin}… ${inline(oneLine(block.text))}`, look.width)];
			return shown.map((row) => paint("faint", row));
		}
		case "call":
			return [callRow(block, look), ...(look.isOpened ? openedRows(block, look) : [])];
		case "plan":
			return block.isOutdated && !look.isOpened
				? [paint("faint", clipped(`${margin}… ${planLine(block.text)}`, look.width))]
				: planRows(block.text, look);
		default:
			return hanging(margin, fromWhom(block, look) + block.text, look.width).map((row) =>
				paint(block.bad ? "bad" : "faint", row),
			);
	}
}

/** The title on the left, how it ended on the right. */
function callRow({ tool: called, text, result, change, bad }: Block, look: BlockLook): string {
	const { colour, folder } = look;
	const width = Math.min(look.width, proseMax);
	const changed = change === null || bad ? null : `+${change.added} −${change.deleted}`;
	const end = result === null ? "…" : (changed ?? endOf(result, look));
	const words = callWords(called, insideOf(folder, text));
	const tool = inline(words.tool);
	const room = Math.max(8, width - 3 - widthOf(tool) - Math.min(widthOf(end), Math.floor(width / 2)) - 2);
	const title = clipped(inline(words.title), room);
	const shownEnd = clipped(end, Math.max(0, width - 4 - widthOf(tool) - widthOf(title)));
	const gap = " ".repeat(Math.max(1, width - 3 - widthOf(tool) - widthOf(title) - widthOf(shownEnd)));
	const paint = (style: Style, part: string): string => painted(style, part, colour);
	return `${paint(bad ? "bad" : "run", bad ? "✗" : "⏵")} ${paint("strong", tool)} ${title}${gap}${paint(bad ? "bad" : "faint", shownEnd)}`;
}

function endOf(result: CallResult, { folder }: BlockLook): string {
	const { line, count } = summaryOf(result);
	const last = inline(insideOf(folder, line));
	return count > 1 ? `${last} (${count} lines)` : last;
}

/** The result of an edit says only that it was made. */
export const outputLines = (
	{ result, change, bad }: Block,
	{ output }: Pick<BlockLook, "output">,
): readonly string[] => (change === null || bad ? (result?.text ?? output ?? "").split("\n") : change.lines);

function openedRows(block: Block, { width, colour, folder, output }: BlockLook): string[] {
	const { text, result, change } = block;
	const bar = `${margin}│ `;
	const room = width - widthOf(bar);
	const whole = wrapped(inline(insideOf(folder, text)), room);
	const lines = outputLines(block, { output });
	const shown = lines.slice(0, resultRowsMax).flatMap((line) => {
		const style = diffStyle(line);
		return wrapped(visible(line).replaceAll("\t", "    "), room).map((row) =>
			style === null ? row : painted(style, row, colour),
		);
	});
	const more = lines.length > resultRowsMax ? [`and ${lines.length - resultRowsMax} lines more: brood log`] : [];
	return [...whole, ...(result === null && change === null && output === null ? [] : shown), ...more].map(
		(row) => painted("faint", bar, colour) + row,
	);
}

/** Lines of a diff keep their colours. */
function diffStyle(line: string): Style | null {
	if (/^\+(?!\+\+ )/.test(line)) return "added";
	if (/^-(?!-- )/.test(line)) return "deleted";
	return /^@@ /.test(line) ? "run" : null;
}

const planRows = (text: string, { width, colour }: BlockLook): string[] =>
	planSteps(text).flatMap(({ state, mark, text: step }) =>
		hanging(`${margin}${mark} `, step, width).map((row) =>
			painted(state === "in_progress" ? "run" : "faint", row, colour),
		),
	);

/** The text after a mark, its further rows below the first one's text. */
export function hanging(mark: string, text: string, width: number): string[] {
	const shown = inline(mark);
	const room = Math.max(8, width - widthOf(shown));
	const rows = visible(text)
		.split("\n")
		.flatMap((line) => wrapped(line.replaceAll("\t", "    "), room));
	return rows.map((row, at) => (at === 0 ? shown : " ".repeat(widthOf(shown))) + row);
}
