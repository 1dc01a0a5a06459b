import { memo, useState } from "react";
import { CodeBox } from "./code-box.tsx";

/** so many lines are shown before somebody asks for all of them */
const linesMax = 400;

/** A small diff inside a conversation. */
export const DiffText = memo(function DiffText({ text }: { text: string }) {
	const [isWhole, setWhole] = useState(false);
	const lines = text.split("\n");
	const shown = isWhole ? lines : lines.slice(0, linesMax);
	return (
		<CodeBox label="Changes" className="diff-small">
			{shown.map((line, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
				<span key={at} className={classOf(line)}>
					{line}
					{"\n"}
				</span>
			))}
			{shown.length < lines.length && (
				<button type="button" className="button button-quiet" onClick={() => setWhole(true)}>
					Show all {lines.length.toLocaleString()} lines
				</button>
			)}
		</CodeBox>
	);
});

function classOf(line: string): string {
	if (/^(\+\+\+|---|diff |index )/.test(line)) return "meta";
	if (line.startsWith("@@")) return "tone-run";
	return line.startsWith("+") ? "line-added" : line.startsWith("-") ? "line-deleted" : "";
}
