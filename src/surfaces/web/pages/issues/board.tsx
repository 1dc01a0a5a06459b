// The board: a column for each stage, in a row for each preset that is in use. An issue is dragged, or moved by keys
// (Space, arrows, Space), and a column that it may not go to says why.
import {
	type Announcements,
	DndContext,
	type DragEndEvent,
	DragOverlay,
	type DragStartEvent,
	type KeyboardCoordinateGetter,
	KeyboardSensor,
	PointerSensor,
	useDndContext,
	useDroppable,
	useSensor,
	useSensors,
} from "@dnd-kit/core";
import { useState } from "react";
import type { Issue } from "#contract/issue-wire.ts";
import type { Project } from "#contract/wire.ts";
import { isFull, type PresetBoard, type PresetColumn } from "#views/preset-boards.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { toast } from "../../store/toasts.ts";
import { Card, CarriedCard } from "./card.tsx";
import { useKeptFocus } from "./kept-focus.ts";

/** Where an issue can be dropped: a stage of a preset. */
interface Target extends PresetColumn {
	id: string;
	preset: string;
}

export function Board({ project, boards }: { project: Project; boards: readonly PresetBoard[] }) {
	const act = useAct();
	const seen = useSeen();
	const [dragged, setDragged] = useState<Issue | null>(null);
	const sensors = useSensors(
		useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
		useSensor(KeyboardSensor, { coordinateGetter: byColumn }),
	);
	const targets = boards.map(({ preset, columns }) =>
		columns.map((column): Target => ({ ...column, preset, id: targetId(preset, column.stage) })),
	);
	const targetOf = (id: unknown): Target | undefined => targets.flat().find((target) => target.id === id);
	const issueOf = (id: unknown): Issue | null =>
		targets
			.flat()
			.flatMap(({ issues }) => issues)
			.find(({ number }) => number === id) ?? null;
	const whyNotTo: WhyNotTo = (issue, target) =>
		notInPreset(issue, target) ?? notNext(issue, target) ?? seen.whyNoMove(issue, target.stage);
	const drop = async ({ active, over }: DragEndEvent): Promise<void> => {
		const issue = issueOf(active.id);
		ignoreClick();
		setDragged(null);
		const target = targetOf(over?.id);
		if (issue === null || target === undefined || isIn(issue, target)) return;
		const why = whyNotTo(issue, target);
		const { stage } = target;
		if (why !== null) toast({ tone: "wait", text: why });
		else await act("issueMove", { params: { issue: `${issue.project}#${issue.number}` }, body: { stage } });
	};
	const keptFocus = useKeptFocus();
	const announcements = announced({ issueOf, targetOf, whyNotTo });
	return (
		<DndContext
			sensors={sensors}
			onDragStart={({ active }: DragStartEvent) => setDragged(issueOf(active.id))}
			onDragCancel={() => setDragged(null)}
			onDragEnd={(event) => void drop(event)}
			accessibility={{ announcements, screenReaderInstructions: { draggable: instructions } }}
		>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
			<div className="board" tabIndex={0} role="group" aria-label={`Board of ${project.slug}`} {...keptFocus}>
				{targets.map((group) => (
					<Group
						key={group[0]?.preset}
						group={group}
						isNamed={boards.length > 1}
						dragged={dragged}
						whyNotTo={whyNotTo}
					/>
				))}
			</div>
			{/* outside of what scrolls: a card that is moved inside would widen it for as long as it is at the edge */}
			<DragOverlay dropAnimation={null}>
				{dragged !== null && <Carried issue={dragged} targetOf={targetOf} whyNotTo={whyNotTo} />}
			</DragOverlay>
		</DndContext>
	);
}

interface OnBoard {
	issueOf(id: unknown): Issue | null;
	targetOf(id: unknown): Target | undefined;
	whyNotTo: WhyNotTo;
}

/** The card says itself what the column behind it says. */
function Carried({ issue, targetOf, whyNotTo }: { issue: Issue } & Omit<OnBoard, "issueOf">) {
	const { over } = useDndContext();
	const target = targetOf(over?.id);
	return (
		<CarriedCard issue={issue} why={target === undefined || isIn(issue, target) ? null : whyNotTo(issue, target)} />
	);
}

