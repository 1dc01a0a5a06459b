// A line of a diff as it is drawn.
import { inline } from "#contract/visible.ts";
import { languageOf } from "#views/code-tokens.ts";
import { painted, type Style } from "#views/paint.ts";
import { colouredCode } from "./code-colours.ts";
import { columnsOf } from "./pi/text.ts";

/** Nothing in it moves the cursor. */
export const shownLine = (line: string): string => inline(line).replaceAll("␉", "    ");

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
	const styled = line.startsWith(" ")
		? (colouredCode(text, languageOf(path), colour)[0] ?? "")
		: painted(lineStyle(line), text, colour);
	return margin + columnsOf(styled, from, to);
}

function lineStyle(line: string): Style {
	if (line.startsWith("+")) return "added";
	if (line.startsWith("-")) return "deleted";
	return line.startsWith("@@") ? "run" : "off";
}
