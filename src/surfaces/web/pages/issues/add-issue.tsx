import { useState } from "react";
import type { ProjectSlug } from "#contract/ids.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { IssueFields, whyNotSaved } from "./issue-fields.tsx";

export function AddIssue({ project, onClose }: { project: ProjectSlug; onClose(): void }) {
	const act = useAct();
	const presets = useRead("presets", { params: { project } });
	const [words, setWords] = useState({ title: "", body: "" });
	const [preset, setPreset] = useState("");
	const add = async (): Promise<void> => {
		const request = { ...words, title: words.title.trim(), ...(preset !== "" && { preset }) };
		if ((await act("issueAdd", { params: { project }, body: request }, "The issue was added.")) !== null) onClose();
	};
	return (
		<Dialog
			title="Add an issue"
			onClose={onClose}
			actions={
				<Button kind="primary" why={whyNotSaved(words)} onClick={add}>
					Add
				</Button>
			}
		>
			<IssueFields words={words} rows={5} onChange={setWords} />
			<label className="field">
				<span>Workflow</span>
				<select className="select" value={preset} onChange={({ target }) => setPreset(target.value)}>
					<option value="">the project's</option>
					{(presets.data ?? []).map(({ name }) => (
						<option key={name}>{name}</option>
					))}
				</select>
			</label>
		</Dialog>
	);
}
