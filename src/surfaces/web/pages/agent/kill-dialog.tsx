import { useState } from "react";
import type { Agent } from "#contract/wire.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

interface KillDialogProps {
	agent: Agent;
	verb: "kill" | "delete";
	onClose(): void;
}

export function KillDialog({ agent, verb, onClose }: KillDialogProps) {
	const act = useAct();
	const [isMore, setMore] = useState(false);
	const below = useSeen().agents.filter(({ supervisor, life }) => supervisor === agent.id && life !== "ended").length;
	const params = { agent: agent.id };
	const end = async (): Promise<void> => {
		const done =
			verb === "kill"
				? await act("kill", { params, body: { cascade: isMore } }, `${agent.handle} was ended`)
				: await act("agentDelete", { params, body: { force: isMore } }, `${agent.handle} was deleted`);
		if (done !== null) onClose();
	};
	return (
		<Dialog
			title={`${verb === "kill" ? "Kill" : "Delete"} ${agent.handle}?`}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Keep it</Button>
					<Button kind="danger" onClick={end}>
						{verb === "kill" ? "Kill" : "Delete"}
					</Button>
				</>
			}
		>
			<p>
				{verb === "kill"
					? "Its turn is stopped and its queue cancelled. Its conversation and its workspace stay."
					: "The agent ends for good. Its workspace is moved to the trash, after a snapshot. Its conversation stays."}
			</p>
			<label className="check">
				<input type="checkbox" checked={isMore} onChange={(event) => setMore(event.target.checked)} />{" "}
				{verb === "kill"
					? `also end everything below it (${below} directly below)`
					: "even if it is not clean, not merged or has prompts in its queue"}
			</label>
		</Dialog>
	);
}
