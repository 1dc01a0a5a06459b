// Frees the folder of a new agent. A project that was removed and added again has its names free, but the folder of an
// agent that had the name before may still be there: it goes to the trash, as if that agent were deleted now.
import type { AgentState } from "#contract/agent.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { approvedIn, checkoutOf } from "./checkout.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Pick<Workspaces, "remove">;
}

export async function trashNamesakes(
	{ reads, dispatch, workspaces }: Parts,
	agent: AgentState,
): Promise<Refusal | null> {
	if (agent.project === null) return null;
	const folder = `/projects/${agent.project}/agents/${agent.handle}`;
	for (const namesake of await reads.agentsInFolder(agent.project, agent.handle)) {
		if (namesake.life !== "ended" || namesake.workspace?.path.endsWith(folder) !== true) continue;
		const checkout = await checkoutOf(reads, namesake);
		if (checkout === null || checkout.workspace.kind === "main") continue;
		const removed = await workspaces.remove(checkout, { force: true, approved: await approvedIn(reads, namesake) });
		if (isRefusal(removed)) return removed;
		const reason = `its name was given to ${agent.id}`;
		const outcome = await dispatch(bySystem({ type: "agent.delete", agent: namesake.id, force: true, reason }));
		if ("refused" in outcome) return outcome.refused;
	}
	return null;
}
