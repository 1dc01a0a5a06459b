// The terminal library, seen only by the files of this folder. Here: widths, wrapping, search and markdown.
import {
	fuzzyFilter,
	Markdown,
	sliceByColumn,
	stripTerminalSequences,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
} from "@earendil-works/pi-tui";

export const uncoloured = (text: string): string => stripTerminalSequences(text);

/** The columns that a text takes. */
export const widthOf = (text: string): number => visibleWidth(text);

/** Text without colours stays without: the library puts its own around the ellipsis. */
const shortened = (text: string, short: string): string =>
	text.includes("\u001B") ? short : short.replaceAll("\u001B[0m", "");

export const clipped = (text: string, width: number): string =>
	width <= 0 ? "" : shortened(text, truncateToWidth(text, width, width < 2 ? "" : "…"));

export const filled = (text: string, width: number): string => shortened(text, truncateToWidth(text, width, "…", true));

/** An empty line is one row. */
export function wrapped(text: string, width: number): string[] {
	const rows = wrapTextWithAnsi(text, Math.max(1, width));
	return rows.length === 0 ? [""] : rows;
}

const letters = new Intl.Segmenter();

/** The columns of each row of a text that is cut wherever a row is full; no letter is cut in two. */
export function cuts(text: string, width: number): { from: number; to: number }[] {
	const room = Math.max(2, width);
	const whole = widthOf(text);
	if (whole <= room) return [{ from: 0, to: whole }];
	const found: { from: number; to: number }[] = [];
	let [from, to] = [0, 0];
	for (const { segment } of letters.segment(text)) {
		const next = to + widthOf(segment);
		if (next - from > room) {
			found.push({ from, to });
			from = to;
		}
		to = next;
	}
	return [...found, { from, to }];
}

/** Some columns of a text, with its colours. */
export function columnsOf(text: string, from: number, to: number): string {
	// a letter per column: a line may have millions
	if (/^[ -~]*$/.test(text)) return text.slice(from, to);
	const part = sliceByColumn(text, from, to - from);
	return part.includes("\u001B") ? `${part}\u001B[0m` : part;
}

/**
 * What fits the words, best first. The library looks for their letters only: what has the words as they are, at best at
 * the beginning of a file's name, comes before the rest.
 */
export function matching<T>(all: readonly T[], words: string, textOf: (each: T) => string): T[] {
	const wanted = words.trim().toLowerCase();
	if (wanted === "") return [...all];
	const found = fuzzyFilter([...all], words, textOf).map((each) => {
		const text = textOf(each).toLowerCase();
		return { each, text, rank: rankOf(text, wanted) };
	});
	const isAfter = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
	return found
		.toSorted((a, b) => a.rank - b.rank || (a.rank === lettersOnly ? 0 : isAfter(a.text, b.text)))
		.map(({ each }) => each);
}

const lettersOnly = 3;

function rankOf(text: string, wanted: string): number {
	const [name = ""] = /[^/]*\/?$/.exec(text) ?? [];
	if (name.startsWith(wanted)) return 0;
	if (name.includes(wanted)) return 1;
	return text.includes(wanted) ? 2 : lettersOnly;
}

interface MarkdownLook {
	width: number;
	colour: boolean;
	/** the rows of a code block */
	highlight(code: string, language: string, colour: boolean): string[];
}

/** Very deep nesting overflows the parser's stack: such a text is shown as it is. */
export function markdownRows(text: string, look: MarkdownLook): string[] {
	const room = Math.max(8, look.width - 2);
	// the library takes three columns for a tab, everything else on the screen four
	const spaced = text.replaceAll("\t", "    ");
	try {
		const rows = new Markdown(spaced, 0, 0, theme(look), undefined, { renderLatex: false }).render(room);
		return rows.map((row) => row.trimEnd());
	} catch {
		return spaced.split("\n").flatMap((line) => wrapped(line, room));
	}
}

/** columns of a line that is not cut; much longer texts with very long lines are, to bound what the library fills up */
const lineMin = 400;
const cellsMax = 20_000_000;

/** The same without breaks for the width, without colours, and code with its tabs. */
export function markdownLines(text: string): string[] {
	const source = text.split("\n");
	const longest = source.reduce((width, line) => Math.max(width, 4 * line.length), 0);
	const width = Math.max(lineMin, Math.min(longest, Math.floor(cellsMax / source.length)));
	const spaced = (line: string): string => line.replaceAll("\t", "    ");
	const tabbed = new Map(source.filter((line) => line.includes("\t")).map((line) => [spaced(line).trimEnd(), line]));
	const highlight = (code: string): string[] =>
		code.split("\n").map((line) => tabbed.get(line.trimEnd())?.trimEnd() ?? line);
	const look = { ...theme({ colour: false, highlight }), codeBlockIndent: "", quoteBorder: () => "" };
	try {
		const rows = new Markdown(spaced(text), 0, 0, look, undefined, { renderLatex: false }).render(width);
		return rows.map((row) => uncoloured(row).trimEnd());
	} catch {
		return source;
	}
}

type Paint = (text: string) => string;

function theme({ colour, highlight }: Pick<MarkdownLook, "colour" | "highlight">) {
	// the library passes text that has colours already
	const paint = (code: string): Paint => (colour ? (text) => `\u001B[${code}m${text}\u001B[0m` : (text) => text);
	const plain: Paint = (text) => text;
	const [strong, faint, accent] = [paint("1"), paint("2"), paint("36")];
	return {
		...{ heading: strong, link: paint("4"), linkUrl: faint, code: accent, codeBlock: plain, codeBlockBorder: faint },
		...{ quote: faint, quoteBorder: faint, hr: faint, listBullet: faint, bold: strong, italic: paint("3") },
		...{ strikethrough: paint("9"), underline: paint("4") },
		highlightCode: (code: string, language?: string) => highlight(code, language ?? "", colour),
	};
}
