// Merges reviewed work into base.
//
//   look ─▶ compute the result ─▶ check it in a scratch tree ─▶ record it ─▶ move base
//
// Only the last step is visible, and it is one git command: a compare-and-swap of the branch, or, where a person has base
// checked out, a fast-forward in that checkout, which git refuses if it would overwrite uncommitted files.
import type { EffectiveSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Merged, MergeStrategy } from "#contract/workspace.ts";
import type { ApproveRequest, Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { countOf } from "../format/plural.ts";
import { isCommitId } from "../format/refs.ts";
import { exists } from "../layout/layout.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf, existingBranch } from "../run/user-input.ts";
import { count } from "../verbs/branch-status.ts";
import { cleanTree, differsFromCommit } from "../verbs/clean.ts";
import { withTrailers } from "../verbs/commit.ts";
import { commitTree, mergeTrees, rebased, treeOfCommit } from "../verbs/merge.ts";
import { pushBranch } from "../verbs/push.ts";
import { recordedMerge, recordMerge } from "../verbs/record.ts";
import { type GitContext, identityOf, isAncestor, tipOf } from "../workspace/git-context.ts";
import { commandFailed } from "../workspace/project-command.ts";
import { settingsOf } from "../workspace/settings.ts";
import { runInCheckTree } from "./check-tree.ts";
import { moveBase } from "./move-base.ts";
import { notApproved } from "./setup.ts";

/** Reads an agent's tree: directly, or through the worker of its sandbox. */
export interface CheckoutReader {
	/** a refusal if anything is not committed, or if the files are not those of this commit; each of them is read */
	dirty(commit: string): Promise<Refusal | null>;
	/** the tip of its branch, in the project's repository */
	tip(): Promise<string | null | Refusal>;
}

export const fromOutside = (context: GitContext, checkout: Checkout): CheckoutReader => ({
	async dirty(commit) {
		if (!(await exists(checkout.workspace.path))) return null;
		const clean = await cleanTree(context, checkout);
		return isRefusal(clean) ? clean : await differsFromCommit(context, checkout, clean.tree, commit);
	},
	tip: async () => await tipOf(context, checkout),
});

export async function approveWork(
	context: GitContext,
	checkout: Checkout,
	request: ApproveRequest,
	look: CheckoutReader,
): Promise<Merged | Refusal> {
	const { git } = context;
	const { project, workspace } = checkout;
	const { commit: reviewed } = request;
	const effective = await settingsOf(context, project, request.approved);
	if (isRefusal(effective)) return effective;
	if (!isCommitId(reviewed))
		return refuse("VALIDATION_ERROR", "An approval names the reviewed commit by its whole hash.", {
			details: { commit: reviewed },
		});
	const pushed = async (): Promise<Merged["push"]> =>
		effective.settings.push === "approve" ? await pushBranch(git, project.path, workspace.base) : null;
	const earlier = await alreadyMerged(context, checkout, reviewed);
	// an earlier try may have died before the push
	if (earlier !== null) return { ...earlier, push: await pushed() };
	const unready = await notReady(context, checkout, reviewed, look);
	if (unready !== null) return unready;
	const check = checkOf(effective, checkout);
	if (check !== null && isRefusal(check)) return check;

	// a deleted base is not an unborn one: only the branch of HEAD can be unborn
	const base = await existingBranch(git, project.path, workspace.base);
	if (isRefusal(base)) return base;
	const before = base.commit;
	const strategy = before === null ? "ff" : (request.strategy ?? effective.settings.merge);
	const result = await resultOf(context, checkout, strategy, before, request);
	if (isRefusal(result)) return result;
	const where = { project, agent: checkout.agent, commit: result.commit, settings: effective.settings };
	const checked = check === null ? null : await runInCheckTree(context, check.command, where, request);
	if (checked !== null && checked.exit !== 0) return commandFailed("check", checked);

	// the check may have taken minutes; asked before the lock is taken, since others wait for that
	const changed = await notReady(context, checkout, reviewed, look);
	if (changed !== null) return changed;
	const moved = await exclusively(project.path, async () => {
		const merge = { reviewed, strategy, branch: workspace.base, before, commit: result.commit };
		await recordMerge(git, project.path, checkout.agent.id, merge, context.clock.now());
		return await moveBase(context, checkout, before, result.commit);
	});
	if (moved !== null) return moved;
	const { commit } = result;
	const movedBase = { branch: workspace.base, before, after: commit };
	return { reviewed, commit, strategy, base: movedBase, check: checked, push: await pushed(), replayed: false };
}

/** An earlier merge of exactly this commit that base contains, for a caller that missed the answer. */
async function alreadyMerged(
	{ git }: GitContext,
	{ project, agent, workspace }: Checkout,
	reviewed: string,
): Promise<Merged | null> {
	const found = await recordedMerge(git, project.path, agent.id, reviewed);
	const now = await commitOf(git, project.path, `refs/heads/${workspace.base}`);
	if (
		found === null ||
		now === null ||
		found.branch !== workspace.base ||
		!(await isAncestor(git, project.path, found.commit, now))
	)
		return null;
	const { commit, strategy, before } = found;
	const base = { branch: workspace.base, before, after: commit };
	return { reviewed, commit, strategy, base, check: null, push: null, replayed: true };
}

async function notReady(
	context: GitContext,
	checkout: Checkout,
	reviewed: string,
	look: CheckoutReader,
): Promise<Refusal | null> {
	const { project, workspace } = checkout;
	const whose = checkoutName(checkout);
	const tip = await look.tip();
	if (tip !== null && typeof tip !== "string") return tip;
	const dirty = await look.dirty(tip ?? reviewed);
	if (dirty !== null) return dirty;
	const base = await commitOf(context.git, project.path, `refs/heads/${workspace.base}`);
	if (tip === null || (await count(context.git, project.path, base, tip)).ahead === 0) {
		return refuse("AGENT_NO_COMMIT", `${whose} has no commit that ${workspace.base} lacks.`, {
			details: { tip, base },
			suggestions: [`brood agent diff ${whose}`],
		});
	}
	if (tip === reviewed) return null;
	return refuse("CONFLICT", `${workspace.branch} is not on the commit that was reviewed any more.`, {
		details: { reviewed, tip },
		suggestions: [`brood agent diff ${whose}`, `brood agent approve ${whose}`],
	});
}

function checkOf(
	{ settings, pendingApproval }: EffectiveSettings,
	{ project }: Checkout,
): { command: string } | Refusal | null {
	if (settings.check !== null) return { command: settings.check };
	return pendingApproval?.check == null ? null : notApproved(pendingApproval, project.slug);
}

/** The commit that base would be on. */
async function resultOf(
	context: GitContext,
	checkout: Checkout,
	strategy: MergeStrategy,
	base: string | null,
	request: ApproveRequest,
): Promise<{ commit: string } | Refusal> {
	const { git } = context;
	const { project, agent, workspace } = checkout;
	const identity = identityOf(agent);
	if (base === null) return { commit: request.commit };
	if (strategy === "ff") {
		if (await isAncestor(git, project.path, base, request.commit)) return { commit: request.commit };
		const { behind } = await count(git, project.path, base, request.commit);
		return refuse(
			"CONFLICT",
			`${workspace.base} has ${countOf(behind, "commit")} that ${workspace.branch} lacks, so it cannot be moved forward to it.`,
			{
				details: { behind },
				suggestions: [`brood agent sync ${checkoutName(checkout)} --strategy rebase`],
			},
		);
	}
	if (strategy === "rebase")
		return await rebased(context, project, project.path, { tip: request.commit, onto: base, identity });
	const merged = await mergeTrees(git, project.path, base, request.commit);
	if (isRefusal(merged)) return merged;
	if (merged.tree === (await treeOfCommit(git, project.path, base))) {
		return refuse("AGENT_NO_COMMIT", `${workspace.base} has everything that ${workspace.branch} has.`, {
			details: { tip: request.commit, base },
		});
	}
	const text = request.message ?? (await defaultMessage(context, checkout, strategy, base, request.commit));
	const message = withTrailers(text, { "Brood-Agent": agent.handle, "Brood-Reviewed": request.commit });
	const parents = strategy === "squash" ? [base] : [base, request.commit];
	return { commit: await commitTree(git, project.path, merged.tree, parents, message, identity) };
}

async function defaultMessage(
	{ git }: GitContext,
	{ project, workspace }: Checkout,
	strategy: MergeStrategy,
	base: string,
	tip: string,
): Promise<string> {
	if (strategy === "merge") return `Merge ${workspace.branch} into ${workspace.base}`;
	const args = ["log", "--reverse", "--max-count=100", "--format=%s", `${base}..${tip}`, "--"];
	const { text } = await git(project.path, args);
	const [first = workspace.branch, ...more] = text.split("\n");
	return more.length === 0 ? first : `${first}\n\n${more.map((subject) => `- ${subject}`).join("\n")}`;
}
