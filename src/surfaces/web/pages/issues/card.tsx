// An issue on the board.
import { useDraggable } from "@dnd-kit/core";
import type { ComponentProps, PointerEvent } from "react";
import { Link } from "wouter";
import type { Issue } from "#contract/issue-wire.ts";
import { blockedText, waitingTexts } from "#views/issue.ts";
import { paths } from "../../ui/paths.ts";
import { Assignee } from "./assignee.tsx";

export function Card({ issue }: { issue: Issue }) {
	const { number, preset } = issue;
	const { attributes, listeners, setNodeRef, isDragging } = useDraggable({ id: number, data: { preset } });
	// a mouse drags the whole card; a finger only its grip, because elsewhere it scrolls
	const drag = (event: PointerEvent): void => {
		if (event.pointerType !== "touch") listeners?.["onPointerDown"]?.(event);
	};
	return (
		<li ref={setNodeRef} className={isDragging ? "card card-lifted" : "card"} data-issue={number} onPointerDown={drag}>
			<CardFace issue={issue} grip={{ ...attributes, ...listeners }} />
		</li>
	);
}

/** What is under the pointer while an issue is dragged. `why`: it cannot be dropped there. */
export function CarriedCard({ issue, why }: { issue: Issue; why: string | null }) {
	return (
		<div className="card card-carried" inert>
			<CardFace issue={issue} />
			{why !== null && <p className="tone-wait card-why">{why}</p>}
		</div>
	);
}

function CardFace({ issue, grip = {} }: { issue: Issue; grip?: ComponentProps<"button"> }) {
	const { project, number, title, assigneeHandle, assignee, attention, blockedBy, waiting, labels } = issue;
	return (
		<>
			<button
				type="button"
				className="card-grip"
				{...grip}
				aria-label={`Move #${number}`}
				title="Drag, or Space and arrows"
			>
				<span aria-hidden="true">⠿</span>
			</button>
			<div className="card-body">
				{/* the browser would drag its address instead of the card */}
				<Link href={paths.issue(project, number)} className="card-title" draggable={false}>
					<span className="meta">#{number}</span> {title}
				</Link>
				<p className="meta clip card-fields">
					{assigneeHandle !== null && assignee !== null && (
						<span>
							<Assignee id={assignee} handle={assigneeHandle} />
						</span>
					)}
					{waiting !== null && <span className="tone-wait">▤ {waitingTexts[waiting]}</span>}
					{blockedBy.length > 0 && <span>{blockedText(blockedBy)}</span>}
					{labels.length > 0 && <span>{labels.join(" ")}</span>}
				</p>
				{attention !== null && <p className="tone-wait card-attention">◆ {attention.reason}</p>}
			</div>
		</>
	);
}
