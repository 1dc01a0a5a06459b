import { useState } from "react";
import { issuePriorities } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { IssueFields, whyNotSaved } from "./issue-fields.tsx";

export function EditIssue({ issue, onClose }: { issue: Issue; onClose(): void }) {
	const act = useAct();
	const [words, setWords] = useState({ title: issue.title, body: issue.body });
	const [labels, setLabels] = useState(issue.labels.join(", "));
	const [priority, setPriority] = useState(issue.priority);
	const save = async (): Promise<void> => {
		const listed = labels
			.split(",")
			.map((each) => each.trim())
			.filter(Boolean);
		const request = { ...words, title: words.title.trim(), priority, labels: listed };
		const params = { issue: `${issue.project}#${issue.number}` };
		if ((await act("issueEdit", { params, body: request }, "Saved.")) !== null) onClose();
	};
	return (
		<Dialog
			title={`Edit ${issue.project}#${issue.number}`}
			onClose={onClose}
			actions={
				<Button kind="primary" why={whyNotSaved(words)} onClick={save}>
					Save
				</Button>
			}
		>
			<IssueFields words={words} rows={8} onChange={setWords} />
			<label className="field">
				<span>Labels, with commas</span>
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
		</Dialog>
	);
}
