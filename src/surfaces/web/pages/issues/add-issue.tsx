import { useState } from "react";
import type { ProjectSlug } from "#contract/ids.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { IssueDialog } from "./issue-dialog.tsx";

export function AddIssue({ project, onClose }: { project: ProjectSlug; onClose(): void }) {
	const act = useAct();
	const presets = useRead("presets", { params: { project } });
	const [words, setWords] = useState({ title: "", body: "" });
	const [preset, setPreset] = useState("");
	return (
		<IssueDialog
			title="Add an issue"
			action="Add"
			words={words}
			rows={5}
			onChange={setWords}
			onSave={(saved) =>
				act(
					"issueAdd",
					{ params: { project }, body: { ...saved, ...(preset !== "" && { preset }) } },
					"The issue was added.",
				)
			}
			onClose={onClose}
		>
			<label className="field">
				<span>Workflow</span>
				<select className="select" value={preset} onChange={({ target }) => setPreset(target.value)}>
					<option value="">the project's</option>
					{(presets.data ?? []).map(({ name }) => (
						<option key={name}>{name}</option>
					))}
				</select>
			</label>
		</IssueDialog>
	);
}
