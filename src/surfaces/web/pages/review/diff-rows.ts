// The rows of a review's diff.
import type { ChangedFile } from "#contract/workspace.ts";
import type { DiffFile, DiffLine } from "#views/diff-lines.ts";
import { type PairedRow, sideBySide } from "#views/side-by-side.ts";
import type { Picked } from "./review-lines.tsx";
import type { DiffPages } from "./use-diff-pages.ts";

export type Layout = "side" | "inline";

export type Row =
	| { kind: "head"; file: ChangedFile; mode: string | null }
	| { kind: "missing"; file: ChangedFile; isLong: boolean }
	| { kind: "line"; file: DiffFile; line: DiffLine; at: number }
	| { kind: "pair"; file: DiffFile; row: PairedRow; at: number }
	| { kind: "box"; picked: Picked };

export interface DiffRows {
	rows: readonly Row[];
	/** where each file begins */
	heads: ReadonlyMap<string, number>;
}

interface RowParts {
	pages: Pick<DiffPages, "files" | "drawn" | "long">;
	layout: Layout;
	viewed: ReadonlySet<string>;
	picked: Picked | null;
}

/** changed lines; longer files are loaded when somebody asks */
const linesMax = 20_000;

export function diffRows({ pages: { files, drawn, long }, layout, viewed, picked }: RowParts): DiffRows {
	const rows: Row[] = [];
	const heads = new Map<string, number>();
	for (const file of files) {
		const { path } = file;
		heads.set(path, rows.length);
		const lines = drawn.get(path);
		rows.push({ kind: "head", file, mode: lines?.mode ?? null });
		if (viewed.has(path)) continue;
		if (picked?.path === path && picked.from === null) rows.push({ kind: "box", picked });
		const isLong = long.has(path) || (file.added ?? 0) + (file.deleted ?? 0) > linesMax;
		if (lines === undefined) rows.push({ kind: "missing", file, isLong });
		else for (const row of bodyOf(lines, layout, picked?.path === path ? picked : null)) rows.push(row);
	}
	return { rows, heads };
}

const bodies: Readonly<Record<Layout, WeakMap<DiffFile, readonly Row[]>>> = {
	side: new WeakMap(),
	inline: new WeakMap(),
};

function bodyOf(file: DiffFile, layout: Layout, picked: Picked | null): readonly Row[] {
	const known = bodies[layout].get(file);
	const rows = known ?? (layout === "inline" ? inlineRows(file) : pairedRows(file));
	if (known === undefined) bodies[layout].set(file, rows);
	return picked === null ? rows : rows.flatMap((row) => (isEnd(picked, row) ? [row, { kind: "box", picked }] : [row]));
}

const inlineRows = (file: DiffFile): Row[] => file.lines.map((line, at) => ({ kind: "line", file, line, at }));

const pairedRows = (file: DiffFile): Row[] => sideBySide(file).map((row, at) => ({ kind: "pair", file, row, at }));

/** The row with the last picked line: below it is the box to write into. */
function isEnd({ side, to }: Picked, row: Row): boolean {
	const lines =
		row.kind === "line"
			? [row.line]
			: row.kind === "pair" && row.row.kind === "pair"
				? [row.row.left?.line, row.row.right?.line]
				: [];
	return to !== null && lines.some((line) => line !== undefined && line.kind !== "hunk" && line[side] === to);
}
