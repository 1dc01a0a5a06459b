// The diff of a review, in one or two columns. Only rows in view are in the page; a file that the whole diff was too long
// for is loaded when it is asked for, without a limit. A comment is for a line, or for a range of them.
import { useEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import type { ReviewComment } from "#contract/review.ts";
import type { ChangedFile } from "#contract/workspace.ts";
import { type DiffFile, type DiffLine, diffFiles } from "#views/diff-lines.ts";
import { type PairedRow, sideBySide } from "#views/side-by-side.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { CommentBox } from "./comment-box.tsx";
import { FileHead } from "./file-head.tsx";
import { InlineLine, Pair, type Picked } from "./review-lines.tsx";
import { routesOf, type Subject } from "./subject.ts";
import type { ReviewDraft } from "./use-review.ts";

export type Layout = "side" | "inline";

type Row =
	| { kind: "head"; file: ChangedFile }
	| { kind: "missing"; file: ChangedFile }
	| { kind: "line"; file: DiffFile; line: DiffLine; at: number }
	| { kind: "pair"; file: DiffFile; row: PairedRow; at: number }
	| { kind: "box"; picked: Picked };

interface ReviewDiffProps {
	subject: Subject;
	files: readonly ChangedFile[];
	drawn: readonly DiffFile[];
	isCut: boolean;
	layout: Layout;
	draft: ReviewDraft;
	current: string | null;
}

export function ReviewDiff({ subject, files, drawn, isCut, layout, draft, current }: ReviewDiffProps) {
	const list = useRef<VListHandle>(null);
	const { whole, load } = useWholeFiles(subject);
	const [picked, setPicked] = useState<Picked | null>(null);
	const rows = useMemo(
		() => rowsOf({ files, drawn: [...drawn, ...whole], isCut, layout, viewed: draft.viewed, picked }),
		[files, drawn, whole, isCut, layout, draft.viewed, picked],
	);
	// biome-ignore lint/correctness/useExhaustiveDependencies: only when another file is chosen
	useEffect(() => {
		const at = rows.findIndex((row) => row.kind === "head" && row.file.path === current);
		if (current !== null && at >= 0) list.current?.scrollToIndex(at, { align: "start" });
	}, [current]);
	const pick = (next: Picked, extends_: boolean): void =>
		setPicked((before) => (extends_ ? joined(before, next) : next));
	const say = (text: string): void => {
		if (picked !== null) draft.add(commentOf(picked, text));
		setPicked(null);
	};
	return (
		<div className={`diff review-diff review-${layout}`} role="group" aria-label="Diff">
			<VList ref={list} className="diff-list" tabIndex={0}>
				{rows.map((row, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: rows are in the order of the file
					<div key={at}>{shownRow(row, { draft, load, pick, say, cancel: () => setPicked(null), picked })}</div>
				))}
			</VList>
		</div>
	);
}

interface Around {
	draft: ReviewDraft;
	load(file: ChangedFile): Promise<void>;
	pick(picked: Picked, extends_: boolean): void;
	say(text: string): void;
	cancel(): void;
	picked: Picked | null;
}

function shownRow(row: Row, { draft, load, pick, say, cancel, picked }: Around) {
	switch (row.kind) {
		case "head":
			return <FileHead file={row.file} draft={draft} onComment={() => pick(wholeFile(row.file.path), false)} />;
		case "missing":
			return (
				<div className="review-missing">
					<span className="meta">This file is long. It is loaded when you ask for it.</span>
					<Button about={row.file.path} onClick={() => load(row.file)}>
						Load the file
					</Button>
				</div>
			);
		case "line":
			return <InlineLine file={row.file} line={row.line} at={row.at} onPick={pick} picked={picked} />;
		case "pair":
			return <Pair file={row.file} row={row.row} onPick={pick} picked={picked} />;
		default:
			return <CommentBox place={row.picked} onSay={say} onCancel={cancel} />;
	}
}

interface RowParts {
	files: readonly ChangedFile[];
	drawn: readonly DiffFile[];
	isCut: boolean;
	layout: Layout;
	viewed: readonly string[];
	picked: Picked | null;
}

function rowsOf({ files, drawn, isCut, layout, viewed, picked }: RowParts): Row[] {
	// of a file that was loaded whole, the last one counts
	const byPath = new Map(drawn.map((file) => [file.path, file]));
	const lastDrawn = drawn.findLast((file) => files.some(({ path }) => path === file.path))?.path;
	return files.flatMap((file): Row[] => {
		const head: Row = { kind: "head", file };
		if (viewed.includes(file.path)) return [head];
		const lines = byPath.get(file.path);
		const box: Row[] = picked?.path === file.path && picked.from === null ? [{ kind: "box", picked }] : [];
		if (lines === undefined) return [head, ...box, { kind: "missing", file }];
		const body = layout === "inline" ? inlineRows(lines, picked) : pairedRows(lines, picked);
		const whole = file.added === null || lines.added + lines.deleted >= (file.added ?? 0) + (file.deleted ?? 0);
		const rest: Row[] = isCut && file.path === lastDrawn && !whole ? [{ kind: "missing", file }] : [];
		return [head, ...box, ...body, ...rest];
	});
}

const inlineRows = (file: DiffFile, picked: Picked | null): Row[] =>
	file.lines.flatMap((line, at): Row[] => [
		{ kind: "line", file, line, at },
		...(isEnd(picked, file.path, line) && picked !== null ? [{ kind: "box" as const, picked }] : []),
	]);

const pairedRows = (file: DiffFile, picked: Picked | null): Row[] =>
	sideBySide(file).flatMap((row, at): Row[] => {
		const lines = row.kind === "hunk" ? [] : [row.left?.line, row.right?.line];
		const ends = picked !== null && lines.some((line) => line !== undefined && isEnd(picked, file.path, line));
		return [{ kind: "pair", file, row, at }, ...(ends && picked !== null ? [{ kind: "box" as const, picked }] : [])];
	});

const isEnd = (picked: Picked | null, path: string, line: DiffLine): boolean =>
	picked !== null &&
	picked.path === path &&
	line.kind !== "hunk" &&
	picked.to !== null &&
	line[picked.side] === picked.to;

const wholeFile = (path: string): Picked => ({ path, side: "new", from: null, to: null, lines: [] });

/** From the line that was picked first to this one, on the same side of the same file. */
function joined(before: Picked | null, next: Picked): Picked {
	if (before === null || before.path !== next.path || before.side !== next.side) return next;
	const [one, other] = [before.from ?? 0, next.from ?? 0];
	if (one === 0 || other === 0) return next;
	return { ...next, from: Math.min(one, other), to: Math.max(before.to ?? one, next.to ?? other) };
}

function commentOf({ path, side, from, to, lines }: Picked, text: string): ReviewComment {
	const code = lines
		.filter((line) => line.kind !== "hunk" && from !== null && to !== null && within(line[side], from, to))
		.map((line) => line.text)
		.join("\n");
	return { path, side, from, to, code: code.slice(0, 20_000), text };
}

const within = (at: number | null, from: number, to: number): boolean => at !== null && at >= from && at <= to;

/** Files that were loaded one by one. */
function useWholeFiles(subject: Subject): { whole: readonly DiffFile[]; load(file: ChangedFile): Promise<void> } {
	const { params, diff } = routesOf(subject);
	const act = useAct();
	const [whole, setWhole] = useState<readonly DiffFile[]>([]);
	return {
		whole,
		load: async ({ path }) => {
			const answer = await act(diff, { params, query: { path } });
			if (answer !== null) setWhole((before) => [...before, ...diffFiles(answer.patch)]);
		},
	};
}
