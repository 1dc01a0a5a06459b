// A snapshot of an agent's tree as it is now, recorded in the journal.
import type { Recorded } from "#contract/workspace-step.ts";
import { untilRecorded } from "../loop/retry.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { Checkout, SnapshotState } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";

interface SnapshotParts {
	dispatch: Dispatch;
	workspaces: Workspaces | null;
}

/** The newest snapshot of the tree; one is taken if something changed since the last. */
export async function snapshot(
	parts: SnapshotParts,
	checkout: Checkout,
	why: { reason: string; turn?: number },
): Promise<SnapshotState | undefined> {
	const { workspaces } = parts;
	if (workspaces === null) return undefined;
	const { snapshot: taken, fresh } = await workspaces.takeSnapshot(checkout, why);
	if (!fresh) return taken;
	const { id, commit, reason, missing } = taken;
	await record(parts, checkout, {
		kind: "workspace.snapshotted",
		data: { snapshot: id, commit, reason, missing: missing.length },
	});
	return taken;
}

export async function record(
	{ dispatch }: { dispatch: Dispatch },
	{ agent }: Checkout,
	event: Recorded,
): Promise<void> {
	await untilRecorded(dispatch, bySystem({ type: "workspace.record", agent: agent.id, event }));
}
