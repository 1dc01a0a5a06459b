// Faults of a worker in a sandbox, as the caller needs them: a refusal, or null.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName, recoverySuggestions } from "../format/checkout-name.ts";
import { GitFailed } from "../run/git.ts";
import { Cancelled, SandboxFault } from "./workers.ts";

/** The step was cancelled, which says nothing about the workspace. */
export const isCancelled = (error: unknown): boolean =>
	error instanceof Cancelled || (error instanceof GitFailed && error.cancelled);

/** For `catch`: null where the worker failed. */
export function nullIfDamaged(error: unknown): null {
	if (error instanceof SandboxFault) return null;
	throw error;
}

/**
 * The result of a step, or a refusal where the worker failed: the git folder is damaged, or the worker was too slow or
 * was killed. The refusal is retryable.
 */
export async function orDamaged<T>(checkout: Checkout, result: Promise<T>): Promise<T | Refusal> {
	try {
		return await result;
	} catch (error) {
		if (!(error instanceof SandboxFault)) throw error;
		return refuse("GIT_FAILED", `The workspace of ${checkoutName(checkout)} cannot be read: ${error.message}`, {
			details: { path: checkout.workspace.path },
			suggestions: recoverySuggestions(checkout),
		});
	}
}
