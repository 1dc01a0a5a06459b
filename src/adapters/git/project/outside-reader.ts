// Reads an agent's tree from outside, before its work is merged.
import { isRefusal } from "#contract/refusal.ts";
import type { ApproveRequest, Checkout } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { differsFromCommit, treeIfCommitted } from "../verbs/committed.ts";
import type { CheckoutReader } from "../workspace/checkout-reader.ts";
import { fetchTip, type GitContext } from "../workspace/git-context.ts";

/** A tree at another node, which sent its commits in bundles, was looked at there. */
export const fromOutside = (
	context: GitContext,
	checkout: Checkout,
	{ bundles, commit: reviewed }: ApproveRequest,
): CheckoutReader => ({
	async dirty(commit) {
		if (bundles !== undefined || !(await exists(checkout.workspace.path))) return null;
		const clean = await treeIfCommitted(context, checkout);
		return isRefusal(clean) ? clean : await differsFromCommit(context, checkout, clean.tree, commit);
	},
	tip: async () => (bundles === undefined ? await fetchTip(context, checkout) : reviewed),
});
