// Steps in a sandbox that move the agent's branch or its files. Each keeps first what could be lost.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { SyncStrategy } from "#contract/workspace.ts";
import type { MoveResult, StepControl } from "#engine/ports/workspace-requests.ts";
import type { Snapshot } from "../snapshot/snapshots.ts";
import type { Accept } from "../verbs/recover.ts";
import { type Step, steps } from "../worker/steps.ts";
import { SandboxFault } from "../worker/workers.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { numberOf } from "../workspace/keep.ts";
import { ask, borrow, longMs, projectView, pullChanges, type SandboxedCheckout } from "./ask.ts";
import { snapshotSandboxed } from "./snapshot.ts";
import { ready } from "./verbs.ts";

export const syncSandboxed = async (
	context: GitContext,
	checkout: SandboxedCheckout,
	strategy: SyncStrategy,
	control: StepControl,
): Promise<MoveResult | Refusal> =>
	await moved(context, checkout, steps.sync, { strategy, begun: control.begun ?? null }, control);
export const releaseSandboxed = toBranch(steps.release);
export const enterSandboxed = toBranch(steps.enter);

function toBranch(step: typeof steps.release | typeof steps.enter) {
	return async (
		context: GitContext,
		checkout: SandboxedCheckout,
		control: StepControl,
	): Promise<MoveResult | Refusal> => await moved(context, checkout, step, { begun: control.begun ?? null }, control);
}

/** What its branch is on comes out first: a step of ours loses no commit. */
async function moved<W>(
	context: GitContext,
	checkout: SandboxedCheckout,
	step: Step<W, MoveResult | Refusal>,
	request: W,
	control: StepControl,
): Promise<MoveResult | Refusal> {
	const before = await ready(context, checkout);
	if (isRefusal(before)) return before;
	const { tip } = await pullChanges(context, checkout, before);
	await control.begin?.({ head: tip });
	const view = await projectView(context, checkout);
	if (isRefusal(view)) return view;
	// its files may need it from this moment on
	await borrow(context, checkout, { base: view.scene.given.base });
	const home = await ask(context, checkout, step, view, request, { timeoutMs: longMs, signal: control.signal });
	const { snapshot } = await pullChanges(context, checkout, view, { keepOld: true });
	if (isRefusal(home) || snapshot === null) return home;
	return { ...home, snapshot: numberOf(snapshot) };
}

/** A snapshot first, then the recovery inside of the sandbox, for a tree that exists. */
export async function recoverInside(
	context: GitContext,
	checkout: SandboxedCheckout,
	control: StepControl,
	accept: Accept | null,
): Promise<MoveResult | Refusal> {
	const taken = await snapshotBefore(context, checkout, "before a recovery");
	const request = { accept: accept === null ? null : { seen: accept.seen, step: accept.step ?? null } };
	const home = await moved(context, checkout, steps.recover, request, control);
	if (isRefusal(home) || /^\d+$/.test(home.snapshot ?? "")) return home;
	const fresh = taken !== null && !isRefusal(taken) && taken.fresh;
	return { ...home, snapshot: fresh ? numberOf(taken.snapshot) : null };
}

export async function restoreSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	snapshot: Snapshot,
): Promise<MoveResult | Refusal> {
	const taken = await snapshotBefore(context, checkout, "before a restore");
	if (taken !== null && isRefusal(taken)) return taken;
	await borrow(context, checkout, { restored: snapshot.commit });
	const home = await moved(context, checkout, steps.restore, { commit: snapshot.commit }, {});
	if (isRefusal(home)) return home;
	return { ...home, snapshot: home.snapshot ?? (taken === null ? null : numberOf(taken.snapshot)) };
}

/** Null if git cannot read it in there: a broken index is mended by the step itself, which keeps the files then. */
async function snapshotBefore(context: GitContext, checkout: SandboxedCheckout, reason: string) {
	return await snapshotSandboxed(context, checkout, { reason, turn: null }).catch((error: unknown) => {
		if (error instanceof SandboxFault) return null;
		throw error;
	});
}
