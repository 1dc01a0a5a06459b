// What a row of the screen says, without what is drawn around it: margins, bars and frames, and the breaks that only
// the width of the screen makes. It is what a selection copies.
import { widthOf } from "./pi/text.ts";

export interface Said {
	/** as its author wrote it: a tab is a tab */
	text: string;
	/** the column in which it begins */
	lead: number;
	/** what is between the row above and this one, if they are one line; null if this row begins a line */
	joint: string | null;
}

/** A line before it is cut into rows. */
export interface SaidLine {
	text: string;
	/** what is drawn before it, in its first row only */
	mark?: string;
}

/** the margin, after the bar of what a fork inherited */
const margin = /^(?:┆ )?(?: {2})?/;

/** A row as it is drawn, but for the margin. */
export function drawnRow(row: string): Said {
	const [{ length }] = margin.exec(row) ?? [""];
	return { text: row.slice(length).trimEnd(), lead: length, joint: null };
}

/** lines that may have no row of their own, or are drawn otherwise: so many are passed over to find a row's */
const passedMax = 50;

/** The rows, without colours, of lines that were cut at spaces or where a row was full. */
export function saidIn(rows: readonly string[], lines: readonly SaidLine[]): Said[] {
	// the line of the next row, and what of it the rows before have said
	let [line, said] = [0, 0];
	const next = (): void => {
		[line, said] = [line + 1, 0];
	};
	return rows.map((row) => {
		const { text: current = "" } = lines[line] ?? {};
		if (!/[^\s│┆>]/.test(row) && said === 0 && current.trim() === "") {
			next();
			return { text: "", lead: 0, joint: null };
		}
		if (said > 0) {
			const found = partIn(row, current, said);
			if (found !== null) {
				const part = { text: current.slice(found.start, found.end), lead: columnsBefore(row, found.at) };
				const joint = current.slice(said, found.start);
				said = found.end;
				if (current.slice(said).trim() === "") next();
				return { ...part, joint };
			}
			next();
		}
		for (let at = line; row.trim() !== "" && at < Math.min(lines.length, line + passedMax); at++) {
			const { text, mark } = lines[at] ?? { text: "" };
			const found = text.trim() === "" ? null : partIn(row, text, 0, mark);
			if (found === null) continue;
			[line, said] = [at, found.end];
			if (text.slice(said).trim() === "") next();
			const indent = columnsOf(text.slice(0, found.start));
			return { text: text.slice(0, found.end), lead: columnsBefore(row, found.at) - indent, joint: null };
		}
		return drawnRow(row);
	});
}

/** Where a row, after its bars, goes on with a line, and with which part of it. Null if it is another line's row. */
function partIn(
	row: string,
	line: string,
	from: number,
	mark?: string,
): { at: number; start: number; end: number } | null {
	const start = from + (line.slice(from).length - line.slice(from).trimStart().length);
	for (let at = 0; at < row.length; at++) {
		const letter = row[at] ?? "";
		const isMark = mark !== undefined && row.startsWith(mark, at);
		if (letter.trim() !== "") {
			const after = isMark ? row.slice(at + mark.length) : "";
			const first = isMark ? at + mark.length + after.length - after.trimStart().length : at;
			const end = row.length > first ? matched(row, first, line, start) : null;
			if (end !== null) return { at: first, start, end };
			if (!"│┆>".includes(letter)) return null;
		}
	}
	return null;
}

/** The end of what the rest of a row says of a line; null if it says something else. A tab is drawn as four spaces. */
function matched(row: string, from: number, line: string, start: number): number | null {
	let [at, to] = [from, start];
	const rowEnd = row.trimEnd().length;
	while (at < rowEnd) {
		const drawn = line[to] === "\t" ? tab : line[to];
		if (drawn === undefined || !row.startsWith(drawn, at)) return null;
		at += drawn.length;
		to++;
	}
	return to;
}

/** as it is drawn */
const tab = "    ";

const letters = new Intl.Segmenter();

const columnsOf = (text: string): number => widthOf(text.replaceAll("\t", tab));

const columnsBefore = (row: string, at: number): number => widthOf(row.slice(0, at));

/** The letters that begin between two columns of the screen. */
export function partOf({ text, lead }: Omit<Said, "joint">, from: number, to: number): string {
	let [column, part] = [lead, ""];
	for (const { segment } of letters.segment(text)) {
		if (column >= to) break;
		if (column >= from) part += segment;
		column += columnsOf(segment);
	}
	return part;
}
