export interface Result {
	title: string;
	columns: string[];
	rows: (string | number)[][];
	/** what the table has to show, if it has a target */
	ratio?: { name: string; value: number; target: string; met: boolean };
}

export function show({ title, columns, rows, ratio }: Result): void {
	const cells = [columns, ...rows.map((row) => row.map(text))];
	const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
	console.log(`\n${title}`);
	for (const row of cells)
		console.log(
			`  ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("   ")}`,
		);
	if (ratio)
		console.log(`  ${ratio.met ? "✓" : "✗"} ${ratio.name}: ${ratio.value.toFixed(2)} (target ${ratio.target})`);
}

const text = (cell: string | number): string =>
	typeof cell === "number" ? cell.toLocaleString("en", { maximumFractionDigits: cell < 100 ? 2 : 0 }) : cell;

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted[Math.floor(sorted.length / 2)];
	if (middle === undefined) throw new Error("the median of nothing");
	return middle;
}

export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
