import { useState } from "react";
import type { ProjectSlug } from "#contract/ids.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

export function AddIssue({ project, onClose }: { project: ProjectSlug; onClose(): void }) {
	const act = useAct();
	const presets = useRead("presets", { params: { project } });
	const [title, setTitle] = useState("");
	const [body, setBody] = useState("");
	const [preset, setPreset] = useState("");
	const add = async (): Promise<void> => {
		const request = { title: title.trim(), body, ...(preset !== "" && { preset }) };
		if ((await act("issueAdd", { params: { project }, body: request }, "The issue was added.")) !== null) onClose();
	};
	return (
		<Dialog
			title="Add an issue"
			onClose={onClose}
			actions={
				<Button kind="primary" why={title.trim() === "" ? "Give it a title." : null} onClick={add}>
					Add
				</Button>
			}
		>
			<label className="field">
				<span>Title</span>
				<input className="input" value={title} onChange={({ target }) => setTitle(target.value)} />
			</label>
			<label className="field">
				<span>Description</span>
				<textarea className="textarea" rows={5} value={body} onChange={({ target }) => setBody(target.value)} />
			</label>
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
