// The dialog in which an issue is added or edited.
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextAreaField, TextField } from "../../ui/field.tsx";

export interface IssueText {
	title: string;
	body: string;
}

interface IssueDialogProps {
	title: string;
	/** the label of the button */
	action: string;
	text: IssueText;
	rows: number;
	onChange(text: IssueText): void;
	/** with the title trimmed; null if it was refused */
	onSave(text: IssueText): Promise<object | null>;
	/** puts back what was there before anything was typed; null if nothing was */
	onDiscard: (() => void) | null;
	onClose(): void;
	/** further fields */
	children: ReactNode;
}

export function IssueDialog(props: IssueDialogProps) {
	const { title, action, text, rows, onChange, onSave, onDiscard, onClose, children } = props;
	const save = async (): Promise<void> => {
		if ((await onSave({ ...text, title: text.title.trim() })) === null) return;
		onDiscard?.();
		onClose();
	};
	return (
		<Dialog
			title={title}
			onClose={onClose}
			actions={
				<>
					{onDiscard !== null && (
						<Button kind="quiet" title="What you type is kept when the dialog is closed" onClick={onDiscard}>
							Discard the draft
						</Button>
					)}
					<Button kind="primary" why={text.title.trim() === "" ? "Enter a title." : null} onClick={save}>
						{action}
					</Button>
				</>
			}
		>
			<TextField label="Title" value={text.title} onChange={(value) => onChange({ ...text, title: value })} />
			<TextAreaField
				label="Body"
				rows={rows}
				value={text.body}
				onChange={(value) => onChange({ ...text, body: value })}
			/>
			{children}
		</Dialog>
	);
}
