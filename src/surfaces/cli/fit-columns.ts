// Tables that fit into a terminal: columns are left out or cut with … where it is too narrow.

const gap = 2;

interface Fit {
	/** the terminal's width; null for a file or a pipe, which gets everything */
	columns: number | null;
	/** the least important column first */
	leftOut: readonly string[];
	/**
	 * the columns that are cut, in this order, each to at least its number of characters; only the first before any is
	 * left out
	 */
	cut: readonly (readonly [name: string, least: number])[];
}

/** The first row has the names of the columns. */
export function fitColumns(rows: readonly (readonly string[])[], { columns, leftOut, cut }: Fit): string[][] {
	const [head = []] = rows;
	const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
	const shown = new Set(head.keys());
	const missing = (): number => {
		const whole = [...shown].reduce((sum, at) => sum + (widths[at] ?? 0) + gap, -gap);
		return columns === null ? 0 : Math.max(0, whole - columns);
	};
	const [first, ...others] = cut.map(([name, least]) => {
		const at = head.indexOf(name);
		const spare = shown.has(at) ? Math.max(0, (widths[at] ?? 0) - least) : 0;
		return { at, spare };
	});
	for (const name of leftOut) if (missing() > (first?.spare ?? 0)) shown.delete(head.indexOf(name));
	for (const { at, spare } of first === undefined ? [] : [first, ...others])
		widths[at] = (widths[at] ?? 0) - Math.min(spare, missing());
	return rows.map((row) => [...shown].map((at) => cutTo(row[at] ?? "", widths[at] ?? 0).padEnd(widths[at] ?? 0)));
}

/** At most this wide; what is cut ends with … */
export const cutTo = (text: string, width: number): string =>
	text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).toWellFormed()}…`;

/** A line of cells, cut at the terminal's edge where even the narrowest columns are too wide. */
export const joined = (cells: readonly string[], columns: number | null): string => {
	const line = cells.join(" ".repeat(gap)).trimEnd();
	return columns === null ? line : cutTo(line, columns);
};
