// A review as one prompt: each comment with its file, its line numbers and the lines themselves.
import type { Review, ReviewComment } from "#contract/review.ts";

export function reviewPrompt({ comments, summary }: Review): string {
	const count = comments.length === 1 ? "a comment" : `${comments.length} comments`;
	const opening = summary.trim() === "" ? [] : [summary.trim()];
	return [...opening, `Your work was reviewed, with ${count}. Address each, then commit.`, ...comments.map(block)].join(
		"\n\n",
	);
}

function block({ path, from, to, side, code, text }: ReviewComment): string {
	const lines = from === null ? "" : to === null || to === from ? `, line ${from}` : `, lines ${from} to ${to}`;
	const heading = `${path}${lines}${side === "old" && from !== null ? " (as it was before)" : ""}:`;
	const quoted = code === "" ? [] : code.split("\n").map((line) => `> ${line}`);
	// without the blank line Markdown takes the comment for the end of the quotation
	return [heading, ...quoted, ...(quoted.length === 0 ? [] : [""]), text.trim()].join("\n");
}