/** What a screen reader is told. */
function announced({ issueOf, targetOf, whyNotTo }: OnBoard): Announcements {
	const overText = (issue: Issue | null, over: unknown): string => {
		const target = targetOf(over);
		if (issue === null || target === undefined) return "Not over a stage.";
		const why = isIn(issue, target) ? null : whyNotTo(issue, target);
		return why ?? `#${issue.number} is over ${target.stage}.`;
	};
	return {
		onDragStart: ({ active }) => `#${active.id} is picked up.`,
		onDragOver: ({ active, over }) => overText(issueOf(active.id), over?.id),
		onDragEnd: ({ active, over }) => {
			const issue = issueOf(active.id);
			const target = targetOf(over?.id);
			if (issue === null || target === undefined || isIn(issue, target)) return `#${active.id} stays where it was.`;
			const why = whyNotTo(issue, target);
			return why === null
				? `#${active.id} is moved to ${target.stage}.`
				: `#${active.id} stays in ${issue.stage}. ${why}`;
		},
		onDragCancel: ({ active }) => `#${active.id} stays where it was.`,
	};
}

/** A card that is dropped where it was would be opened by the click that ends the drag. */
function ignoreClick(): void {
	const ended = new AbortController();
	addEventListener("click", (event) => event.preventDefault(), { capture: true, signal: ended.signal });
	setTimeout(() => ended.abort(), 50);
}

const targetId = (preset: string, stage: string): string => `${preset} ${stage}`;

const isIn = (issue: Issue, { preset, stage }: Target): boolean => issue.preset === preset && issue.stage === stage;

/** The arrows lead from column to column of the issue's own preset. */
const byColumn: KeyboardCoordinateGetter = (event, { currentCoordinates, context }) => {
	const step = event.code === "ArrowRight" ? 1 : event.code === "ArrowLeft" ? -1 : 0;
	if (step === 0) return undefined;
	event.preventDefault();
	const { active, droppableRects, over } = context;
	const own = targetId(String(active?.data.current?.["preset"]), "");
	const columns = [...droppableRects]
		.filter(([id]) => String(id).startsWith(own))
		.toSorted(([, one], [, other]) => one.left - other.left);
	const [, next] = columns[columns.findIndex(([id]) => id === over?.id) + step] ?? [];
	return next === undefined ? undefined : { x: next.left + 8, y: currentCoordinates.y };
};

const instructions = "Press Space to pick an issue up, arrows to move it, Space to drop it and Escape to leave it.";

/** Why an issue may not be moved there by hand; null if it may. */
type WhyNotTo = (issue: Issue, target: Target) => string | null;

const notInPreset: WhyNotTo = ({ number, preset }, target) =>
	preset === target.preset ? null : `#${number} follows ${preset}: its stages are in another row.`;

function notNext({ moves, stage: from, number, waiting }: Issue, { stage }: Target): string | null {
	if (moves.includes(stage)) return null;
	const may = moves.length === 0 ? "nowhere by hand" : `to ${moves.join(", ")}`;
	const how = waiting === "approval" ? " Approve it to move it on." : "";
	return `#${number} cannot go from ${from} to ${stage}: it may go ${may}.${how}`;
}

interface GroupProps {
	group: readonly Target[];
	/** there are others */
	isNamed: boolean;
	dragged: Issue | null;
	whyNotTo: WhyNotTo;
}

function Group({ group, ...rest }: GroupProps) {
	const { isNamed } = rest;
	const columns = group.map((target) => <Column key={target.id} target={target} {...rest} />);
	return (
		<div className={isNamed ? "board-group board-named" : "board-group"}>
			{isNamed && (
				<h2 className="board-preset">
					<span className="meta">preset</span> {group[0]?.preset}
				</h2>
			)}
			<div className="board-columns">{columns}</div>
		</div>
	);
}

function Column({ target, isNamed, dragged, whyNotTo }: { target: Target } & Omit<GroupProps, "group">) {
	const { id, stage, preset, wipMax, issues, inStage, more } = target;
	const { setNodeRef, isOver } = useDroppable({ id });
	const isElsewhere = dragged !== null && !isIn(dragged, target);
	const why = isElsewhere ? whyNotTo(dragged, target) : null;
	const state = !isElsewhere ? "" : why === null ? " board-open" : " board-shut";
	const Title = isNamed ? "h3" : "h2";
	return (
		<section
			ref={setNodeRef}
			className={`board-column${state}${isOver ? " board-over" : ""}`}
			aria-label={isNamed ? `${stage} of ${preset}` : stage}
		>
			<Title className="board-title">
				{stage}
				<span className={isFull(target) ? "badge badge-wait" : "badge"}>
					{wipMax === null ? issues.length : `${inStage}/${wipMax}`}
					{isFull(target) && " full"}
				</span>
			</Title>
			{why !== null && <p className="tone-wait board-why">{why}</p>}
			<ul className="board-cards">
				{issues.map((issue) => (
					<Card key={issue.number} issue={issue} />
				))}
			</ul>
			{more && <p className="meta">Older issues are in the table.</p>}
		</section>
	);
}
