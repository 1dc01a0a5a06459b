import type { ReactNode } from "react";
import type { ReviewComment } from "#contract/review.ts";
import { inline } from "#contract/visible.ts";
import { Button } from "../../ui/button.tsx";

/** The comments that were not sent yet, with what sends them. */
export function CommentList({
	comments,
	onRemove,
	children,
}: {
	comments: readonly ReviewComment[];
	onRemove(comment: ReviewComment): void;
	children: ReactNode;
}) {
	return (
		<section className="panel review-comments" aria-labelledby="review-comments">
			<h2 id="review-comments" className="panel-title">
				Comments <span className="panel-count">{comments.length}</span>
				<span className="spread" />
				{children}
			</h2>
			<ul className="rows">
				{comments.map((comment) => (
					<li key={`${comment.path}:${comment.from}:${comment.text}`} className="row">
						<span className="mono clip">{rangeText(comment)}</span>
						<span className="row-line review-comment-text">{comment.text}</span>
						<Button kind="quiet" about={rangeText(comment)} onClick={() => onRemove(comment)}>
							Remove
						</Button>
					</li>
				))}
			</ul>
		</section>
	);
}

export const rangeText = ({ path, from, to }: ReviewComment): string =>
	inline(from === null ? path : `${path}:${from}${to === null || to === from ? "" : `–${to}`}`);
