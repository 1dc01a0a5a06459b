// A workspace whose git folder is damaged, as a verb meets it: refused with what recovers it, not with git's own words.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName, recoverySuggestions } from "../format/checkout-name.ts";
import { isCancelled } from "../worker/faults.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { healthOf } from "./health.ts";

/** The result, or a refusal where it failed and git cannot read one of the workspaces, which have no sandbox. */
export async function orUnreadable<T>(
	context: GitContext,
	checkouts: readonly Checkout[],
	result: Promise<T>,
): Promise<T | Refusal> {
	try {
		return await result;
	} catch (error) {
		if (isCancelled(error)) throw error;
		for (const checkout of checkouts) {
			const { issues } = await healthOf(context, checkout, { commit: null });
			const found = issues.find(({ code }) => code === "GIT_UNREADABLE");
			if (found !== undefined)
				return refuse("CONFLICT", `The workspace of ${checkoutName(checkout)} is damaged. ${found.text}`, {
					details: { path: checkout.workspace.path },
					suggestions: recoverySuggestions(checkout),
				});
		}
		throw error;
	}
}
