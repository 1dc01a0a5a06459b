// A patch, cut into files: a list of files, each of which opens.
import type { Diff } from "#contract/workspace.ts";
import { patchFiles } from "#views/diff-lines.ts";
import type { DiffFile, DiffPanel } from "./model.ts";

export function diffPanel({ patch, files, truncated, omitted }: Diff, title: string): DiffPanel {
	const shown = filesOf(patch);
	const named = new Set(shown.map(({ path }) => path));
	const others: DiffFile[] = files
		.filter(({ path }) => !named.has(path))
		.map(({ path }) => ({ path, added: null, deleted: null, lines: [] }));
	const cut = truncated ? ["The diff is too long and was cut; `git diff` in the workspace shows all of it."] : [];
	const left = omitted.map(({ path, reason }) => `${path}: ${reason}`);
	const notes = [...cut, ...left];
	const last: DiffFile[] =
		notes.length === 0
			? []
			: [{ path: "not shown", added: null, deleted: null, lines: notes.map((note) => ` ${note}`) }];
	const all = [...shown, ...others, ...last];
	return { kind: "diff", at: 0, title, files: all, opened: new Set(all.length === 1 ? [0] : []) };
}

export const filesOf = (patch: string): DiffFile[] =>
	patchFiles(patch).map(({ path, isBinary, body }) => {
		const isText = body.length > 0 || !isBinary;
		return {
			path,
			added: isText ? body.filter((line) => line.startsWith("+")).length : null,
			deleted: isText ? body.filter((line) => line.startsWith("-")).length : null,
			lines: [...body],
		};
	});

/** A row of the list: a file, or a line of one. */
export interface DiffRow {
	file: number;
	/** null for the file itself */
	line: number | null;
}

export const diffRows = ({ files, opened }: Pick<DiffPanel, "files" | "opened">): DiffRow[] =>
	files.flatMap(({ lines }, file) => [
		{ file, line: null },
		...(opened.has(file) ? lines.map((_, line) => ({ file, line })) : []),
	]);

/** Where the row of a file is. */
export const rowOfFile = (panel: Pick<DiffPanel, "files" | "opened">, file: number): number =>
	diffRows(panel).findIndex((row) => row.file === file && row.line === null);

/** A file as it was reviewed: it counts as reviewed until its lines change. */
export function reviewMark({ path, lines }: DiffFile): string {
	let hash = 0;
	for (const line of lines) for (const letter of line) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) | 0;
	return `${path} ${lines.length} ${hash >>> 0}`;
}
