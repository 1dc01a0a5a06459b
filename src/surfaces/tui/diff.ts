// A patch, cut into files: a list of files, each of which opens. Where its rows are is computed file by file, so that a
// list of 20,000 files costs as much per key as a short one.
import { createHash } from "node:crypto";
import type { Diff } from "#contract/workspace.ts";
import { patchFiles, viewedText } from "#views/diff-lines.ts";
import { shownLine } from "./diff-line.ts";
import type { DiffPanel, DiffSource, PanelFile } from "./model.ts";
import { cuts } from "./pi/text.ts";

/** `diff` lists all files; the patches of some may have to be loaded. */
export function diffPanel({ patch, files, next, omitted }: Diff, title: string, source: DiffSource): DiffPanel {
	const shown = new Map(filesOf(patch).map((file) => [file.path, file]));
	// the file that did not fit is there in part only
	if (next.patch !== null) shown.delete(next.patch);
	const all: PanelFile[] = files.map(
		({ path, from, added, deleted }) =>
			shown.get(path) ?? { ...named(path, from), added, deleted, lines: null, viewed: null },
	);
	const left = omitted.map(({ path, reason }) => ` ${path}: ${reason}`);
	const last: PanelFile[] =
		left.length === 0 ? [] : [{ path: "not shown", added: null, deleted: null, lines: left, viewed: left.join("\n") }];
	const rows = [...all, ...last];
	const isOne = rows.length === 1 && rows[0]?.lines !== null;
	return { kind: "diff", at: 0, title, source, files: rows, opened: new Set(isOne ? [0] : []) };
}

export const filesOf = (patch: string): PanelFile[] =>
	patchFiles(patch).map((file) => {
		const { path, from, isBinary, isDeleted, mode, body } = file;
		const isText = body.length > 0 || !isBinary;
		const note = [isDeleted ? "deleted" : "", mode ?? ""].filter(Boolean).join(", ");
		return {
			...named(path, from),
			...(note !== "" && { note }),
			added: isText ? body.filter((line) => line.startsWith("+")).length : null,
			deleted: isText ? body.filter((line) => line.startsWith("-")).length : null,
			lines: [...body],
			viewed: viewedText(file),
		};
	});

const named = (path: string, from: string | null) => ({ path, ...(from !== null && { from }) });

/** The list with a file that was loaded meanwhile, which opens. */
export function withFile(panel: DiffPanel, loaded: PanelFile): DiffPanel {
	const at = panel.files.findIndex(({ path }) => path === loaded.path);
	if (at < 0) return panel;
	return { ...panel, files: panel.files.with(at, loaded), opened: new Set([...panel.opened, at]) };
}

/** A row of the list: a file, or a line of one, or the part of a line that did not fit into the row before. */
export interface DiffRow {
	file: number;
	/** null for the file itself */
	line: number | null;
	/** the columns of the line that the row shows; null for the file itself */
	part: { from: number; to: number } | null;
}

export interface DiffLayout {
	count: number;
	rowAt(at: number): DiffRow;
	rowOfFile(file: number): number;
}

/** `width`: the columns of a line. */
export function layoutOf({ files, opened }: Pick<DiffPanel, "files" | "opened">, width: number): DiffLayout {
	// the rows before each opened file, in the order of the files
	let before = 0;
	const open = [...opened]
		.toSorted((a, b) => a - b)
		.map((file) => {
			const rows = lineRows(files[file], width);
			const found = { file, at: file + before, rows };
			before += rows.length;
			return found;
		});
	return {
		count: files.length + before,
		rowAt(at) {
			const last = open.findLast((each) => each.at <= at);
			if (last === undefined) return { file: at, line: null, part: null };
			const row = last.rows[at - last.at - 1];
			if (row !== undefined) return { file: last.file, ...row };
			const file = at === last.at ? last.file : last.file + at - last.at - last.rows.length;
			return { file, line: null, part: null };
		},
		rowOfFile: (file) => file + open.filter((each) => each.file < file).reduce((sum, { rows }) => sum + rows.length, 0),
	};
}

type LineRow = Pick<DiffRow, "line" | "part">;

const wrappedFiles = new WeakMap<PanelFile, { width: number; rows: readonly LineRow[] }>();

function lineRows(file: PanelFile | undefined, width: number): readonly LineRow[] {
	if (file?.lines == null) return [];
	const known = wrappedFiles.get(file);
	if (known?.width === width) return known.rows;
	const rows = file.lines.flatMap((text, line) => cuts(shownLine(text), width).map((part) => ({ line, part })));
	wrappedFiles.set(file, { width, rows });
	return rows;
}

const marks = new WeakMap<PanelFile, string>();

const filesOfMarks = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

/** Its lines are not loaded, and some lines of it were viewed: whether they are the same is known when it is loaded. */
export function wasViewed({ agent }: DiffSource, { path, viewed }: PanelFile, kept: ReadonlySet<string>): boolean {
	if (viewed !== null) return false;
	const known = filesOfMarks.get(kept);
	const files = known ?? new Set([...kept].map((mark) => mark.slice(0, mark.lastIndexOf(" "))));
	if (known === undefined) filesOfMarks.set(kept, files);
	return files.has(`${agent} ${path}`);
}

/** A file as it was viewed: it counts as viewed until it changes. Null while its lines are not loaded. */
export function reviewMark({ agent }: DiffSource, file: PanelFile): string | null {
	const { path, viewed } = file;
	if (viewed === null) return null;
	const known = marks.get(file);
	if (known !== undefined) return known;
	const mark = `${agent} ${path} ${createHash("sha256").update(viewed).digest("base64url")}`;
	marks.set(file, mark);
	return mark;
}
