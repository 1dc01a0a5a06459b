// The text of a queued prompt while it is edited. Others may change or remove the prompt meanwhile: nothing is replaced
// that this browser has not shown, and what was typed stays.
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Agent, Prompt } from "#contract/wire.ts";
import { isSendKey } from "../../shell/keyboard.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";

export interface PromptDraft {
	/** the prompt's text when its editor was opened */
	began: string;
	text: string;
}

export interface EditPromptProps {
	prompt: Prompt;
	draft: PromptDraft;
	/** it was opened just now, not when its tab was left */
	takesFocus: boolean;
	/** null ends the edit */
	onEdit(prompt: number, draft: PromptDraft | null): void;
}

export function EditPrompt({ prompt, draft, takesFocus, onEdit }: EditPromptProps) {
	const act = useAct();
	const { id, position, text: before } = prompt;
	const { began, text } = draft;
	const box = useRef<HTMLTextAreaElement>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: only when it is opened
	useEffect(() => {
		if (!takesFocus) return;
		box.current?.focus();
		box.current?.setSelectionRange(box.current.value.length, box.current.value.length);
	}, []);
	const isEmpty = text.trim() === "";
	const save = async (): Promise<void> => {
		if (isEmpty) return;
		const params = { agent: prompt.agent, prompt: String(id) };
		if ((await act("promptEdit", { params, body: { text, before } })) !== null) onEdit(id, null);
	};
	const press = (event: KeyboardEvent): void => {
		if (event.key === "Escape") onEdit(id, null);
		if (!isSendKey(event)) return;
		event.preventDefault();
		void save();
	};
	return (
		<>
			{before !== began && (
				<p className="tone-wait queued-text" role="status">
					It was changed meanwhile, and saving replaces this text: {before}
				</p>
			)}
			<textarea
				ref={box}
				className="textarea"
				onKeyDown={press}
				aria-label={`Text of prompt ${position}`}
				value={text}
				onChange={({ target }) => onEdit(id, { began, text: target.value })}
			/>
			<div className="bar">
				<Button kind="primary" why={isEmpty ? "Enter a prompt first." : null} onClick={save}>
					Save
				</Button>
				<Button kind="quiet" onClick={() => onEdit(id, null)}>
					Cancel
				</Button>
				<span className="meta prompt-hint">Enter saves, Escape cancels</span>
			</div>
		</>
	);
}

/** What was typed for a prompt that is not in the queue any more. */
export function GonePrompt({
	agent,
	prompt,
	draft,
	onEdit,
}: Pick<EditPromptProps, "draft" | "onEdit"> & { agent: Agent; prompt: number }) {
	const act = useAct();
	const queue = async (): Promise<void> => {
		const queued = await act("prompt", { params: { agent: agent.id }, body: { text: draft.text } });
		if (queued !== null) onEdit(prompt, null);
	};
	return (
		<div className="side-form" role="alert">
			<p className="tone-wait">The prompt that you edited was removed from the queue, or has started.</p>
			<textarea
				className="textarea"
				aria-label="Text of the prompt that is gone"
				value={draft.text}
				onChange={({ target }) => onEdit(prompt, { ...draft, text: target.value })}
			/>
			<div className="bar">
				<Button why={draft.text.trim() === "" ? "Enter a prompt first." : null} onClick={queue}>
					Queue it as a new prompt
				</Button>
				<Button kind="quiet" onClick={() => onEdit(prompt, null)}>
					Discard
				</Button>
			</div>
		</div>
	);
}
