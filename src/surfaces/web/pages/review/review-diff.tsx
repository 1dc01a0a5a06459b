// The diff of a review, in one or two columns. Only rows in view are in the page. A comment is for a line, or for a
// range of them.
import { useCallback, useEffect, useMemo, useRef } from "react";
import { VList, type VListHandle } from "virtua";
import { counted } from "#contract/counted.ts";
import type { ReviewComment } from "#contract/review.ts";
import type { ChangedFile } from "#contract/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { CommentBox } from "./comment-box.tsx";
import { type CommentBoxes, closed, endedAt, opened, typed, upTo } from "./comment-boxes.ts";
import { diffRows, type Layout, type Row } from "./diff-rows.ts";
import { FileHead } from "./file-head.tsx";
import { focusLine, InlineLine, Pair, type Picked } from "./review-lines.tsx";
import { useCommentBoxes } from "./use-comment-boxes.ts";
import type { DiffPages } from "./use-diff-pages.ts";
import type { ReviewDraft } from "./use-review.ts";

interface ReviewDiffProps {
	pages: DiffPages;
	want(path: string): void;
	loadWhole(path: string): Promise<unknown>;
	layout: Layout;
	draft: ReviewDraft;
	current: string | null;
}

export function ReviewDiff({ pages, want, loadWhole, layout, draft, current }: ReviewDiffProps) {
	const list = useRef<VListHandle>(null);
	const [boxes, setBoxes] = useCommentBoxes(draft.subject);
	const { ranges } = boxes;
	const { viewed, comments } = draft;
	const { rows, heads } = useMemo(
		() => diffRows({ pages, layout, viewed, comments, boxes: ranges }),
		[pages, layout, viewed, comments, ranges],
	);
	// biome-ignore lint/correctness/useExhaustiveDependencies: only when another file is chosen
	useEffect(() => {
		const at = current === null ? undefined : heads.get(current);
		if (at !== undefined) list.current?.scrollToIndex(at, { align: "start" });
	}, [current]);
	const picked = ranges.at(-1) ?? null;
	const written = rows.findIndex((row) => row.kind === "box" && row.picked === picked);
	const { problem, drawn: loaded } = pages;
	const pick = useCallback(
		(next: Picked, extends_: boolean) => setBoxes((before) => opened(before, next, extends_)),
		[setBoxes],
	);
	const around = { draft, want, loadWhole, problem, loaded, pick, picked, boxes, change: setBoxes };
	return (
		<div className={`diff review-diff review-${layout}`} role="group" aria-label="Diff">
			<VList
				ref={list}
				className="diff-list"
				tabIndex={0}
				data={rows}
				{...(written >= 0 && { keepMounted: [written] })}
			>
				{(row, at) => <div key={at}>{shownRow(row, around)}</div>}
			</VList>
		</div>
	);
}

interface Around extends Pick<ReviewDiffProps, "draft" | "want" | "loadWhole"> {
	problem: string | null;
	loaded: DiffPages["drawn"];
	pick(picked: Picked, extends_: boolean): void;
	picked: Picked | null;
	boxes: CommentBoxes;
	change(next: (boxes: CommentBoxes) => CommentBoxes): void;
}

function shownRow(row: Row, around: Around) {
	const { draft, want, loadWhole, problem, loaded, pick, picked } = around;
	switch (row.kind) {
		case "head":
			return (
				<FileHead
					file={row.file}
					mode={row.mode}
					draft={draft}
					onComment={() => pick(wholeFile(row.file.path), false)}
				/>
			);
		case "missing":
			return row.isLong || problem !== null ? (
				<LoadOnRequest file={row.file} problem={problem} onLoad={loadWhole} />
			) : (
				<Coming path={row.file.path} loaded={loaded} want={want} />
			);
		case "line":
			return <InlineLine file={row.file} line={row.line} at={row.at} onPick={pick} picked={picked} />;
		case "pair":
			return <Pair file={row.file} row={row.row} onPick={pick} picked={picked} />;
		case "comment":
			return <p className="comment-written">{row.comment.text}</p>;
		default:
			return <Writing at={row.picked} {...around} />;
	}
}

function Writing({ at, draft, picked, boxes, change }: { at: Picked } & Around) {
	const close = (): void => {
		// before its box goes, and the focus with it
		focusLine(at);
		change((before) => closed(before, at));
	};
	return (
		<CommentBox
			key={`${at.side} ${at.from} ${at.to} ${at.path}`}
			lines={at}
			text={boxes.texts.get(at) ?? ""}
			isCurrent={at === picked}
			onType={(text) => change((before) => typed(before, at, text))}
			onEnd={(to) => change((before) => endedAt(before, at, to))}
			onSay={(text, to) => {
				draft.add(commentOf(upTo(at, to), text));
				close();
			}}
			onCancel={close}
		/>
	);
}

interface LoadOnRequestProps {
	file: ChangedFile;
	problem: string | null;
	onLoad(path: string): Promise<unknown>;
}

function LoadOnRequest({ file: { path, added, deleted }, problem, onLoad }: LoadOnRequestProps) {
	const lines = counted((added ?? 0) + (deleted ?? 0), "changed line");
	return (
		<div className="review-missing">
			<span className={problem === null ? "meta" : "tone-bad"}>{problem ?? `A long diff, with ${lines}.`}</span>
			<Button about={path} onClick={() => onLoad(path)}>
				{problem === null ? "Load it" : "Try again"}
			</Button>
		</div>
	);
}

/** whoever scrolls past a file does not load it */
const restMs = 120;

function Coming({ path, loaded, want }: { path: string } & Pick<Around, "loaded" | "want">) {
	// biome-ignore lint/correctness/useExhaustiveDependencies: what came may lack this file: ask again
	useEffect(() => {
		const timer = setTimeout(() => want(path), restMs);
		return () => clearTimeout(timer);
	}, [path, loaded, want]);
	return <div className="review-missing meta">Loading…</div>;
}

const wholeFile = (path: string): Picked => ({ path, side: "new", from: null, to: null, lines: [] });

function commentOf({ path, side, from, to, lines }: Picked, text: string): ReviewComment {
	const code = lines
		.filter((line) => line.kind !== "hunk" && from !== null && to !== null && within(line[side], from, to))
		.map((line) => line.text)
		.join("\n");
	return { path, side, from, to, code: code.slice(0, 20_000), text };
}

const within = (at: number | null, from: number, to: number): boolean => at !== null && at >= from && at <= to;
