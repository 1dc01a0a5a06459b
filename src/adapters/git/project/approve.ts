// Merging reviewed work into base.
//
//   look ─▶ compute the result ─▶ check it in a scratch tree ─▶ record it ─▶ move base
//
// Only the last step changes what anybody sees, and it is one git command: a compare-and-swap of the branch, or, where a
// person has base checked out, a fast-forward in that checkout, which git refuses if it would touch what is not committed.
import type { SettingsInForce } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { CommandRun, Merged, MergeStrategy } from "#contract/workspace.ts";
import type { ApproveWish, Stay } from "#engine/workspaces.ts";
import { isCommitId } from "../format/refs.ts";
import { counted } from "../format/words.ts";
import { exists } from "../layout/layout.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf, existingBranch } from "../run/given.ts";
import { worktreesOf } from "../run/worktrees.ts";
import { cleanTree, notThese } from "../verbs/clean.ts";
import { withTrailers } from "../verbs/commit.ts";
import { commitTree, mergeTrees, rebased, treeOfCommit } from "../verbs/merge.ts";
import { pushBranch } from "../verbs/push.ts";
import { recordedMerge, recordMerge } from "../verbs/record.ts";
import { count } from "../verbs/standing.ts";
import { commandFailed, runCommand } from "../workspace/command.ts";
import { commandEnvironment, type Ground, identityOf, isAncestor, tipOf } from "../workspace/ground.ts";
import { dirtyRefusal, lookAt } from "../workspace/look.ts";
import { settingsOf } from "../workspace/settings.ts";
import { inCheckTree } from "./check-tree.ts";
import { notApproved } from "./provision.ts";

/** How an agent's tree is looked at: from outside, or, in a sandbox, from inside. */
export interface Look {
	/** a refusal if anything is not committed, or if the files are not those of this commit; each of them is read */
	dirty(commit: string): Promise<Refusal | null>;
	/** where its branch is, in the project's repository */
	tip(): Promise<string | null | Refusal>;
}

export const fromOutside = (ground: Ground, stay: Stay): Look => ({
	async dirty(commit) {
		if (!(await exists(stay.workspace.path))) return null;
		const clean = await cleanTree(ground, stay);
		return isRefusal(clean) ? clean : await notThese(ground, stay, clean.tree, commit);
	},
	tip: async () => await tipOf(ground, stay),
});

export async function approveWork(ground: Ground, stay: Stay, wish: ApproveWish, look: Look): Promise<Merged | Refusal> {
	const { git } = ground;
	const { project, workspace } = stay;
	const force = await settingsOf(ground, project, wish.approved);
	if (isRefusal(force)) return force;
	if (!isCommitId(wish.commit))
		return refuse("VALIDATION_ERROR", "An approval names the reviewed commit by its whole hash.", { details: { commit: wish.commit } });
	const pushed = async (): Promise<Merged["push"]> => (force.settings.push === "approve" ? await pushBranch(git, project.path, workspace.base) : null);
	const earlier = await alreadyMerged(ground, stay, wish.commit);
	// whoever merged may have died before the push
	if (earlier !== null) return { ...earlier, push: await pushed() };
	const unready = await notReady(ground, stay, wish.commit, look);
	if (unready !== null) return unready;
	const check = checkOf(force, stay);
	if (check !== null && isRefusal(check)) return check;

	// a base that is gone is not one without commits: only what HEAD names can be unborn
	const base = await existingBranch(git, project.path, workspace.base);
	if (isRefusal(base)) return base;
	const before = base.commit;
	const strategy = before === null ? "ff" : (wish.strategy ?? force.settings.merge);
	const result = await resultOf(ground, stay, strategy, before, wish);
	if (isRefusal(result)) return result;
	const checked = check === null ? null : await runCheck(ground, stay, check.command, result.commit, force, wish);
	if (checked !== null && checked.exit !== 0) return commandFailed("check", checked);

	// the check may have taken minutes; a sandbox is asked before the lock is taken, since others wait for that
	const late = await notReady(ground, stay, wish.commit, look);
	if (late !== null) return late;
	const moved = await exclusively(project.path, async () => {
		await recordMerge(
			git,
			project.path,
			stay.agent.id,
			{ reviewed: wish.commit, strategy, branch: workspace.base, before, commit: result.commit },
			ground.clock.now(),
		);
		return await moveBase(ground, stay, before, result.commit);
	});
	if (moved !== null) return moved;
	const push = await pushed();
	return {
		reviewed: wish.commit,
		commit: result.commit,
		strategy,
		base: { branch: workspace.base, before, after: result.commit },
		check: checked,
		push,
		replayed: false,
	};
}

/** A merge of exactly this commit that base contains: what a caller who never heard the answer wants to know. */
async function alreadyMerged({ git }: Ground, { project, agent, workspace }: Stay, reviewed: string): Promise<Merged | null> {
	const found = await recordedMerge(git, project.path, agent.id, reviewed);
	const now = await commitOf(git, project.path, `refs/heads/${workspace.base}`);
	if (found === null || now === null || found.branch !== workspace.base || !(await isAncestor(git, project.path, found.commit, now))) return null;
	const { commit, strategy, before } = found;
	return { reviewed, commit, strategy, base: { branch: workspace.base, before, after: commit }, check: null, push: null, replayed: true };
}

