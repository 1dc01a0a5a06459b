import { memo } from "react";

/** so many lines of a small diff are shown; a longer one has its own page */
const linesMax = 400;

/** A small diff inside a conversation. */
export const DiffText = memo(function DiffText({ text }: { text: string }) {
	const lines = text.split("\n");
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<pre className="code diff-small" tabIndex={0}>
			{lines.slice(0, linesMax).map((line, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
				<span key={at} className={classOf(line)}>
					{line}
					{"\n"}
				</span>
			))}
			{lines.length > linesMax && <span className="meta">… {lines.length - linesMax} more lines</span>}
		</pre>
	);
});

function classOf(line: string): string {
	if (/^(\+\+\+|---|diff |index )/.test(line)) return "meta";
	if (line.startsWith("@@")) return "role-run";
	return line.startsWith("+") ? "line-added" : line.startsWith("-") ? "line-deleted" : "";
}
