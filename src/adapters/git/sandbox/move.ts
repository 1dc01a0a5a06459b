// Steps in a sandbox that move the agent's branch or its files. Each first keeps what could be lost.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { SyncStrategy } from "#contract/workspace.ts";
import type { StepControl } from "#engine/ports/workspace-requests.ts";
import type { StoredSnapshot } from "../snapshot/snapshots.ts";
import type { Accept } from "../verbs/recover.ts";
import { nullIfDamaged } from "../worker/faults.ts";
import { type Step, steps } from "../worker/steps.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { numberOf } from "../workspace/keep.ts";
import { snapshotSandboxed } from "./snapshot.ts";
import { borrow, clientFor, openClient, type SandboxedCheckout } from "./worker-client.ts";

export const syncSandboxed = async (
	context: GitContext,
	checkout: SandboxedCheckout,
	strategy: SyncStrategy,
	control: StepControl,
): Promise<UpdateResult | Refusal> =>
	await move(context, checkout, steps.sync, { strategy, begun: control.begun ?? null }, control);
export const releaseSandboxed = toBranch(steps.release);
export const switchSandboxed = toBranch(steps.switchBranch);

function toBranch(step: typeof steps.release | typeof steps.switchBranch) {
	return async (
		context: GitContext,
		checkout: SandboxedCheckout,
		control: StepControl,
	): Promise<UpdateResult | Refusal> => await move(context, checkout, step, { begun: control.begun ?? null }, control);
}

/** Imports the branch before and after the step, so that no commit is lost. */
async function move<I>(
	context: GitContext,
	checkout: SandboxedCheckout,
	step: Step<I, UpdateResult | Refusal>,
	input: I,
	control: StepControl,
): Promise<UpdateResult | Refusal> {
	const before = await openClient(context, checkout);
	if (isRefusal(before)) return before;
	const { tip } = await before.pullChanges();
	await control.begin?.({ head: tip });
	const client = await clientFor(context, checkout);
	if (isRefusal(client)) return client;
	// the step may bring base's objects into the tree
	await borrow(context, checkout, { base: client.given.baseCommit });
	const moved = await client.ask(step, input, { signal: control.signal });
	const { snapshot } = await client.pullChanges({ keepOld: true });
	if (isRefusal(moved) || snapshot === null) return moved;
	return { ...moved, snapshot: numberOf(snapshot) };
}

/** Takes a snapshot, then recovers inside the sandbox. The tree must exist. */
export async function recoverInside(
	context: GitContext,
	checkout: SandboxedCheckout,
	control: StepControl,
	accept?: Accept,
): Promise<UpdateResult | Refusal> {
	// null if git cannot read the index: the step repairs it, and keeps the files
	const taken = await snapshotSandboxed(context, checkout, "before a recovery").catch(nullIfDamaged);
	const input = { accept: accept === undefined ? null : { seen: accept.seen, step: accept.step ?? null } };
	const moved = seenFromOutside(context, checkout, await move(context, checkout, steps.recover, input, control));
	if (isRefusal(moved) || /^\d+$/.test(moved.snapshot ?? "")) return moved;
	const fresh = taken !== null && !isRefusal(taken) && taken.fresh;
	return { ...moved, snapshot: fresh ? numberOf(taken.snapshot) : null };
}

/** Inside, the git folder is mounted at another place. */
function seenFromOutside<T extends UpdateResult | Refusal>(
	{ layout }: GitContext,
	{ project, workspace }: SandboxedCheckout,
	result: T,
): T {
	if (isRefusal(result)) return result;
	const outside = layout.ownGit(project.slug, workspace.path);
	return { ...result, text: result.text.replaceAll(`${workspace.path}/.git/`, `${outside}/`) };
}

export async function restoreSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	{ commit }: StoredSnapshot,
): Promise<UpdateResult | Refusal> {
	const taken = await snapshotSandboxed(context, checkout, "before a restore").catch(nullIfDamaged);
	if (taken !== null && isRefusal(taken)) return taken;
	await borrow(context, checkout, { restored: commit });
	const moved = await move(context, checkout, steps.restore, { commit }, {});
	if (isRefusal(moved)) return moved;
	return { ...moved, snapshot: moved.snapshot ?? (taken === null ? null : numberOf(taken.snapshot)) };
}
