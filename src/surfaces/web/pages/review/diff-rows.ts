// The rows of a review's diff.
import type { ReviewComment } from "#contract/review.ts";
import type { ChangedFile } from "#contract/workspace.ts";
import type { DiffFile, DiffLine } from "#views/diff-lines.ts";
import { type PairedRow, sideBySide } from "#views/side-by-side.ts";
import { isShort } from "./drawn-files.ts";
import type { Picked } from "./review-lines.tsx";
import type { DiffPages } from "./use-diff-pages.ts";

export type Layout = "side" | "inline";

export type Row =
	| { kind: "head"; file: ChangedFile; mode: string | null }
	| { kind: "missing"; file: ChangedFile; isLong: boolean }
	| { kind: "line"; file: DiffFile; line: DiffLine; at: number }
	| { kind: "pair"; file: DiffFile; row: PairedRow; at: number }
	| { kind: "comment"; comment: ReviewComment }
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
	/** the comments that were written */
	comments: readonly ReviewComment[];
	/** where one is being written */
	boxes: readonly Picked[];
}

export function diffRows({ pages: { files, drawn, long }, layout, viewed, comments, boxes }: RowParts): DiffRows {
	const rows: Row[] = [];
	const heads = new Map<string, number>();
	const commented = belowLines(comments, boxes);
	for (const file of files) {
		const { path } = file;
		heads.set(path, rows.length);
		const lines = drawn.get(path);
		const below = commented.get(path);
		rows.push({ kind: "head", file, mode: lines?.mode ?? null });
		const about = below?.get(wholeFile) ?? [];
		if (viewed.has(path)) {
			// what is being written about the file stays, though the file is folded
			rows.push(...about.filter(({ kind }) => kind === "box"));
			continue;
		}
		rows.push(...about);
		const isLong = long.has(path) || !isShort(file);
		if (lines === undefined) rows.push({ kind: "missing", file, isLong });
		else for (const row of bodyOf(lines, layout, below)) rows.push(row);
	}
	return { rows, heads };
}

type Below = ReadonlyMap<string, readonly Row[]>;

const wholeFile = "";
const lineKey = ({ side, to }: Pick<Picked, "side" | "to">): string => (to === null ? wholeFile : `${side} ${to}`);

/** By file and last line: the comments and boxes that are shown below it. */
function belowLines(comments: readonly ReviewComment[], boxes: readonly Picked[]): ReadonlyMap<string, Below> {
	const all = [
		...comments.map((comment) => ({ range: comment, row: { kind: "comment", comment } as const })),
		...boxes.map((picked) => ({ range: picked, row: { kind: "box", picked } as const })),
	];
	const files = [...Map.groupBy(all, ({ range }) => range.path)].map(([path, those]): [string, Below] => {
		const byLine = [...Map.groupBy(those, ({ range }) => lineKey(range))];
		return [path, new Map(byLine.map(([key, rows]) => [key, rows.map(({ row }) => row)]))];
	});
	return new Map(files);
}

const bodies: Readonly<Record<Layout, WeakMap<DiffFile, readonly Row[]>>> = {
	side: new WeakMap(),
	inline: new WeakMap(),
};

function bodyOf(file: DiffFile, layout: Layout, below: Below | undefined): readonly Row[] {
	const known = bodies[layout].get(file);
	const rows = known ?? (layout === "inline" ? inlineRows(file) : pairedRows(file));
	if (known === undefined) bodies[layout].set(file, rows);
	return below === undefined
		? rows
		: rows.flatMap((row) => [row, ...lineKeysOf(row).flatMap((key) => below.get(key) ?? [])]);
}

const inlineRows = (file: DiffFile): Row[] => file.lines.map((line, at) => ({ kind: "line", file, line, at }));

const pairedRows = (file: DiffFile): Row[] => sideBySide(file).map((row, at) => ({ kind: "pair", file, row, at }));

/** What a row has on each side, as comments name it. */
function lineKeysOf(row: Row): readonly string[] {
	if (row.kind === "line") return [...lineAt(row.line, "old"), ...lineAt(row.line, "new")];
	if (row.kind !== "pair" || row.row.kind !== "pair") return [];
	const { left, right } = row.row;
	return [...lineAt(left?.line, "old"), ...lineAt(right?.line, "new")];
}

const lineAt = (line: DiffLine | undefined, side: Picked["side"]): readonly string[] =>
	line === undefined || line.kind === "hunk" || line[side] === null ? [] : [lineKey({ side, to: line[side] })];
