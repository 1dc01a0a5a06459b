import { useState } from "react";
import { issuePriorities } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { useAct } from "../../store/hooks.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { IssueDialog } from "./issue-dialog.tsx";

export function EditIssue({ issue, onClose }: { issue: Issue; onClose(): void }) {
	const act = useAct();
	const [text, setText] = useState({ title: issue.title, body: issue.body });
	const [labels, setLabels] = useState(issue.labels.join(", "));
	const [priority, setPriority] = useState(issue.priority);
	return (
		<IssueDialog
			title={`Edit ${issue.project}#${issue.number}`}
			action="Save"
			text={text}
			rows={8}
			onChange={setText}
			onSave={(saved) => {
				const listed = labels
					.split(",")
					.map((each) => each.trim())
					.filter(Boolean);
				const params = { issue: `${issue.project}#${issue.number}` };
				return act("issueEdit", { params, body: { ...saved, priority, labels: listed } }, "Saved.");
			}}
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
