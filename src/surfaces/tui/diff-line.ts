// A line of a diff as it is drawn.
import { inline } from "#contract/visible.ts";
import { languageOf } from "#views/code-tokens.ts";
import { painted, type Style } from "#views/paint.ts";
import { colouredCode } from "./code-colours.ts";
import { columnsOf } from "./pi/text.ts";
import { partOf, type Said } from "./said.ts";

let last = { line: "", text: "" };

/** Nothing in it moves the cursor. The rows of a long line are drawn one after the other. */
export function shownLine(line: string): string {
	if (line !== last.line) last = { line, text: inline(line).replaceAll("␉", "    ") };
	return last.text;
}

/** The columns of a line: changed lines in their colour, the lines around them as code. */
export function diffLine(
	line: string,
	{ from, to }: { from: number; to: number },
	path: string,
	colour: boolean,
): string {
	// the mark of a part that belongs to the row above
	const margin = from === 0 ? "  " : painted("faint", "↳ ", colour);
	const text = shownLine(line);
	if (!line.startsWith(" ")) return margin + painted(lineStyle(line), columnsOf(text, from, to), colour);
	return margin + columnsOf(colouredCode(text, languageOf(path), colour)[0] ?? "", from, to);
}

/** What these columns of a line say, below the margin. */
export function saidOfLine(line: string, { from, to }: { from: number; to: number }): Said {
	const text = line.includes("\t")
		? partOf({ text: inline(line).replaceAll("␉", "\t"), lead: 0 }, from, to)
		: columnsOf(shownLine(line), from, to);
	return { text, lead: 2, joint: from === 0 ? null : "" };
}

function lineStyle(line: string): Style {
	if (line.startsWith("+")) return "added";
	if (line.startsWith("-")) return "deleted";
	return line.startsWith("@@") ? "run" : "off";
}
