// What an edit changes in a file, as the lines of a diff. Pure.

export interface FileEdit {
	added: number;
	deleted: number;
	/** as in a diff: each begins with `+`, `-` or a space */
	lines: readonly string[];
}

/** longer ones are shown by the diff of the workspace */
const linesMax = 2000;
/** unchanged lines that are shown around a change */
const around = 2;

/** Null if the texts are too long. */
export function fileEdit(old: string, fresh: string): FileEdit | null {
	const [from, to] = [linesOf(old), linesOf(fresh)];
	let head = 0;
	while (head < from.length && head < to.length && from[head] === to[head]) head++;
	let tail = 0;
	while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
	const [gone, come] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
	if (gone.length + come.length > linesMax) return null;
	const compared = linesBetween(gone, come);
	const count = (sign: string): number => compared.filter((line) => line.startsWith(sign)).length;
	const lines = [
		...from.slice(Math.max(0, head - around), head).map((line) => ` ${line}`),
		...shortened(compared),
		...from.slice(from.length - tail, from.length - tail + around).map((line) => ` ${line}`),
	];
	return { added: count("+"), deleted: count("-"), lines };
}

/** How many lines before the change are the same and not shown. */
export function hiddenBefore(old: string, fresh: string): number {
	const [from, to] = [linesOf(old), linesOf(fresh)];
	const differs = from.findIndex((line, at) => line !== to[at]);
	return Math.max(0, (differs === -1 ? from.length : differs) - around);
}

/** Both sides as one list that keeps as many lines as possible. */
function linesBetween(gone: readonly string[], come: readonly string[]): string[] {
	const width = come.length + 1;
	// how many lines can be kept of what follows each pair
	const kept = new Uint16Array((gone.length + 1) * width);
	const at = (row: number, column: number): number => kept[row * width + column] ?? 0;
	for (let row = gone.length - 1; row >= 0; row--)
		for (let column = come.length - 1; column >= 0; column--)
			kept[row * width + column] =
				gone[row] === come[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
	const lines: string[] = [];
	let [row, column] = [0, 0];
	while (row < gone.length || column < come.length)
		if (row < gone.length && column < come.length && gone[row] === come[column]) {
			lines.push(` ${gone[row++]}`);
			column++;
		} else if (column === come.length || (row < gone.length && at(row + 1, column) >= at(row, column + 1)))
			lines.push(`-${gone[row++]}`);
		else lines.push(`+${come[column++]}`);
	return lines;
}

/** Without the middle of long unchanged parts. */
function shortened(lines: readonly string[]): string[] {
	const isNear = (at: number): boolean =>
		lines.slice(Math.max(0, at - around), at + around + 1).some((line) => !line.startsWith(" "));
	return lines.flatMap((line, at) => (isNear(at) ? [line] : isNear(at - 1) ? [" ⋯"] : []));
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
