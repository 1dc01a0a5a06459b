// Merging reviewed work into base.
//
//   look ─▶ compute the result ─▶ check it in a scratch tree ─▶ record it ─▶ move base
//
// Only the last step changes what anybody sees, and it is one git command: a compare-and-swap of the branch, or, where
// a person has base checked out, a fast-forward in that checkout, which git refuses if it would touch what is not
// committed.
import type { EffectiveSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { CommandRun, Merged, MergeStrategy } from "#contract/workspace.ts";
import type { ApproveRequest, Checkout } from "#engine/ports/workspace-requests.ts";
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
import { commandEnvironment, type GitContext, identityOf, isAncestor, tipOf } from "../workspace/git-context.ts";
import { commandFailed, runProjectCommand } from "../workspace/project-command.ts";
import { settingsOf } from "../workspace/settings.ts";
import { inCheckTree } from "./check-tree.ts";
import { moveBase } from "./move-base.ts";
import { notApproved } from "./setup.ts";

/** How an agent's tree is looked at: from outside, or, in a sandbox, from inside. */
export interface CheckoutReader {
	/** a refusal if anything is not committed, or if the files are not those of this commit; each of them is read */
	dirty(commit: string): Promise<Refusal | null>;
	/** where its branch is, in the project's repository */
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
	const effective = await settingsOf(context, project, request.approved);
	if (isRefusal(effective)) return effective;
	if (!isCommitId(request.commit))
		return refuse("VALIDATION_ERROR", "An approval names the reviewed commit by its whole hash.", {
			details: { commit: request.commit },
		});
	const pushed = async (): Promise<Merged["push"]> =>
		effective.settings.push === "approve" ? await pushBranch(git, project.path, workspace.base) : null;
	const earlier = await alreadyMerged(context, checkout, request.commit);
	// whoever merged may have died before the push
	if (earlier !== null) return { ...earlier, push: await pushed() };
	const unready = await notReady(context, checkout, request.commit, look);
	if (unready !== null) return unready;
	const check = checkOf(effective, checkout);
	if (check !== null && isRefusal(check)) return check;

	// a base that is gone is not one without commits: only what HEAD names can be unborn
	const base = await existingBranch(git, project.path, workspace.base);
	if (isRefusal(base)) return base;
	const before = base.commit;
	const strategy = before === null ? "ff" : (request.strategy ?? effective.settings.merge);
	const result = await resultOf(context, checkout, strategy, before, request);
	if (isRefusal(result)) return result;
	const checked =
		check === null ? null : await runCheck(context, checkout, check.command, result.commit, effective, request);
	if (checked !== null && checked.exit !== 0) return commandFailed("check", checked);

	// the check may have taken minutes; a sandbox is asked before the lock is taken, since others wait for that
	const late = await notReady(context, checkout, request.commit, look);
	if (late !== null) return late;
	const moved = await exclusively(project.path, async () => {
		await recordMerge(
			git,
			project.path,
			checkout.agent.id,
			{ reviewed: request.commit, strategy, branch: workspace.base, before, commit: result.commit },
			context.clock.now(),
		);
		return await moveBase(context, checkout, before, result.commit);
	});
	if (moved !== null) return moved;
	const push = await pushed();
	return {
		reviewed: request.commit,
		commit: result.commit,
		strategy,
		base: { branch: workspace.base, before, after: result.commit },
		check: checked,
		push,
		replayed: false,
	};
}

/** A merge of exactly this commit that base contains: what a caller who never heard the answer wants to know. */
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
	return {
		reviewed,
		commit,
		strategy,
		base: { branch: workspace.base, before, after: commit },
		check: null,
		push: null,
		replayed: true,
	};
}

async function notReady(
	context: GitContext,
	checkout: Checkout,
	reviewed: string,
	look: CheckoutReader,
): Promise<Refusal | null> {
	const { project, agent, workspace } = checkout;
	const whose = `${project.slug}/${agent.handle}`;
	const tip = await look.tip();
	if (tip !== null && typeof tip !== "string") return tip;
	// what would be merged if everything else is right
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
				suggestions: [`brood agent sync ${project.slug}/${agent.handle} --strategy rebase`],
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
	const message = withTrailers(
		request.message ?? (await usualMessage(context, checkout, strategy, base, request.commit)),
		{ "Brood-Agent": agent.handle, "Brood-Reviewed": request.commit },
	);
	return {
		commit: await commitTree(
			git,
			project.path,
			merged.tree,
			strategy === "squash" ? [base] : [base, request.commit],
			message,
			identity,
		),
	};
}

async function usualMessage(
	{ git }: GitContext,
	{ project, workspace }: Checkout,
	strategy: MergeStrategy,
	base: string,
	tip: string,
): Promise<string> {
	if (strategy === "merge") return `Merge ${workspace.branch} into ${workspace.base}`;
	const { text } = await git(project.path, [
		"log",
		"--reverse",
		"--max-count=100",
		"--format=%s",
		`${base}..${tip}`,
		"--",
	]);
	const [first = workspace.branch, ...more] = text.split("\n");
	return more.length === 0 ? first : `${first}\n\n${more.map((subject) => `- ${subject}`).join("\n")}`;
}

async function runCheck(
	context: GitContext,
	checkout: Checkout,
	command: string,
	commit: string,
	effective: EffectiveSettings,
	request: ApproveRequest,
): Promise<CommandRun> {
	const { project } = checkout;
	return await inCheckTree(context, project, commit, effective.settings, async (tree) => {
		return await runProjectCommand(
			context,
			command,
			{ project, folder: tree, environment: commandEnvironment(context, checkout.agent, request) },
			request,
		);
	});
}
