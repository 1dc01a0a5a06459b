// Merges reviewed work into base.
//
//   look ─▶ compute the result ─▶ check it in a scratch tree ─▶ record it ─▶ move base
//
// Only the last step is visible, and it is one git command: a compare-and-swap of the branch, or, where a person has
// base checked out, a fast-forward in that checkout, which git refuses if it would overwrite uncommitted files.

import { changeText } from "#contract/change-text.ts";
import { counted } from "#contract/counted.ts";
import type { EffectiveSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Merged, MergeStrategy } from "#contract/workspace.ts";
import type { ApproveRequest, Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { isCommitId } from "../format/refs.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf, existingBranch } from "../run/user-input.ts";
import { aheadBehind } from "../verbs/branch-status.ts";
import { withTrailers } from "../verbs/commit.ts";
import { personIdentity } from "../verbs/identity.ts";
import { commitTree, mergeTrees, rebased, treeOfCommit, withNextStep } from "../verbs/merge.ts";
import { recordedMerge, recordMerge } from "../verbs/record.ts";
import { fetchBundles } from "../workspace/bundle.ts";
import type { CheckoutReader } from "../workspace/checkout-reader.ts";
import { type GitContext, isAncestor, signatureOf } from "../workspace/git-context.ts";
import { commandFailed } from "../workspace/project-command.ts";
import { projectSettings } from "../workspace/settings.ts";
import { runInCheckTree } from "./check-tree.ts";
import { integrated } from "./integrate.ts";
import { moveBase } from "./move-base.ts";
import { fetchAndFollowOrigin, originStatus, rememberOrigin } from "./origin.ts";
import { pushBase } from "./push-base.ts";
import { notApproved } from "./setup.ts";

/** how often a result is computed again because base moved meanwhile */
const attemptsMax = 5;

export async function approveWork(
	context: GitContext,
	checkout: Checkout,
	request: ApproveRequest,
	look: CheckoutReader,
): Promise<Merged | Refusal> {
	const { project, workspace } = checkout;
	const { commit: reviewed } = request;
	if (!isCommitId(reviewed))
		return refuse("VALIDATION_ERROR", "Name the reviewed commit by its full hash.", {
			details: { commit: reviewed },
		});
	const seen = await fetchAndFollowOrigin(context, project, workspace.base, request);
	// a bundle leaves out what origin has
	const { bundles } = request;
	const unfetched = bundles && (await fetchBundles(context, project, checkout.agent.id, bundles));
	if (unfetched != null) return unfetched;
	const effective = await projectSettings(context, project, request.approved);
	if (isRefusal(effective)) return effective;
	const finished = async (merged: Landed, took = 0): Promise<Merged> => {
		const { settings } = effective;
		const push = settings.push === "approve" ? await pushBase(context, project, workspace.base, settings) : null;
		const now = seen === null ? null : await originStatus(context.git, project, workspace.base);
		const origin = now && { ...now, took: (seen?.took ?? 0) + took, error: seen?.error ?? null };
		return { ...merged, push, origin };
	};
	// an earlier try may have died before the push
	const earlier = await alreadyMerged(context, checkout, reviewed);
	if (earlier !== null) return await finished(earlier);
	for (let attempt = 1; ; attempt++) {
		const landed = await land(context, checkout, request, { look, effective });
		if (landed === "moved" && attempt < attemptsMax) continue;
		if (landed === "moved")
			return refuse(
				"CONFLICT",
				`${workspace.base} moved meanwhile, ${attemptsMax} times in a row. Nothing was merged.`,
				{
					details: { base: workspace.base },
				},
			);
		return isRefusal(landed) ? landed : await finished(landed.merged, landed.took);
	}
}

type Landed = Omit<Merged, "push" | "origin">;

/** Computes the result, checks it, and moves base to it. */
async function land(
	context: GitContext,
	checkout: Checkout,
	request: ApproveRequest,
	{ look, effective }: { look: CheckoutReader; effective: EffectiveSettings },
): Promise<{ merged: Landed; took: number } | Refusal | "moved"> {
	const { git } = context;
	const { project, workspace } = checkout;
	const { commit: reviewed } = request;
	const unready = await notReady(context, checkout, request, look);
	if (unready !== null) return unready;
	const check = checkOf(effective, checkout);
	if (check !== null && isRefusal(check)) return check;

	// a deleted base is not an unborn one: only the branch of HEAD can be unborn
	const base = await existingBranch(git, project.path, workspace.base);
	if (isRefusal(base)) return base;
	const before = base.commit;
	const onto =
		before === null
			? null
			: await integrated(context, project, { base: workspace.base, before, reviewed }, effective.settings);
	if (onto !== null && isRefusal(onto)) return onto;
	const strategy = before === null ? "ff" : (request.strategy ?? effective.settings.merge);
	const result = await resultOf(context, checkout, strategy, { before, onto: onto?.commit ?? null }, request);
	if (isRefusal(result)) return result;
	const where = { project, agent: checkout.agent, commit: result.commit, settings: effective.settings };
	const checked = check === null ? null : await runInCheckTree(context, check.command, where, request);
	if (checked !== null && checked.exit !== 0) return commandFailed("check", checked);

	// the check may have taken minutes; asked before the lock is taken, since others wait for that
	const changed = await notReady(context, checkout, request, look);
	if (changed !== null) return changed;
	const moved = await exclusively(project.path, async () => {
		const merge = { reviewed, strategy, base: workspace.base, before, commit: result.commit };
		await recordMerge(git, project.path, checkout.agent.id, merge, context.clock.now());
		return await moveBase(context, checkout, before, result.commit, { rewrites: onto?.rewrites === true });
	});
	if (moved !== null) return moved;
	const { commit } = result;
	const merged = { reviewed, commit, strategy, base: workspace.base, before, check: checked, alreadyMerged: false };
	if (onto !== null && onto.took > 0) await rememberOrigin(git, project, workspace.base);
	return { merged, took: onto?.took ?? 0 };
}

/** An earlier merge of exactly this commit that base contains, for a caller that missed the answer. */
async function alreadyMerged(
	{ git }: GitContext,
	{ project, agent, workspace }: Checkout,
	reviewed: string,
): Promise<Landed | null> {
	const found = await recordedMerge(git, project.path, agent.id, reviewed);
	const now = await commitOf(git, project.path, `refs/heads/${workspace.base}`);
	if (
		found === null ||
		now === null ||
		found.base !== workspace.base ||
		!(await isAncestor(git, project.path, found.commit, now))
	)
		return null;
	const { commit, strategy, before } = found;
	return { reviewed, commit, strategy, base: workspace.base, before, check: null, alreadyMerged: true };
}

async function notReady(
	context: GitContext,
	checkout: Checkout,
	{ commit: reviewed, issue }: ApproveRequest,
	look: CheckoutReader,
): Promise<Refusal | null> {
	const { project, workspace } = checkout;
	const whose = checkoutName(checkout);
	const tip = await look.tip();
	if (tip !== null && typeof tip !== "string") return tip;
	const dirty = await look.dirty(tip ?? reviewed);
	if (dirty !== null) return dirty;
	const base = await commitOf(context.git, project.path, `refs/heads/${workspace.base}`);
	if (tip === null || (await aheadBehind(context.git, project.path, base, tip)).ahead === 0) {
		return refuse("AGENT_NO_COMMIT", `${whose} has no commit that ${workspace.base} lacks.`, {
			details: { tip, baseCommit: base },
			suggestions: [`brood agent diff ${whose}`],
		});
	}
	if (tip === reviewed) return null;
	const suggestions =
		issue === undefined
			? [`brood agent diff ${whose}`, `brood agent approve ${whose}`]
			: [`brood issue diff ${issue.name}`, `brood issue approve ${issue.name} --commit ${tip}`];
	return refuse("CONFLICT", `${workspace.branch} has moved since it was reviewed. Look at its diff again.`, {
		details: { reviewed, tip },
		suggestions,
	});
}

function checkOf(
	{ settings, unapprovedConfig }: EffectiveSettings,
	{ project }: Checkout,
): { command: string } | Refusal | null {
	if (settings.check !== null) return { command: settings.check };
	return unapprovedConfig?.check == null ? null : notApproved(unapprovedConfig, project.slug);
}

/** The commit that base would be on. `onto` is base with what origin has. */
async function resultOf(
	context: GitContext,
	checkout: Checkout,
	strategy: MergeStrategy,
	{ before, onto }: { before: string | null; onto: string | null },
	request: ApproveRequest,
): Promise<{ commit: string } | Refusal> {
	const { git } = context;
	const { project, agent, workspace } = checkout;
	if (before === null || onto === null) return { commit: request.commit };
	if (strategy === "ff") {
		const possible = await isAncestor(git, project.path, onto, request.commit);
		return possible
			? { commit: request.commit }
			: await notForward(context, checkout, { before, onto }, request.commit);
	}
	const identity = await personIdentity(git, project.path);
	if (strategy === "rebase") {
		const moved = await rebased(context, project, project.path, {
			...{ tip: request.commit, onto, identity },
			// base was rebased: the work is what came after what it was
			...(!(await isAncestor(git, project.path, before, onto)) && { since: before }),
		});
		return isRefusal(moved) ? await resolvable(context, checkout, moved, { before, onto, request }) : moved;
	}
	const merged = await mergeTrees(git, project.path, onto, request.commit);
	if (isRefusal(merged)) return await resolvable(context, checkout, merged, { before, onto, request });
	if (merged.tree === (await treeOfCommit(git, project.path, onto))) {
		return refuse("AGENT_NO_COMMIT", `${workspace.base} has everything that ${workspace.branch} has.`, {
			details: { tip: request.commit, baseCommit: before },
		});
	}
	const range = { from: [onto, before], to: request.commit };
	const text =
		request.message ?? (await defaultMessage(context, checkout, strategy, { ...range, issue: request.issue }));
	const message = withTrailers(text, {
		...(request.issue !== undefined && { "Brood-Issue": request.issue.name }),
		"Brood-Agent": agent.handle,
		"Brood-Reviewed": request.commit,
		"Co-authored-by": signatureOf(agent),
	});
	const parents = strategy === "squash" ? [onto] : [onto, request.commit];
	return { commit: await commitTree(git, project.path, merged.tree, parents, message, identity) };
}

/** A conflict, with what the agent has to merge: base, or what only origin has. */
async function resolvable(
	{ git }: GitContext,
	checkout: Checkout,
	refusal: Refusal,
	{ before, onto, request }: { before: string; onto: string; request: ApproveRequest },
): Promise<Refusal> {
	const { path } = checkout.project;
	const byOrigin = before !== onto && !isRefusal(await mergeTrees(git, path, before, request.commit));
	const origin = byOrigin ? await commitOf(git, path, `refs/remotes/origin/${checkout.workspace.base}`) : null;
	return withNextStep(checkout, refusal, origin);
}

async function notForward(
	{ git }: GitContext,
	checkout: Checkout,
	{ before, onto }: { before: string; onto: string },
	tip: string,
): Promise<Refusal> {
	const { project, workspace } = checkout;
	const whose = checkoutName(checkout);
	// a sync brings in what base has, and not what only origin has
	const lacksOrigin = await isAncestor(git, project.path, before, tip);
	const { behind } = await aheadBehind(git, project.path, onto, tip);
	const from = lacksOrigin ? `origin/${workspace.base}` : workspace.base;
	return refuse(
		"CONFLICT",
		`${from} has ${counted(behind, "commit")} that ${workspace.branch} lacks, so it cannot be moved forward to it.`,
		{
			details: { behind },
			suggestions: [
				lacksOrigin ? `brood agent approve ${whose} --strategy merge` : `brood agent sync ${whose} --strategy rebase`,
			],
		},
	);
}

/** The issue's title, or the first commit's subject; then what was done. A merge also says whose work it is. */
async function defaultMessage(
	{ git }: GitContext,
	{ project, agent, workspace }: Checkout,
	strategy: MergeStrategy,
	{ from, to, issue }: { from: readonly string[]; to: string; issue: ApproveRequest["issue"] },
): Promise<string> {
	// without what base had before it was rebased
	const not = [...from.map((commit) => `^${commit}`), "--not", `--glob=refs/brood/branches/${workspace.base}/*`];
	const args = ["log", "--reverse", "--no-merges", "--max-count=100", "--format=%B%x00", to, ...not, "--"];
	const { text } = await git(project.path, args);
	const messages = text.split("\0").map((message) => message.trim());
	const { title, body } = changeText({
		issue: issue === undefined ? null : { title: issue.title, body: "" },
		messages: messages.filter((message) => message !== ""),
		branch: workspace.branch,
	});
	const subject = strategy === "merge" && issue === undefined ? `Merge ${agent.handle}: ${title}` : title;
	return body === "" ? subject : `${subject}\n\n${body}`;
}
