// What a review keeps between visits: which files were viewed, and comments that were not sent yet. In the browser's
// own storage, by agent or issue.
import { useCallback, useEffect, useMemo, useState } from "react";
import type { ReviewComment } from "#contract/review.ts";

interface Draft {
	viewed: readonly string[];
	comments: readonly ReviewComment[];
}

const none: Draft = { viewed: [], comments: [] };

export interface ReviewDraft {
	/** the agent or issue that is reviewed */
	subject: string;
	viewed: ReadonlySet<string>;
	comments: readonly ReviewComment[];
	toggleViewed(path: string): void;
	add(comment: ReviewComment): void;
	remove(at: number): void;
	clear(): void;
}

export function useReviewDraft(subject: string): ReviewDraft {
	const key = `brood.review.${subject}`;
	const [draft, setDraft] = useState<Draft>(() => kept(key));
	useEffect(() => setDraft(kept(key)), [key]);
	const change = useCallback(
		(next: (draft: Draft) => Draft) =>
			setDraft((before) => {
				const after = next(before);
				keep(key, after);
				return after;
			}),
		[key],
	);
	const viewedSet = useMemo(() => new Set(draft.viewed), [draft.viewed]);
	return {
		subject,
		viewed: viewedSet,
		comments: draft.comments,
		toggleViewed: (path) =>
			change(({ viewed, comments }) => ({
				viewed: viewed.includes(path) ? viewed.filter((each) => each !== path) : [...viewed, path],
				comments,
			})),
		add: (comment) => change(({ viewed, comments }) => ({ viewed, comments: [...comments, comment] })),
		remove: (at) =>
			change(({ viewed, comments }) => ({ viewed, comments: comments.filter((_, index) => index !== at) })),
		clear: () => change(({ viewed }) => ({ viewed, comments: [] })),
	};
}

function kept(key: string): Draft {
	try {
		return { ...none, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
	} catch {
		return none;
	}
}

function keep(key: string, draft: Draft): void {
	try {
		localStorage.setItem(key, JSON.stringify(draft));
	} catch {
		// the storage is full: the review goes on, and is only not kept
	}
}
