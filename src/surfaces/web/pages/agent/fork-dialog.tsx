import { useState } from "react";
import { useLocation } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextAreaField, TextField } from "../../ui/field.tsx";
import { paths } from "../../ui/paths.ts";

/** `at`: the last item that the child inherits; null for everything. */
export function ForkDialog({ agent, at, onClose }: { agent: Agent; at: number | null; onClose(): void }) {
	const act = useAct();
	const [, go] = useLocation();
	const [name, setName] = useDraft(`fork name ${agent.id}`);
	const [prompt, setPrompt] = useDraft(`fork prompt ${agent.id}`);
	const [fresh, setFresh] = useState(false);
	const fork = async (): Promise<void> => {
		const body = {
			...(name.trim() !== "" && { name: name.trim() }),
			...(prompt.trim() !== "" && { prompt, title: prompt.trim().slice(0, 200) }),
			...(at === null ? { fresh } : { at }),
			wait: false,
		};
		const child = await act("fork", { params: { agent: agent.id }, body });
		if (child === null) return;
		setName("");
		setPrompt("");
		onClose();
		go(paths.agent(child.id));
	};
	return (
		<Dialog
			title={at === null ? `Fork ${agent.handle}` : `Fork ${agent.handle} from item ${at}`}
			onClose={onClose}
			actions={
				<Button kind="primary" onClick={fork}>
					Fork
				</Button>
			}
		>
			<p className="meta">
				{fresh
					? "The child begins with an empty conversation."
					: at === null
						? "The child gets the whole conversation and the files as they are now, uncommitted changes too."
						: "The child gets the conversation up to this item, and the files as they were when its turn ended; of a turn that is still running, those from before it."}
			</p>
			<TextAreaField
				label="First prompt"
				rows={4}
				value={prompt}
				onChange={setPrompt}
				placeholder="What the child should do; empty to decide later"
			/>
			<TextField label="Name" value={name} onChange={setName} placeholder="derived from the prompt" />
			{at === null && (
				<label className="check">
					<input type="checkbox" checked={fresh} onChange={(event) => setFresh(event.target.checked)} /> without the
					conversation
				</label>
			)}
		</Dialog>
	);
}
