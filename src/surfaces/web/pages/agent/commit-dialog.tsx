import type { Agent } from "#contract/wire.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Counts } from "../../ui/diff.tsx";
import { TextAreaField } from "../../ui/field.tsx";
import { RefusedNote } from "../../ui/refused-note.tsx";

export function CommitDialog({ agent, onClose }: { agent: Agent; onClose(): void }) {
	const act = useAct();
	const [message, setMessage] = useDraft(`commit ${agent.id}`);
	const read = useRead("diff", { params: { agent: agent.id }, query: { against: "index" } });
	const commit = async (): Promise<void> => {
		const done = await act("commit", { params: { agent: agent.id }, body: { message } });
		if (done === null) return;
		setMessage("");
		onClose();
	};
	return (
		<Dialog
			title={`Commit the work of ${agent.handle}`}
			onClose={onClose}
			actions={
				<Button kind="primary" why={message.trim() === "" ? "A commit needs a message." : null} onClick={commit}>
					Commit
				</Button>
			}
		>
			<ul className="file-list">
				{(read.data?.files ?? []).map(({ path, added, deleted }) => (
					<li key={path}>
						<span className="mono clip">{path}</span> <Counts added={added} deleted={deleted} />
					</li>
				))}
				{read.data?.files.length === 0 && <li className="meta">No changes since the last commit.</li>}
			</ul>
			<RefusedNote read={read} what="The changes" />
			<TextAreaField label="Message" rows={3} value={message} onChange={setMessage} />
		</Dialog>
	);
}