async function notReady(ground: Ground, stay: Stay, reviewed: string, look: Look): Promise<Refusal | null> {
	const { project, agent, workspace } = stay;
	const whose = `${project.slug}/${agent.handle}`;
	const tip = await look.tip();
	if (tip !== null && typeof tip !== "string") return tip;
	// what would be merged if everything else is right
	const dirty = await look.dirty(tip ?? reviewed);
	if (dirty !== null) return dirty;
	const base = await commitOf(ground.git, project.path, `refs/heads/${workspace.base}`);
	if (tip === null || (await count(ground.git, project.path, base, tip)).ahead === 0) {
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

function checkOf({ settings, pendingApproval }: SettingsInForce, { project }: Stay): { command: string } | Refusal | null {
	if (settings.check !== null) return { command: settings.check };
	return pendingApproval?.check == null ? null : notApproved(pendingApproval, project.slug);
}

/** The commit that base would be on. */
async function resultOf(ground: Ground, stay: Stay, strategy: MergeStrategy, base: string | null, wish: ApproveWish): Promise<{ commit: string } | Refusal> {
	const { git } = ground;
	const { project, agent, workspace } = stay;
	const identity = identityOf(agent);
	if (base === null) return { commit: wish.commit };
	if (strategy === "ff") {
		if (await isAncestor(git, project.path, base, wish.commit)) return { commit: wish.commit };
		const { behind } = await count(git, project.path, base, wish.commit);
		return refuse("CONFLICT", `${workspace.base} has ${counted(behind, "commit")} that ${workspace.branch} lacks, so it cannot be moved forward to it.`, {
			details: { behind },
			suggestions: [`brood agent sync ${project.slug}/${agent.handle} --strategy rebase`],
		});
	}
	if (strategy === "rebase") return await rebased(ground, project, project.path, { tip: wish.commit, onto: base, identity });
	const merged = await mergeTrees(git, project.path, base, wish.commit);
	if (isRefusal(merged)) return merged;
	if (merged.tree === (await treeOfCommit(git, project.path, base))) {
		return refuse("AGENT_NO_COMMIT", `${workspace.base} has everything that ${workspace.branch} has.`, { details: { tip: wish.commit, base } });
	}
	const message = withTrailers(wish.message ?? (await usualMessage(ground, stay, strategy, base, wish.commit)), {
		"Brood-Agent": agent.handle,
		"Brood-Reviewed": wish.commit,
	});
	return { commit: await commitTree(git, project.path, merged.tree, strategy === "squash" ? [base] : [base, wish.commit], message, identity) };
}

async function usualMessage({ git }: Ground, { project, workspace }: Stay, strategy: MergeStrategy, base: string, tip: string): Promise<string> {
	if (strategy === "merge") return `Merge ${workspace.branch} into ${workspace.base}`;
	const { text } = await git(project.path, ["log", "--reverse", "--max-count=100", "--format=%s", `${base}..${tip}`, "--"]);
	const [first = workspace.branch, ...more] = text.split("\n");
	return more.length === 0 ? first : `${first}\n\n${more.map((subject) => `- ${subject}`).join("\n")}`;
}

async function runCheck(ground: Ground, stay: Stay, command: string, commit: string, force: SettingsInForce, wish: ApproveWish): Promise<CommandRun> {
	const { project } = stay;
	return await inCheckTree(ground, project, commit, force.settings, async (tree) => {
		return await runCommand(ground, command, { project, folder: tree, environment: commandEnvironment(ground, stay.agent, wish) }, wish);
	});
}

/** Null if base is on the new commit now. */
async function moveBase(ground: Ground, { project, workspace }: Stay, before: string | null, after: string): Promise<Refusal | null> {
	const { git } = ground;
	const ref = `refs/heads/${workspace.base}`;
	const checkout = (await worktreesOf(git, project.path)).find((worktree) => worktree.branch === ref && !worktree.bare && !worktree.prunable);
	const movedMeanwhile = async (): Promise<Refusal | null> => {
		const now = await commitOf(git, project.path, ref);
		return now === before ? null : refuse("CONFLICT", `${workspace.base} moved meanwhile. Nothing was merged.`, { details: { expected: before, found: now } });
	};
	if (checkout === undefined) {
		const swap = await git(project.path, ["update-ref", ref, after, before ?? "0".repeat(after.length)], { answers: [1, 128] });
		if (swap.code === 0) return null;
		const moved = await movedMeanwhile();
		if (moved !== null) return moved;
		throw new Error(`git update-ref failed: ${swap.errors.slice(0, 2000)}`);
	}
	const moved = await movedMeanwhile();
	if (moved !== null) return moved;
	const { code, errors } = await git(
		checkout.path,
		["merge", "--quiet", "--ff-only", "--no-autostash", "--no-verify-signatures", "--no-overwrite-ignore", after],
		{
			answers: [1, 2, 128],
		},
	);
	if (code === 0) return null;
	const now = await commitOf(git, project.path, ref);
	if (now === after) return null;
	const tree = await lookAt(git, checkout.path);
	const listed = errors.split("\n").flatMap((line) => (line.startsWith("\t") ? [line.trim()] : []));
	const dirty = dirtyRefusal(tree, { folder: checkout.path });
	if (now !== before || (dirty === null && listed.length === 0)) throw new Error(`git merge failed in ${checkout.path}: ${errors.slice(0, 2000)}`);
	return refuse(
		"WORKTREE_DIRTY",
		`${workspace.base} is checked out in ${checkout.path}, and merging would overwrite what is not committed there. Nothing was changed.`,
		{
			details: { ...dirty?.details, path: checkout.path, files: listed },
			suggestions: dirty?.suggestions ?? [],
		},
	);
}
