// Comments that are being written, kept in this tab: a review that was left has them again.
import { useCallback, useState } from "react";
import { type CommentBoxes, noBoxes } from "./comment-boxes.ts";

export function useCommentBoxes(
	subject: string,
): [CommentBoxes, (next: (boxes: CommentBoxes) => CommentBoxes) => void] {
	const key = `brood.boxes.${subject}`;
	const [boxes, setBoxes] = useState(() => kept(key));
	const change = useCallback(
		(next: (before: CommentBoxes) => CommentBoxes) =>
			setBoxes((before) => {
				const after = next(before);
				keep(key, after);
				return after;
			}),
		[key],
	);
	return [boxes, change];
}

function keep(key: string, { ranges, texts }: CommentBoxes): void {
	try {
		sessionStorage.setItem(key, JSON.stringify(ranges.map((range) => [range, texts.get(range) ?? ""])));
	} catch {
		// the storage is full: the comments are there until the page is left
	}
}

function kept(key: string): CommentBoxes {
	try {
		const all: [CommentBoxes["ranges"][number], string][] = JSON.parse(sessionStorage.getItem(key) ?? "[]");
		const written = all.filter(([, text]) => text !== "");
		return { ranges: written.map(([range]) => range), texts: new Map(written) };
	} catch {
		return noBoxes;
	}
}
