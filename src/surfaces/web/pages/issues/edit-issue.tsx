import { useState } from "react";
import { issuePriorities } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { useAct } from "../../store/hooks.ts";
import { IssueDialog } from "./issue-dialog.tsx";

export function EditIssue({ issue, onClose }: { issue: Issue; onClose(): void }) {
	const act = useAct();
	const [words, setWords] = useState({ title: issue.title, body: issue.body });
	const [labels, setLabels] = useState(issue.labels.join(", "));
	const [priority, setPriority] = useState(issue.priority);
	return (
		<IssueDialog
			title={`Edit ${issue.project}#${issue.number}`}
			action="Save"
			words={words}
			rows={8}
			onChange={setWords}
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
			<label className="field">
				<span>Labels, separated by commas</span>
				<input className="input" value={labels} onChange={({ target }) => setLabels(target.value)} />
			</label>
			<label className="field">
				<span>Priority</span>
				<select
					className="select"
					value={priority}
					onChange={({ target }) => setPriority(issuePriorities.find((each) => each === target.value) ?? priority)}
				>
					{issuePriorities.map((each) => (
						<option key={each}>{each}</option>
					))}
				</select>
			</label>
		</IssueDialog>
	);
}
