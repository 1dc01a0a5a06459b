// The board: a column for each stage. An issue is dragged, or moved by keys (Space, arrows, Space), and a column that it
// may not go to says why.
import {
	type Announcements,
	DndContext,
	type DragEndEvent,
	type DragStartEvent,
	type KeyboardCoordinateGetter,
	KeyboardSensor,
	PointerSensor,
	useDraggable,
	useDroppable,
	useSensor,
	useSensors,
} from "@dnd-kit/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Issue } from "#contract/issue-wire.ts";
import type { BoardColumn } from "#contract/overviews.ts";
import type { Project } from "#contract/wire.ts";
import { waitingTexts } from "#views/issue.ts";
import { useAct } from "../../store/hooks.ts";
import { toast } from "../../store/toasts.ts";
import { paths } from "../../ui/paths.ts";
import { Assignee } from "./assignee.tsx";

export function Board({ project, columns }: { project: Project; columns: readonly BoardColumn[] }) {
	const act = useAct();
	const [dragged, setDragged] = useState<Issue | null>(null);
	const sensors = useSensors(
		useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
		useSensor(KeyboardSensor, { coordinateGetter: byColumn }),
	);
	const issueOf = (id: unknown): Issue | null =>
		columns.flatMap(({ issues }) => issues).find(({ number }) => number === id) ?? null;
	const drop = async ({ active, over }: DragEndEvent): Promise<void> => {
		const issue = issueOf(active.id);
		setDragged(null);
		if (issue === null || over === null || over.id === issue.stage) return;
		const stage = String(over.id);
		const column = columns.find((each) => each.stage === stage);
		const why = column === undefined ? null : whyNotTo(issue, column);
		if (why !== null) toast({ tone: "wait", text: why });
		else await act("issueMove", { params: { issue: `${issue.project}#${issue.number}` }, body: { stage } });
	};
	/** What a screen reader is told. */
	const overText = (issue: Issue | null, over: unknown): string => {
		const column = columns.find(({ stage }) => stage === over);
		if (issue === null || column === undefined) return "Not over a stage.";
		const why = column.stage === issue.stage ? null : whyNotTo(issue, column);
		return why ?? `#${issue.number} is over ${column.stage}.`;
	};
	const announcements: Announcements = {
		onDragStart: ({ active }) => `#${active.id} is picked up.`,
		onDragOver: ({ active, over }) => overText(issueOf(active.id), over?.id),
		onDragEnd: ({ active, over }) => {
			const issue = issueOf(active.id);
			const column = columns.find(({ stage }) => stage === over?.id);
			if (issue === null || column === undefined || column.stage === issue.stage)
				return `#${active.id} stays where it was.`;
			const why = whyNotTo(issue, column);
			return why === null
				? `#${active.id} is moved to ${column.stage}.`
				: `#${active.id} stays in ${issue.stage}. ${why}`;
		},
		onDragCancel: ({ active }) => `#${active.id} stays where it was.`,
	};
	return (
		<DndContext
			sensors={sensors}
			onDragStart={({ active }: DragStartEvent) => setDragged(issueOf(active.id))}
			onDragCancel={() => setDragged(null)}
			onDragEnd={(event) => void drop(event)}
			accessibility={{ announcements, screenReaderInstructions: { draggable: instructions } }}
		>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
			<div className="board" tabIndex={0} role="group" aria-label={`Board of ${project.slug}`}>
				{columns.map((column) => (
					<Column key={column.stage} column={column} dragged={dragged} />
				))}
			</div>
		</DndContext>
	);
}

/** The arrows lead from column to column. */
const byColumn: KeyboardCoordinateGetter = (event, { currentCoordinates, context: { droppableRects, over } }) => {
	const step = event.code === "ArrowRight" ? 1 : event.code === "ArrowLeft" ? -1 : 0;
	if (step === 0) return undefined;
	event.preventDefault();
	const columns = [...droppableRects].toSorted(([, one], [, other]) => one.left - other.left);
	const [, next] = columns[columns.findIndex(([id]) => id === over?.id) + step] ?? [];
	return next === undefined ? undefined : { x: next.left + 8, y: currentCoordinates.y };
};

const instructions = "Press Space to pick an issue up, arrows to move it, Space to drop it and Escape to leave it.";

const isFull = ({ wipMax, issues }: BoardColumn): boolean => wipMax !== null && issues.length >= wipMax;

/** Why an issue may not be moved there by hand; null if it may. */
function whyNotTo({ moves, stage: from, number, waiting }: Issue, column: BoardColumn): string | null {
	const { stage, issues, wipMax } = column;
	if (moves.includes(stage) && isFull(column))
		return `${stage} is full: it has ${issues.length} of at most ${wipMax} issues. Finish one of them first.`;
	if (moves.includes(stage)) return null;
	const may = moves.length === 0 ? "nowhere by hand" : `to ${moves.join(", ")}`;
	const how = waiting === "approval" ? " A review is passed with approve." : "";
	return `#${number} cannot go from ${from} to ${stage}: it may go ${may}.${how}`;
}

function Column({ column, dragged }: { column: BoardColumn; dragged: Issue | null }) {
	const { stage, wipMax, issues, more } = column;
	const { setNodeRef, isOver } = useDroppable({ id: stage });
	const isElsewhere = dragged !== null && dragged.stage !== stage;
	const why = isElsewhere ? whyNotTo(dragged, column) : null;
	const state = !isElsewhere ? "" : why === null ? " board-open" : " board-shut";
	return (
		<section ref={setNodeRef} className={`board-column${state}${isOver ? " board-over" : ""}`} aria-label={stage}>
			<h2 className="board-title">
				{stage}
				<span className={isFull(column) ? "badge badge-wait" : "badge"}>
					{issues.length}
					{wipMax !== null && `/${wipMax}`}
					{isFull(column) && " full"}
				</span>
			</h2>
			{isOver && why !== null && <p className="tone-wait meta board-why">{why}</p>}
			<ul className="board-cards">
				{issues.map((issue) => (
					<Card key={issue.number} issue={issue} />
				))}
			</ul>
			{more && <p className="meta">Older issues are in the table.</p>}
		</section>
	);
}

function Card({ issue }: { issue: Issue }) {
	const { project, number, title, agent, assignee, attention, blockedBy, waiting, labels } = issue;
	const { attributes, listeners, setNodeRef, transform } = useDraggable({ id: number });
	const moved =
		transform === null ? undefined : { transform: `translate(${transform.x}px, ${transform.y}px)`, zIndex: 3 };
	return (
		<li ref={setNodeRef} className="card" style={moved}>
			<button
				type="button"
				className="card-grip"
				{...attributes}
				{...listeners}
				aria-label={`Move #${number}`}
				title="Drag, or Space and arrows"
			>
				<span aria-hidden="true">⠿</span>
			</button>
			<div className="card-body">
				<Link href={paths.issue(project, number)} className="card-title">
					<span className="meta">#{number}</span> {title}
				</Link>
				<p className="meta clip card-facts">
					{agent !== null && assignee !== null && (
						<span>
							<Assignee id={assignee} handle={agent} />
						</span>
					)}
					{waiting !== null && <span className="tone-wait">▤ {waitingTexts[waiting]}</span>}
					{blockedBy.length > 0 && <span>after {blockedBy.map((each) => `#${each}`).join(", ")}</span>}
					{labels.length > 0 && <span>{labels.join(" ")}</span>}
				</p>
				{attention !== null && <p className="tone-wait card-attention">◆ {attention.reason}</p>}
			</div>
		</li>
	);
}
