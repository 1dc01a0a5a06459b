// Pauses or interrupts an agent, and says why: the reason is shown beside its state.
import { useState } from "react";
import type { Agent } from "#contract/wire.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";

interface ReasonDialogProps {
	agent: Agent;
	verb: "pause" | "interrupt";
	onClose(): void;
}

const names = { pause: "Pause", interrupt: "Interrupt" };

export function ReasonDialog({ agent, verb, onClose }: ReasonDialogProps) {
	const act = useAct();
	const [reason, setReason] = useState("");
	const run = async (): Promise<void> => {
		if ((await act(verb, { params: { agent: agent.id }, body: { reason: reason.trim() } })) !== null) onClose();
	};
	return (
		<Dialog
			title={`${names[verb]} ${agent.handle}`}
			onClose={onClose}
			actions={
				<Button kind="primary" onClick={run}>
					{names[verb]}
				</Button>
			}
		>
			<TextField label="Reason" value={reason} onChange={setReason} />
		</Dialog>
	);
}
