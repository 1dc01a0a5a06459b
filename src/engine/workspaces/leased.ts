// Work under a workspace lease; `steps.ts` says what a lease is for.

import type { Refusal } from "#contract/refusal.ts";
import type { WorkspaceLease } from "#contract/workspace-step.ts";
import { untilRecorded } from "../loop/retry.ts";
import { bySystem, type CommandRequest, type Dispatch } from "../ports/dispatch.ts";

interface LeaseRequest extends CommandRequest {
	command: WorkspaceLease;
}

/**
 * Takes the lease, does the work and frees the workspace, with retries: a lease that stayed would keep every turn away.
 * Where there is no lease, the work is given the refusal.
 */
export async function whileLeased<T>(
	{ dispatch }: { dispatch: Dispatch },
	request: LeaseRequest,
	work: (refused: Refusal | null) => Promise<T>,
): Promise<T> {
	const leased = await dispatch(request);
	if ("refused" in leased) return await work(leased.refused);
	try {
		return await work(null);
	} finally {
		await untilRecorded(dispatch, bySystem({ type: "workspace.free", agent: request.command.agent }));
	}
}

/** A lease that the daemon takes for itself. */
export const leaseBySystem = (command: Omit<WorkspaceLease, "type">): LeaseRequest => ({
	...bySystem({ type: "workspace.lease", ...command }),
	command: { type: "workspace.lease", ...command },
});
