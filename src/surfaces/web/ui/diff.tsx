// A diff: only the rows in view are in the page, and a file gets its colours when its first row is shown.
import { memo, useMemo } from "react";
import { VList } from "virtua";
import { type DiffFile, type DiffLine, diffFiles } from "#views/diff-lines.ts";
import { Pieces, useLanguage } from "./code.tsx";
import { colouredLines, languageOf, type Piece } from "./languages.ts";

type DiffRow = { file: DiffFile; line: DiffLine | null; at: number };

export function DiffView({ patch, truncated = false }: { patch: string; truncated?: boolean }) {
	const rows = useMemo(() => rowsOf(diffFiles(patch)), [patch]);
	return (
		<div className="diff" role="group" aria-label="Diff">
			<VList className="diff-list" tabIndex={0}>
				{rows.map((row) => (
					<Row key={`${row.file.path}:${row.at}`} row={row} />
				))}
			</VList>
			{truncated && <p className="meta panel-note">The diff is too long and is cut here.</p>}
		</div>
	);
}

const rowsOf = (files: readonly DiffFile[]): DiffRow[] =>
	files.flatMap((file) => [
		{ file, line: null, at: -1 },
		...file.lines.map((line, at): DiffRow => ({ file, line, at })),
	]);

const Row = memo(function Row({ row: { file, line, at } }: { row: DiffRow }) {
	const pieces = useColours(file);
	if (line === null) return <FileHead file={file} />;
	if (line.kind === "hunk") return <div className="diff-hunk mono clip">{line.text}</div>;
	const sign = { added: "+", deleted: "−", context: " ", note: " " }[line.kind];
	return (
		<div className={`diff-line diff-${line.kind}`}>
			<span className="diff-number">{line.old ?? ""}</span>
			<span className="diff-number">{line.new ?? ""}</span>
			<span className="diff-sign">{sign}</span>
			<span className="diff-text">{pieces === null ? line.text : <Pieces pieces={pieces[at] ?? []} />}</span>
		</div>
	);
});

function FileHead({ file: { path, from, added, deleted, isBinary } }: { file: DiffFile }) {
	return (
		<div className="diff-file">
			<span className="mono clip">{from === null ? path : `${from} → ${path}`}</span>
			<span className="spread" />
			{isBinary ? <span className="meta">binary</span> : <Counts added={added} deleted={deleted} />}
		</div>
	);
}

export function Counts({ added, deleted }: { added: number | null; deleted: number | null }) {
	return (
		<span className="counts">
			<span className="role-ok">+{added ?? 0}</span> <span className="role-bad">−{deleted ?? 0}</span>
		</span>
	);
}

const coloured = new WeakMap<DiffFile, { language: string; pieces: Piece[][] }>();

/** The pieces of each line, once the language is loaded. Old and new text are parsed one after the other. */
export function useColours(file: DiffFile): Piece[][] | null {
	const language = languageOf(file.path);
	const isReady = useLanguage(language);
	if (!isReady || language === null) return null;
	const known = coloured.get(file);
	if (known !== undefined) return known.pieces;
	const pieces = colouredDiff(file, language);
	coloured.set(file, { language, pieces });
	return pieces;
}

export function colouredDiff({ lines }: DiffFile, language: string): Piece[][] {
	const pieces: Piece[][] = lines.map(({ text }) => [{ text, className: "" }]);
	for (const side of ["deleted", "added"] as const) {
		const own = lines.flatMap(({ kind }, at) => (kind === side || kind === "context" ? [at] : []));
		const text = own.map((at) => lines[at]?.text ?? "").join("\n");
		for (const [index, line] of colouredLines(text, language).entries()) {
			const at = own[index];
			if (at !== undefined) pieces[at] = line;
		}
	}
	return pieces;
}
