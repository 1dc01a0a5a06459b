// The prompts that wait, in the order in which they start. They move by dragging and by keys, and can be edited.
import {
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
import { useState } from "react";
import type { Agent, Prompt } from "#contract/wire.ts";
import { whyNot } from "#views/agent-actions.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/placeholder.tsx";
import { ActorName } from "./block.tsx";

export function QueuePanel({ agent }: { agent: Agent }) {
	const act = useAct();
	const prompts = useSeen().queue(agent.id);
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
	if (prompts.length === 0) return <Empty title="The queue is empty." />;
	return (
		<DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop}>
			<SortableContext items={prompts.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
				<ol className="queue" aria-label="Queue">
					{prompts.map((prompt) => (
						<QueuedPrompt key={prompt.id} prompt={prompt} why={why} last={prompts.length} onMove={move} />
					))}
				</ol>
			</SortableContext>
			<div className="bar side-form">
				<Button
					kind="danger"
					why={why}
					onClick={() => act("queueClear", { params: { agent: agent.id } }, "The queue is empty")}
				>
					Clear the queue
				</Button>
			</div>
		</DndContext>
	);
}

interface QueuedProps {
	prompt: Prompt;
	why: string | null;
	last: number;
	onMove(prompt: number, to: number): Promise<unknown>;
}

function QueuedPrompt({ prompt, why, last, onMove }: QueuedProps) {
	const act = useAct();
	const [isEdited, setEdited] = useState(false);
	const { setNodeRef, attributes, listeners, transform, transition } = useSortable({ id: prompt.id });
	const style = { transform: transform === null ? undefined : `translateY(${transform.y}px)`, transition };
	const params = { agent: prompt.agent, prompt: String(prompt.id) };
	const { position, id } = prompt;
	return (
		<li ref={setNodeRef} className="queued" style={style}>
			<button type="button" className="grip" aria-label={`Move prompt ${position}`} {...attributes} {...listeners}>
				⠿
			</button>
			<div className="queued-main">
				{isEdited ? (
					<EditPrompt prompt={prompt} onDone={() => setEdited(false)} />
				) : (
					<p className="queued-text">{prompt.text}</p>
				)}
				<div className="bar queued-actions">
					<span className="meta">
						{position}. <Age at={prompt.createdAt} />
						<From author={prompt.from ?? prompt.createdBy} />
						{prompt.notBefore !== null && `, not before ${new Date(prompt.notBefore).toLocaleString()}`}
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
						kind="quiet"
						label={`Edit prompt ${position}`}
						why={why ?? (prompt.source === "mail" ? "It announces mail and has no text to edit." : null)}
						onClick={() => setEdited(!isEdited)}
					>
						Edit
					</Button>
					<Button
						kind="quiet"
						label={`Remove prompt ${position}`}
						why={why}
						onClick={() => act("promptRemove", { params })}
					>
						✕
					</Button>
				</div>
			</div>
		</li>
	);
}

function From({ author }: { author: string }) {
	if (author === "human") return null;
	return (
		<>
			, from <ActorName actor={author} />
		</>
	);
}

function EditPrompt({ prompt, onDone }: { prompt: Prompt; onDone(): void }) {
	const act = useAct();
	const [text, setText] = useState(prompt.text);
	const save = async (): Promise<void> => {
		const params = { agent: prompt.agent, prompt: String(prompt.id) };
		if ((await act("promptEdit", { params, body: { text } })) !== null) onDone();
	};
	return (
		<>
			<textarea
				className="textarea"
				aria-label={`Text of prompt ${prompt.position}`}
				value={text}
				onChange={(event) => setText(event.target.value)}
			/>
			<div className="bar">
				<Button kind="primary" why={text.trim() === "" ? "Enter a prompt first." : null} onClick={save}>
					Save
				</Button>
				<Button kind="quiet" onClick={onDone}>
					Cancel
				</Button>
			</div>
		</>
	);
}
