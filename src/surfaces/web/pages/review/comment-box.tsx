import { type RefObject, useEffect, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import type { Picked } from "./review-lines.tsx";

interface CommentBoxProps {
	lines: Picked;
	text: string;
	/** the one that was opened last */
	isCurrent: boolean;
	onType(text: string): void;
	onSay(text: string): void;
	onCancel(): void;
}

export function CommentBox({ lines, text, isCurrent, onType, onSay, onCancel }: CommentBoxProps) {
	const area = useRef<HTMLTextAreaElement>(null);
	// also when its line is picked again
	useEffect(() => (isCurrent ? focusOnceVisible(area) : undefined), [isCurrent]);
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
					ref={area}
					className="textarea"
					rows={2}
					value={text}
					onChange={({ target }) => onType(target.value)}
					onKeyDown={(event) => {
						if (event.key === "Escape" && text.trim() === "") onCancel();
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

/** The list hides a row until it has measured it, and what is hidden takes no focus. */
function focusOnceVisible({ current }: RefObject<HTMLElement | null>): () => void {
	let frame = 0;
	const look = (): void => {
		if (current === null) return;
		if (getComputedStyle(current).visibility === "visible") current.focus();
		else frame = requestAnimationFrame(look);
	};
	look();
	return () => cancelAnimationFrame(frame);
}
