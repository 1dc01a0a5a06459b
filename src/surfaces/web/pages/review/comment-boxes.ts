// The comments that are being written: a box below each range of lines. A box with text stays open until its
// comment is added or cancelled, whatever else is clicked meanwhile.
import type { Picked } from "./review-lines.tsx";

export interface CommentBoxes {
	/** the last one has the focus, and Shift extends it */
	ranges: readonly Picked[];
	/** apart from the ranges: a key that is pressed changes no row of the diff */
	texts: ReadonlyMap<Picked, string>;
}

export const noBoxes: CommentBoxes = { ranges: [], texts: new Map() };

export function opened({ ranges, texts }: CommentBoxes, next: Picked, extends_: boolean): CommentBoxes {
	const last = ranges.at(-1);
	const range = extends_ && last !== undefined ? joined(last, next) : null;
	if (last !== undefined && range !== null)
		return {
			ranges: [...ranges.slice(0, -1), range],
			texts: withText(texts, last, "").set(range, texts.get(last) ?? ""),
		};
	const same = ranges.find((each) => isSame(each, next)) ?? next;
	const written = ranges.filter((each) => each !== same && (texts.get(each) ?? "").trim() !== "");
	return { ranges: [...written, same], texts };
}

export const typed = ({ ranges, texts }: CommentBoxes, at: Picked, text: string): CommentBoxes => ({
	ranges,
	texts: withText(texts, at, text),
});

/** The box of this range for the lines up to another one. */
export function endedAt(boxes: CommentBoxes, at: Picked, to: number): CommentBoxes {
	const range = upTo(at, to);
	if (range === at) return boxes;
	return {
		ranges: boxes.ranges.map((each) => (each === at ? range : each)),
		texts: withText(withText(boxes.texts, at, ""), range, boxes.texts.get(at) ?? ""),
	};
}

/** As far as the diff shows lines; the range as it is, if it would be empty. */
export function upTo(range: Picked, to: number): Picked {
	const { from, side, lines } = range;
	const numbers = lines.flatMap((line) => (line.kind === "hunk" ? [] : (line[side] ?? [])));
	const last = from === null ? undefined : numbers.findLast((each) => each >= from && each <= to);
	return last === undefined || last === range.to ? range : { ...range, to: last };
}

export const closed = ({ ranges, texts }: CommentBoxes, at: Picked): CommentBoxes => ({
	ranges: ranges.filter((each) => each !== at),
	texts: withText(texts, at, ""),
});

function withText(texts: CommentBoxes["texts"], at: Picked, text: string): Map<Picked, string> {
	const next = new Map(texts);
	if (text === "") next.delete(at);
	else next.set(at, text);
	return next;
}

/** From the line that was picked first to this one, on the same side of the same file. */
function joined(before: Picked, next: Picked): Picked | null {
	if (before.path !== next.path || before.side !== next.side) return null;
	if (before.from === null || next.from === null) return null;
	const ends = [before.from, before.to ?? before.from, next.from, next.to ?? next.from];
	return { ...next, from: Math.min(...ends), to: Math.max(...ends) };
}

const isSame = (one: Picked, other: Picked): boolean =>
	one.path === other.path && one.side === other.side && one.from === other.from && one.to === other.to;
