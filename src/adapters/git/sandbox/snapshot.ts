// Snapshots of a workspace in a sandbox: taken in there, kept in the project's repository.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { branchRef } from "../format/refs.ts";
import { findSnapshot, type Snapshot } from "../snapshot/snapshots.ts";
import { steps } from "../worker/steps.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { ask, longMs, projectView, pullChanges, pullSnapshot, type SandboxedCheckout } from "./ask.ts";
import { ready } from "./verbs.ts";

export async function snapshotSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	{ reason, turn }: { reason: string; turn: number | null },
): Promise<{ snapshot: Snapshot; fresh: boolean } | Refusal> {
	const view = await ready(context, checkout);
	if (isRefusal(view)) return view;
	const { commit, fresh } = await ask(context, checkout, steps.snapshot, view, { reason, turn }, { timeoutMs: longMs });
	const { last } = view.scene.given;
	if (fresh || last === null || last.commit !== commit)
		return { snapshot: await pullSnapshot(context, checkout, view, commit), fresh: true };
	const found = await findSnapshot(context.git, checkout.project.path, last.ref);
	if (found === null) throw new Error(`${last.ref} cannot be read`);
	return { snapshot: found, fresh: false };
}

/** A snapshot, and the branch with it: what a turn has done is then the project's. */
export async function keepSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	why: { reason: string; turn: number | null },
): ReturnType<typeof snapshotSandboxed> {
	const taken = await snapshotSandboxed(context, checkout, why);
	if (isRefusal(taken)) return taken;
	const { head } = taken.snapshot.manifest;
	const view = await projectView(context, checkout);
	const known = !isRefusal(view) && head.branch === branchRef(checkout.workspace.branch) && head.commit === view.seen;
	if (!isRefusal(view) && !known) await pullChanges(context, checkout, view);
	return taken;
}
