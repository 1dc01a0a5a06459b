import { useState } from "react";
import type { ProjectSlug } from "#contract/ids.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { SelectField } from "../../ui/field.tsx";
import { IssueDialog } from "./issue-dialog.tsx";

export function AddIssue({ project, onClose }: { project: ProjectSlug; onClose(): void }) {
	const act = useAct();
	const presets = useRead("presets", { params: { project } });
	const [text, setText] = useState({ title: "", body: "" });
	const [preset, setPreset] = useState("");
	return (
		<IssueDialog
			title="Add an issue"
			action="Add"
			text={text}
			rows={5}
			onChange={setText}
			onSave={(saved) =>
				act(
					"issueAdd",
					{ params: { project }, body: { ...saved, ...(preset !== "" && { preset }) } },
					"The issue was added.",
				)
			}
			onClose={onClose}
		>
			<SelectField
				label="Preset"
				value={preset}
				onChange={setPreset}
				choices={(presets.data ?? []).map(({ name }) => name)}
			>
				<option value="">the project's</option>
			</SelectField>
		</IssueDialog>
	);
}
