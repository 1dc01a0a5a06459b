// The prompts that wait, in the order in which they start. They move by dragging and by keys, and can be edited.
import {
	type Announcements,
	closestCenter,
	DndContext,
	type DragEndEvent,
	KeyboardSensor,
	PointerSensor,
	useSensor,
	useSensors,
} from "@dnd-kit/core";
import {
	SortableContext,
	sortableKeyboardCoordinates,
	useSortable,
	verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { useRef, useState } from "react";
import { counted } from "#contract/counted.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Agent, Prompt } from "#contract/wire.ts";
import { whyNot } from "#views/agent-actions.ts";
import { changeDraft, useDraft } from "../../store/drafts.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { ActorName } from "../../ui/actor-name.tsx";
import { Age, momentOf } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty } from "../../ui/placeholder.tsx";
import { EditPrompt, type EditPromptProps, GonePrompt, type PromptDraft } from "./edit-prompt.tsx";

/** all of a long queue would hold the page up whenever one of them changes */
const shownMax = 100;

export function QueuePanel({ agent }: { agent: Agent }) {
	const act = useAct();
	const prompts = useSeen().queue(agent.id);
	const [edits, edit] = useEdits(agent.id);
	const [isWhole, setWhole] = useState(false);
	const shown = isWhole ? prompts : prompts.slice(0, shownMax);
	const gone = [...edits].filter(([prompt]) => !prompts.some(({ id }) => id === prompt));
	const lost = gone.map(([prompt, draft]) => (
		<GonePrompt key={prompt} agent={agent} prompt={prompt} draft={draft} onEdit={edit} />
	));
	const sensors = useSensors(
		useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
		useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
	);
	const move = (prompt: number, to: number) =>
		act("promptMove", { params: { agent: agent.id, prompt: String(prompt) }, body: { to } });
	const drop = ({ active, over }: DragEndEvent): void => {
		const to = prompts.findIndex(({ id }) => id === over?.id) + 1;
		if (to > 0 && active.id !== over?.id) void move(Number(active.id), to);
	};
	const why = whyNot(agent, "prompt");
	if (prompts.length === 0)
		return (
			<>
				{lost}
				<Empty title="The queue is empty." />
			</>
		);
	return (
		<DndContext
			sensors={sensors}
			collisionDetection={closestCenter}
			onDragEnd={drop}
			accessibility={{ announcements: announcementsOf(prompts), screenReaderInstructions: { draggable: instructions } }}
		>
			{lost}
			<SortableContext items={shown.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
				<ol className="queue" aria-label="Queue">
					{shown.map((prompt) => (
						<QueuedPrompt
							key={prompt.id}
							{...{ prompt, why, last: prompts.length, draft: edits.get(prompt.id) ?? null }}
							onMove={move}
							onEdit={edit}
						/>
					))}
				</ol>
			</SortableContext>
			{shown.length < prompts.length && (
				<p className="bar side-form">
					<Button onClick={() => setWhole(true)}>Show all {prompts.length} prompts</Button>
				</p>
			)}
			<Clear agent={agent} count={prompts.length} />
		</DndContext>
	);
}

/** The prompts that are being edited, by their numbers; kept as other texts that were typed. */
function useEdits(agent: AgentId): [ReadonlyMap<number, PromptDraft>, EditPromptProps["onEdit"]] {
	const name = `queue ${agent}`;
	const [kept] = useDraft(name);
	const edit = (prompt: number, draft: PromptDraft | null): void =>
		changeDraft(name, (now) => {
			const next = editsIn(now);
			if (draft === null) next.delete(prompt);
			else next.set(prompt, draft);
			return next.size === 0 ? "" : JSON.stringify([...next]);
		});
	return [editsIn(kept), edit];
}

const editsIn = (kept: string): Map<number, PromptDraft> => new Map(kept === "" ? [] : JSON.parse(kept));

/** What a screen reader is told. */
function announcementsOf(prompts: readonly Prompt[]): Announcements {
	const positionOf = (id: unknown): number | undefined => prompts.find((prompt) => prompt.id === id)?.position;
	return {
		onDragStart: ({ active }) => `Prompt ${positionOf(active.id)} is picked up.`,
		onDragOver: ({ over }) => (over === null ? "Not over the queue." : `At position ${positionOf(over.id)}.`),
		onDragEnd: ({ active, over }) =>
			over === null || over.id === active.id
				? "The prompt stays where it was."
				: `The prompt is moved to position ${positionOf(over.id)}.`,
		onDragCancel: () => "The prompt stays where it was.",
	};
}

function Clear({ agent, count }: { agent: Agent; count: number }) {
	const act = useAct();
	const [isOpen, setOpen] = useState(false);
	return (
		<div className="bar side-form">
			<Button kind="danger" why={whyNot(agent, "prompt")} onClick={() => setOpen(true)}>
				Clear the queue …
			</Button>
			{isOpen && (
				<Confirm
					title={`Clear the queue of ${agent.handle}?`}
					verb="Clear"
					run={() => act("queueClear", { params: { agent: agent.id } }, "The queue is empty")}
					onClose={() => setOpen(false)}
				>
					{counted(count, "prompt")} will not run.
				</Confirm>
			)}
		</div>
	);
}

const instructions = "Press Space to pick a prompt up, arrows to move it, Space to drop it and Escape to leave it.";

interface QueuedProps {
	prompt: Prompt;
	why: string | null;
	last: number;
	/** while it is edited */
	draft: PromptDraft | null;
	onMove(prompt: number, to: number): Promise<unknown>;
	onEdit: EditPromptProps["onEdit"];
}

function QueuedPrompt({ prompt, why, last, draft, onMove, onEdit }: QueuedProps) {
	const act = useAct();
	const { setNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({ id: prompt.id });
	const style = { ...movedBy(transform), transition, zIndex: isDragging ? 1 : undefined };
	const { position, id } = prompt;
	const { editButton, edit, isOpenedHere } = useEditFocus(onEdit);
	return (
		<li ref={setNodeRef} className="queued" style={style}>
			<button type="button" className="grip" aria-label={`Move prompt ${position}`} {...attributes} {...listeners}>
				⠿
			</button>
			<div className="queued-main">
				{draft === null ? (
					<p className="queued-text">{prompt.text}</p>
				) : (
					<EditPrompt prompt={prompt} draft={draft} takesFocus={isOpenedHere} onEdit={edit} />
				)}
				<div className="bar queued-actions">
					<span className="meta">
						{position}. <Age at={prompt.createdAt} />
						<From author={prompt.from ?? prompt.createdBy} />
						{prompt.notBefore !== null && `, not before ${momentOf(prompt.notBefore)}`}
					</span>
					<span className="spread" />
					<Button
						kind="quiet"
						label={`Move prompt ${position} up`}
						why={why ?? (position === 1 ? "It is the first." : null)}
						onClick={() => onMove(id, position - 1)}
					>
						↑
					</Button>
					<Button
						kind="quiet"
						label={`Move prompt ${position} down`}
						why={why ?? (position === last ? "It is the last." : null)}
						onClick={() => onMove(id, position + 1)}
					>
						↓
					</Button>
					<Button
						kind="quiet"
						label={`Move prompt ${position} to the front`}
						why={why ?? (position === 1 ? "It is the first." : null)}
						onClick={() => onMove(id, 1)}
					>
						⇈
					</Button>
					<Button
						ref={editButton}
						kind="quiet"
						label={`Edit prompt ${position}`}
						why={why ?? (prompt.source === "mail" ? "It announces mail and has no text to edit." : null)}
						onClick={() => edit(id, draft === null ? { began: prompt.text, text: prompt.text } : null)}
					>
						Edit
					</Button>
					<Button
						kind="quiet"
						label={`Remove prompt ${position}`}
						why={why}
						onClick={() => act("promptRemove", { params: { agent: prompt.agent, prompt: String(id) } })}
					>
						✕
					</Button>
				</div>
			</div>
		</li>
	);
}

const movedBy = (by: { y: number } | null) => (by === null ? {} : { transform: `translateY(${by.y}px)` });

/** With the box the focus would go too: it goes back to the button, unless it is elsewhere already. */
function useEditFocus(onEdit: EditPromptProps["onEdit"]) {
	const editButton = useRef<HTMLButtonElement>(null);
	const [isOpenedHere, setOpenedHere] = useState(false);
	const edit: EditPromptProps["onEdit"] = (edited, next) => {
		const isHere = editButton.current?.closest("li")?.contains(document.activeElement);
		if (next === null && isHere === true) editButton.current?.focus();
		setOpenedHere(next !== null);
		onEdit(edited, next);
	};
	return { editButton, edit, isOpenedHere };
}

function From({ author }: { author: string }) {
	if (author === "human") return null;
	return (
		<>
			, from <ActorName actor={author} />
		</>
	);
}
