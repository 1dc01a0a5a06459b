// The lines of a reviewed file. A line number is a button that begins a comment; with Shift it extends the range.
import { memo } from "react";
import type { DiffFile, DiffLine } from "#views/diff-lines.ts";
import type { PairedRow } from "#views/side-by-side.ts";
import { Pieces } from "../../ui/code.tsx";
import { useColours } from "../../ui/diff.tsx";

export interface Picked {
	path: string;
	side: "old" | "new";
	from: number | null;
	to: number | null;
	/** of the file, to quote from */
	lines: readonly DiffLine[];
}

interface LineProps {
	file: DiffFile;
	onPick(picked: Picked, extends_: boolean): void;
	picked: Picked | null;
}

const signs = { added: "+", deleted: "−", context: " ", note: " " } as const;

export const InlineLine = memo(function InlineLine({
	file,
	line,
	at,
	onPick,
	picked,
}: LineProps & { line: DiffLine; at: number }) {
	if (line.kind === "hunk") return <div className="diff-hunk mono clip">{line.text}</div>;
	return (
		<div className={`diff-line diff-${line.kind}${isPicked(picked, file, line) ? " diff-picked" : ""}`}>
			<LineNumber file={file} line={line} side="old" onPick={onPick} />
			<LineNumber file={file} line={line} side="new" onPick={onPick} />
			<span className="diff-sign">{signs[line.kind]}</span>
			<Text file={file} line={line} at={at} />
		</div>
	);
});

export const Pair = memo(function Pair({ file, row, onPick, picked }: LineProps & { row: PairedRow }) {
	if (row.kind === "hunk") return <div className="diff-hunk mono clip">{row.text}</div>;
	return (
		<div className="diff-pair">
			{(["left", "right"] as const).map((name) => {
				const found = row[name];
				if (found === null || found.line.kind === "hunk") return <div key={name} className="diff-half diff-empty" />;
				const { line, at } = found;
				const mark = isPicked(picked, file, line) ? " diff-picked" : "";
				return (
					<div key={name} className={`diff-half diff-${line.kind}${mark}`}>
						<LineNumber file={file} line={line} side={name === "left" ? "old" : "new"} onPick={onPick} />
						<span className="diff-sign">{signs[found.line.kind]}</span>
						<Text file={file} line={line} at={at} />
					</div>
				);
			})}
		</div>
	);
});

function Text({ file, line, at }: { file: DiffFile; line: DiffLine; at: number }) {
	const pieces = useColours(file);
	return <span className="diff-text">{pieces === null ? line.text : <Pieces pieces={pieces[at] ?? []} />}</span>;
}

function LineNumber({
	file,
	line,
	side,
	onPick,
}: Pick<LineProps, "file" | "onPick"> & { line: Exclude<DiffLine, { kind: "hunk" }>; side: "old" | "new" }) {
	const number = line[side];
	if (number === null) return <span className="diff-number" />;
	return (
		<button
			type="button"
			className="diff-number diff-pick"
			data-line={lineName({ path: file.path, side, to: number })}
			aria-label={`Comment on ${side === "old" ? "old " : ""}line ${number} of ${file.path}`}
			onClick={({ shiftKey }) =>
				onPick({ path: file.path, side, from: number, to: number, lines: file.lines }, shiftKey)
			}
		>
			{number}
		</button>
	);
}

const lineName = ({ path, side, to }: Pick<Picked, "path" | "side" | "to">): string => `${side} ${to} ${path}`;

/** To the number below which a box was, or to the diff, where it is not in the page or the box is the file's. */
export function focusLine(picked: Picked): void {
	const name = lineName(picked);
	const numbers = [...document.querySelectorAll<HTMLElement>("[data-line]")];
	const number = numbers.find(({ dataset }) => dataset["line"] === name);
	(number ?? document.querySelector<HTMLElement>(".review-diff .diff-list"))?.focus();
}

function isPicked(picked: Picked | null, file: DiffFile, line: DiffLine): boolean {
	if (picked === null || picked.path !== file.path || line.kind === "hunk") return false;
	const at = line[picked.side];
	return at !== null && picked.from !== null && picked.to !== null && at >= picked.from && at <= picked.to;
}
