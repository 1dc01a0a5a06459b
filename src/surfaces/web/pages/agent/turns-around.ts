// The turns that have a dot: an agent may have more of them than a line can show.
const dotsMax = 120;

/** Those around the selected one; without one, the newest. */
export function turnsAround<T extends { id: number }>(turns: readonly T[], selected: number | null): readonly T[] {
	const at = turns.findIndex(({ id }) => id === selected);
	const newest = Math.max(0, turns.length - dotsMax);
	const from = at === -1 ? newest : Math.max(0, Math.min(newest, at - dotsMax / 2));
	return turns.slice(from, from + dotsMax);
}
