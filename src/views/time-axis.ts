// A time axis on which long idle times are collapsed, so that bursts of work stay readable.

export interface TimeSpan {
	from: number;
	to: number;
}

interface Part extends TimeSpan {
	/** on the axis, from 0 to 1 */
	start: number;
	end: number;
	isGap: boolean;
}

export interface TimeAxis {
	parts: readonly Part[];
	/** where a moment is, from 0 to 1 */
	at(time: number): number;
	ticks: readonly { at: number; time: number }[];
	/** collapsed idle times: where they are and how long they lasted */
	gaps: readonly { at: number; ms: number }[];
}

/** idle times longer than this part of the shown time are collapsed */
const collapsedShare = 0.08;
/** the part of the axis that a collapsed time takes */
const gapShare = 0.02;
/** with more collapsed times than this, little would be left of the axis */
const gapsMax = 15;

/** `busy`: when something happened. Everything outside `from` and `to` is cut off. */
export function timeAxis(busy: readonly TimeSpan[], { from, to }: TimeSpan): TimeAxis {
	const merged = mergedSpans(busy, { from, to }, (to - from) * collapsedShare);
	const parts = placed(withGaps(merged, { from, to }));
	const at = (time: number): number => {
		if (time <= from) return 0;
		const part = parts.find((each) => time <= each.to);
		if (part === undefined) return 1;
		const inside = part.to === part.from ? 0 : (time - part.from) / (part.to - part.from);
		return part.start + inside * (part.end - part.start);
	};
	const gaps = parts.filter((part) => part.isGap);
	return {
		...{ parts, at, ticks: ticksOf(parts) },
		gaps: gaps.map((gap) => ({ at: (gap.start + gap.end) / 2, ms: gap.to - gap.from })),
	};
}

/** how far apart two labels have to be, in parts of the axis */
const labelShare = 0.075;

/** The ticks and gaps whose labels do not cover each other: long gaps first, then ticks. */
export function axisLabels({ ticks, gaps }: TimeAxis): Pick<TimeAxis, "ticks" | "gaps"> {
	const taken: number[] = [];
	const hasRoom = ({ at }: { at: number }): boolean => {
		// at the edges a label is moved so that it is whole
		const place = Math.max(labelShare / 2, Math.min(1 - labelShare / 2, at));
		const isFree = taken.every((other) => Math.abs(other - place) >= labelShare);
		if (isFree) taken.push(place);
		return isFree;
	};
	return { gaps: gaps.toSorted((a, b) => b.ms - a.ms).filter(hasRoom), ticks: ticks.filter(hasRoom) };
}

/** Joins what is close together, and what belongs to the edges. */
function mergedSpans(busy: readonly TimeSpan[], { from, to }: TimeSpan, closeMs: number): TimeSpan[] {
	const inside = busy
		.filter((span) => span.to >= from && span.from <= to)
		.map((span) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
		.toSorted((a, b) => a.from - b.from);
	// now is always on the axis
	inside.push({ from: to, to });
	let close = closeMs;
	for (;;) {
		const merged = joined(inside, close);
		if (merged.length <= gapsMax) return merged;
		close *= 2;
	}
}

function joined(spans: readonly TimeSpan[], closeMs: number): TimeSpan[] {
	const merged: TimeSpan[] = [];
	for (const span of spans) {
		const last = merged.at(-1);
		if (last !== undefined && span.from - last.to <= closeMs) last.to = Math.max(last.to, span.to);
		else merged.push({ ...span });
	}
	return merged;
}

function withGaps(spans: readonly TimeSpan[], { from }: TimeSpan): (TimeSpan & { isGap: boolean })[] {
	const all: (TimeSpan & { isGap: boolean })[] = [];
	let end = from;
	for (const span of spans) {
		if (span.from > end) all.push({ from: end, to: span.from, isGap: true });
		all.push({ ...span, isGap: false });
		end = span.to;
	}
	return all;
}

function placed(spans: readonly (TimeSpan & { isGap: boolean })[]): Part[] {
	const gaps = spans.filter(({ isGap }) => isGap).length;
	const busyMs = spans.reduce((sum, { from, to, isGap }) => sum + (isGap ? 0 : to - from), 0);
	// something that is over at once still has a place
	const leastMs = Math.max(1, busyMs * 0.005);
	const weight = spans.reduce((sum, { from, to, isGap }) => sum + (isGap ? 0 : Math.max(leastMs, to - from)), 0);
	const share = Math.min(gapShare, 0.5 / Math.max(1, gaps));
	let start = 0;
	return spans.map((span) => {
		const wide = span.isGap ? share : (Math.max(leastMs, span.to - span.from) / weight) * (1 - gaps * share);
		const part = { ...span, start, end: start + wide };
		start = part.end;
		return part;
	});
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map((minutes) => minutes * 60_000);
const ticksMax = 8;

function ticksOf(parts: readonly Part[]): { at: number; time: number }[] {
	return parts.flatMap((part) => {
		if (part.isGap) return [];
		const wanted = Math.max(1, Math.floor((part.end - part.start) * ticksMax));
		const step = steps.find((ms) => (part.to - part.from) / ms <= wanted) ?? 10_080 * 60_000;
		const ticks: { at: number; time: number }[] = [];
		for (let time = Math.ceil(part.from / step) * step; time <= part.to; time += step)
			ticks.push({
				time,
				at: part.start + ((time - part.from) / Math.max(1, part.to - part.from)) * (part.end - part.start),
			});
		return ticks;
	});
}
