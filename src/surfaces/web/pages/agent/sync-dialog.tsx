// A branch with commits of its own does not simply move to base: a person says how the two are combined.

import type { Agent } from "#contract/wire.ts";
import type { SyncStrategy } from "#contract/workspace.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** `onDiverged` is given what the daemon says of such a branch. */
export function useSync(agent: Agent, onDiverged: (message: string) => void): () => Promise<unknown> {
	const act = useAct();
	return () =>
		act("sync", { params: { agent: agent.id }, body: {} }, `${agent.handle} is up to date`, (refusal) => {
			const hasWays = agent.workspace?.kind !== "main" && typeof refusal.details["ahead"] === "number";
			if (hasWays) onDiverged(refusal.message);
			return hasWays;
		});
}

export function SyncDialog({ agent, message, onClose }: { agent: Agent; message: string; onClose(): void }) {
	const act = useAct();
	const sync = async (strategy: SyncStrategy): Promise<void> => {
		const input = { params: { agent: agent.id }, body: { strategy } };
		if ((await act("sync", input, `${agent.handle} is up to date`)) !== null) onClose();
	};
	return (
		<Dialog
			title={`Sync ${agent.handle} with base`}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button onClick={() => sync("merge")}>Merge base</Button>
					<Button kind="primary" onClick={() => sync("rebase")}>
						Rebase
					</Button>
				</>
			}
		>
			<p>{message}</p>
			<p>
				<em>Rebase</em> puts its commits on top of base. <em>Merge base</em> adds a merge commit to its branch. Nothing
				changes if there are conflicts.
			</p>
		</Dialog>
	);
}
