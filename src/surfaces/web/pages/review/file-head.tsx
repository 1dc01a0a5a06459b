import { inline } from "#contract/visible.ts";
import type { ChangedFile } from "#contract/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Counts } from "../../ui/diff.tsx";
import type { ReviewDraft } from "./use-review.ts";

export function FileHead({
	file: { path, from, added, deleted },
	mode,
	draft,
	onComment,
}: {
	file: ChangedFile;
	mode: string | null;
	draft: ReviewDraft;
	onComment(): void;
}) {
	const count = draft.comments.filter((comment) => comment.path === path).length;
	return (
		<div className="diff-file">
			<label className="review-viewed">
				<input type="checkbox" checked={draft.viewed.has(path)} onChange={() => draft.toggleViewed(path)} />
				<span className="sr-only">Viewed: {path}</span>
			</label>
			<span className="mono clip">{inline(from === null ? path : `${from} → ${path}`)}</span>
			{count > 0 && <span className="badge badge-wait">{count}</span>}
			<span className="spread" />
			<Counts added={added} deleted={deleted} mode={mode} />
			<Button kind="quiet" about={path} onClick={onComment}>
				Comment
			</Button>
		</div>
	);
}
