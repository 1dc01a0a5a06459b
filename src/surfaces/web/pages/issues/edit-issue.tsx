import { useState } from "react";
import { issuePriorities } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct } from "../../store/hooks.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { IssueDialog, type IssueText } from "./issue-dialog.tsx";

export function EditIssue({ issue, onClose }: { issue: Issue; onClose(): void }) {
	const act = useAct();
	const [name, before] = [`${issue.project}#${issue.number}`, issue.labels.join(", ")];
	const [title, setTitle] = useDraft(`title ${name}`, issue.title);
	const [body, setBody] = useDraft(`body ${name}`, issue.body);
	const [labels, setLabels] = useDraft(`labels ${name}`, before);
	const change = (text: IssueText): void => {
		setTitle(text.title);
		setBody(text.body);
	};
	const discard = (): void => {
		change(issue);
		setLabels(before);
	};
	const isChanged = title !== issue.title || body !== issue.body || labels !== before;
	const [priority, setPriority] = useState(issue.priority);
	return (
		<IssueDialog
			title={`Edit ${name}`}
			action="Save"
			text={{ title, body }}
			rows={8}
			onChange={change}
			onSave={(saved) => {
				const listed = labels
					.split(",")
					.map((each) => each.trim())
					.filter(Boolean);
				return act("issueEdit", { params: { issue: name }, body: { ...saved, priority, labels: listed } }, "Saved.");
			}}
			onDiscard={isChanged ? discard : null}
			onClose={onClose}
		>
			<TextField label="Labels, separated by commas" value={labels} onChange={setLabels} />
			<SelectField
				label="Priority"
				value={priority}
				onChange={(value) => setPriority(issuePriorities.find((each) => each === value) ?? priority)}
				choices={issuePriorities}
			/>
		</IssueDialog>
	);
}
