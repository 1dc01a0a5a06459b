import { useState } from "react";
import type { ProjectSlug } from "#contract/ids.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { SelectField } from "../../ui/field.tsx";
import { RefusedNote } from "../../ui/refused-note.tsx";
import { IssueDialog, type IssueText } from "./issue-dialog.tsx";

export function AddIssue({ project, onClose }: { project: ProjectSlug; onClose(): void }) {
	const act = useAct();
	const presets = useRead("presets", { params: { project } });
	const [title, setTitle] = useDraft(`title ${project}`);
	const [body, setBody] = useDraft(`body ${project}`);
	const change = (text: IssueText): void => {
		setTitle(text.title);
		setBody(text.body);
	};
	const [preset, setPreset] = useState("");
	return (
		<IssueDialog
			title="Add an issue"
			action="Add"
			text={{ title, body }}
			rows={5}
			onChange={change}
			onSave={(saved) =>
				act(
					"issueAdd",
					{ params: { project }, body: { ...saved, ...(preset !== "" && { preset }) } },
					"The issue was added.",
				)
			}
			onDiscard={title + body === "" ? null : () => change({ title: "", body: "" })}
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
			<RefusedNote read={presets} what="The presets" />
		</IssueDialog>
	);
}
