import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import type { Picked } from "./review-lines.tsx";

export function CommentBox({ lines, onSay, onCancel }: { lines: Picked; onSay(text: string): void; onCancel(): void }) {
	const [text, setText] = useState("");
	const where =
		lines.from === null
			? lines.path
			: lines.from === lines.to
				? `line ${lines.from}`
				: `lines ${lines.from} to ${lines.to}`;
	return (
		<div className="comment-box">
			<label className="field">
				<span>Comment on {where}</span>
				<textarea
					// biome-ignore lint/a11y/noAutofocus: it was opened to be written into
					autoFocus
					className="textarea"
					rows={2}
					value={text}
					onChange={({ target }) => setText(target.value)}
					onKeyDown={(event) => {
						if (event.key === "Escape") onCancel();
						if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && text.trim() !== "") onSay(text.trim());
					}}
				/>
			</label>
			<div className="bar">
				<Button
					kind="primary"
					why={text.trim() === "" ? "Enter a comment first." : null}
					onClick={() => onSay(text.trim())}
				>
					Add the comment
				</Button>
				<Button kind="quiet" onClick={onCancel}>
					Cancel
				</Button>
				<span className="meta">Shift+click a line number to select a range</span>
			</div>
		</div>
	);
}
