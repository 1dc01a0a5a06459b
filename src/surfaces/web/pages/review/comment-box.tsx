import { type RefObject, useEffect, useRef, useState } from "react";
import { inline } from "#contract/visible.ts";
import { Button } from "../../ui/button.tsx";
import type { Picked } from "./review-lines.tsx";

interface CommentBoxProps {
	lines: Picked;
	text: string;
	/** the one that was opened last */
	isCurrent: boolean;
	onType(text: string): void;
	/** The last line of its range, as it was entered. */
	onEnd(to: number): void;
	onSay(text: string, to: number): void;
	onCancel(): void;
}

export function CommentBox({ lines, text, isCurrent, onType, onEnd, onSay, onCancel }: CommentBoxProps) {
	const area = useRef<HTMLTextAreaElement>(null);
	const [end, setEnd] = useState(String(lines.to ?? ""));
	const say = (): void => onSay(text.trim(), Number(end));
	// also when its line is picked again
	useEffect(() => (isCurrent ? focusOnceVisible(area) : undefined), [isCurrent]);
	const where =
		lines.from === null
			? inline(lines.path)
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
						if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && text.trim() !== "") say();
					}}
				/>
			</label>
			<div className="bar">
				<Button kind="primary" why={text.trim() === "" ? "Enter a comment first." : null} onClick={say}>
					Add the comment
				</Button>
				<Button kind="quiet" onClick={onCancel}>
					Cancel
				</Button>
				{lines.from !== null && (
					<label className="bar">
						to line
						<input
							className="input comment-end"
							inputMode="numeric"
							value={end}
							onChange={({ target }) => setEnd(target.value)}
							onKeyDown={({ key }) => {
								if (key === "Enter") onEnd(Number(end));
							}}
							// the box moves below its last line: not away from a button that is just pressed
							onBlur={({ relatedTarget }) => {
								if (!(relatedTarget instanceof HTMLButtonElement)) onEnd(Number(end));
							}}
						/>
					</label>
				)}
				<span className="meta comment-hint">or Shift+click a line number</span>
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
