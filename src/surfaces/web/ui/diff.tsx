// A diff: only the rows in view are in the page, and a file gets its colours when its first row is shown.
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { VList } from "virtua";
import { inline } from "#contract/visible.ts";
import type { Diff } from "#contract/workspace.ts";
import { type DiffFile, type DiffLine, diffFiles } from "#views/diff-lines.ts";
import { Button } from "./button.tsx";
import { Pieces, useLanguage } from "./code.tsx";
import { colouredLines, type Piece, parserFor } from "./languages.ts";

type DiffRow = { file: DiffFile; line: DiffLine | null; at: number };

/** Asks for a further part of the same diff; null if that failed. */
type AskPart = (part: { from: string } | { path: string }) => Promise<Diff | null>;

export function DiffView({ diff, ask }: { diff: Diff; ask: AskPart }) {
	const { files, next, more } = useWholePatch(diff, ask);
	const rows = useMemo(() => rowsOf(files), [files]);
	return (
		<div className="diff" role="group" aria-label="Diff">
			<VList className="diff-list" tabIndex={0}>
				{rows.map((row) => (
					<Row key={`${row.file.path}:${row.at}`} row={row} />
				))}
				{next === null ? null : <More key={next} onShown={more} />}
			</VList>
		</div>
	);
}

/** The files that are loaded, and the one to go on with. */
function useWholePatch(diff: Diff, ask: AskPart) {
	const first = useMemo(() => {
		const isCut = diff.next.patch !== null && diff.next.patch === diff.files[0]?.path;
		return { of: diff, files: isCut ? [] : diffFiles(diff.patch), next: diff.next.patch };
	}, [diff]);
	const [loaded, setLoaded] = useState(first);
	const now = loaded.of === diff ? loaded : first;
	const more = async (): Promise<void> => {
		if (now.next === null) return;
		const page = await ask({ from: now.next });
		// a file that alone is longer than an answer is asked for by its name
		const isLong = page !== null && page.next.patch === now.next;
		const part = isLong ? await ask({ path: now.next }) : page;
		if (part === null) return;
		const next = isLong ? (page.files[1]?.path ?? null) : part.next.patch;
		setLoaded({ of: diff, files: [...now.files, ...diffFiles(part.patch)], next });
	};
	return { ...now, more };
}

/** The end of what is loaded: whoever sees it gets more. */
function More({ onShown }: { onShown(): Promise<void> }) {
	const shown = useRef(onShown);
	const [isFailed, setFailed] = useState(false);
	const load = (): void => void shown.current().then(() => setFailed(true));
	useEffect(load, []);
	return isFailed ? (
		<Button kind="quiet" onClick={load}>
			Load the rest
		</Button>
	) : (
		<p className="meta panel-note">Loading…</p>
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

function FileHead({ file: { path, from, added, deleted, isBinary, mode } }: { file: DiffFile }) {
	return (
		<div className="diff-file">
			<span className="mono clip">{inline(from === null ? path : `${from} → ${path}`)}</span>
			<span className="spread" />
			<Counts added={isBinary ? null : added} deleted={deleted} mode={mode} />
		</div>
	);
}

interface CountsProps {
	/** null for a binary file */
	added: number | null;
	deleted: number | null;
	mode?: string | null;
}

export function Counts({ added, deleted, mode = null }: CountsProps) {
	return (
		<>
			{mode !== null && <span className="meta counts">{mode}</span>}
			{added === null ? (
				<span className="meta counts">binary</span>
			) : (
				<span className="counts">
					<span className="tone-ok">+{added.toLocaleString("en")}</span>{" "}
					<span className="tone-bad">−{(deleted ?? 0).toLocaleString("en")}</span>
				</span>
			)}
		</>
	);
}

const coloured = new WeakMap<DiffFile, { language: string; pieces: Piece[][] }>();

/** The pieces of each line, once the language is loaded. Old and new text are parsed one after the other. */
export function useColours(file: DiffFile): Piece[][] | null {
	const language = parserFor(file.path);
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
