// The dialog in which an issue is added or edited.
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

interface Words {
	title: string;
	body: string;
}

interface IssueDialogProps {
	title: string;
	/** the word on the button */
	action: string;
	words: Words;
	rows: number;
	onChange(words: Words): void;
	/** with the title trimmed; null if it was refused */
	onSave(words: Words): Promise<object | null>;
	onClose(): void;
	/** further fields */
	children: ReactNode;
}

export function IssueDialog({ title, action, words, rows, onChange, onSave, onClose, children }: IssueDialogProps) {
	const save = async (): Promise<void> => {
		if ((await onSave({ ...words, title: words.title.trim() })) !== null) onClose();
	};
	return (
		<Dialog
			title={title}
			onClose={onClose}
			actions={
				<Button kind="primary" why={words.title.trim() === "" ? "Enter a title." : null} onClick={save}>
					{action}
				</Button>
			}
		>
			<label className="field">
				<span>Title</span>
				<input
					className="input"
					value={words.title}
					onChange={({ target }) => onChange({ ...words, title: target.value })}
				/>
			</label>
			<label className="field">
				<span>Description</span>
				<textarea
					className="textarea"
					rows={rows}
					value={words.body}
					onChange={({ target }) => onChange({ ...words, body: target.value })}
				/>
			</label>
			{children}
		</Dialog>
	);
}
