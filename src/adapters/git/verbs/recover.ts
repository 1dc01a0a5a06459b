// Recovers a workspace after a kill, a crash of the machine or somebody's mistake.
//
// The problem. Git died with its lock in place, a merge is half done, the branch was deleted or moved back, the index
// cannot be read, the folder lost its `.git`, or is gone. Afterwards the agent must be able to work, and no file that
// it wrote may be lost.
//
// What always holds
//   - A snapshot is taken before a single file changes. It holds uncommitted files, the index and the operation in
//     progress.
//   - No commit becomes unreachable: a tip that a branch is moved away from gets a ref under `refs/brood/left/`.
//   - No folder is removed, or taken for ours, because of its name: the marker in the git folder says whose it is
//     (`isOurs`). A folder that is in the way and not ours stays, and the answer is PATH_EXISTS.
//   - If the step that died writes no files, they are not reset.
//
// The steps
//   0. remove pipes that are where git expects files: it would wait for them for ever (`removePipes`)
//   1. where health finds nothing that needs a change, or only that somebody moved the branch back: take a snapshot,
//      keep the lost tip, make shared links again, done (`acceptAsItIs`)
//   2. discard what an earlier recovery left half made (`discardHalf`)
//   3. make HEAD, the links of a worktree and the configuration of a clone again where git cannot read them
//      (`repairGitFolder`). The folder is gone: a new tree from the branch, or from base if that is gone too
//      (`remake`). The folder's `.git` is missing or names something else: it is attached again, if at least half of
//      the tracked files are in it (`reattach`). A clone whose repository git cannot read gets a new one under the same
//      files; the old one goes to the trash (`remakeCloneGit`)
//   4. rename a lock older than a minute; refuse at a younger one, since a git may be running (`unlock`)
//   5. make a branch again that was deleted or that git cannot read, from the reflogs (`restoreBranch`); keep an index
//      that cannot be read under another name and rebuild it (`repairIndex`)
//   6. take a snapshot, move what it cannot hold (a repository inside the tree, a file that is too large) into the
//      trash, then reset the tree to HEAD, ignored files untouched (`cleanUp`)
//   7. return to the agent's branch, or to base if the branch has no commits of its own (`go-to-branch.ts`); then
//      shared links
//
// A crash of the recovery itself. Every step may be repeated, and the next call begins at step 0. In step 3 an intent
// is written before the tree and removed after its marker, so step 2 knows that half a tree is ours and discards it.
// Between 6 and 7 the tree is clean and the snapshot exists; between keeping a tip and moving the branch there is one
// ref too many, which upkeep drops after the agent was deleted, once base contains the commit.
//
// Why not another way
//   - `git reset --hard` at once: it loses what was not committed, and writes into a tree that may not be ours
//   - a fresh worktree every time: ignored files (dependencies, build results, local settings) would be gone
//   - `git worktree prune`: it forgets every tree that is away at the moment, also other people's on a disk that is not
//     mounted
import { lstat, rename } from "node:fs/promises";
import path from "node:path";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { HealthProblem, WorkspaceMarker } from "#contract/workspace.ts";
import { harmlessProblems, type LeaseStep, stepsThatKeepFiles } from "#contract/workspace-step.ts";
import type { Checkout, StepControl } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMarker, isOurs, markerIn, readMarker, writeMarker } from "../layout/marker.ts";
import { exclusively } from "../run/exclusive.ts";
import { commitOf } from "../run/user-input.ts";
import { registeredFor } from "../run/worktrees.ts";
import { checkOut } from "../tree/checkout.ts";
import { repairIndex, withBroken } from "../tree/repair-index.ts";
import { makeClone } from "../workspace/clone.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { clean, take, trashName, trashWorktreeEntry } from "../workspace/keep.ts";
import { gitFolderOf, markerAt, readStatus } from "../workspace/tree-status.ts";
import { goToBranchAndUpdate } from "./go-to-branch.ts";
import { healthOf } from "./health.ts";
import { linkAgain, onlyLinks, sentences } from "./link-again.ts";
import { keepTip } from "./move.ts";
import { reattach } from "./reattach.ts";
import { remakeCloneGit } from "./remake-clone.ts";
import { removePipes } from "./remove-pipes.ts";
import { repairGitFolder } from "./repair-git-folder.ts";
import { restoreBranch } from "./restore-branch.ts";
import { movedWith, updateResult } from "./sync.ts";

/** a younger lock may belong to a running git */
const lockAgeMsMin = 60_000;

/** When files may be left as they are. */
export interface Accept {
	/** the commit that the branch was last seen on */
	seen: string | null;
	/** the step that the daemon died in */
	step?: LeaseStep;
}

/** Where pipes were removed and nothing else is wrong, the files are left as they are. */
export const afterPipes = (removed: boolean, asked: Accept | undefined): Accept | undefined =>
	asked ?? (removed ? { seen: null } : undefined);

export async function recoverWorkspace(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
	asked?: Accept,
): Promise<UpdateResult | Refusal> {
	const accept = afterPipes(checkout.workspace.kind !== "main" && (await removePipes(checkout.workspace.path)), asked);
	const asItIs = async (): Promise<UpdateResult | Refusal | null> =>
		accept === undefined ? null : await acceptAsItIs(context, checkout, control, accept);
	if (checkout.workspace.kind === "main")
		return (
			(accept?.step === undefined ? null : await asItIs()) ?? (await goToBranchAndUpdate(context, checkout, control))
		);
	const left = (await asItIs()) ?? (accept === undefined ? await onlyLinks(context, checkout, control) : null);
	if (left !== null) return left;
	await discardHalf(context, checkout);
	const missing = !(await exists(checkout.workspace.path));
	if (!missing) await repairGitFolder(context, checkout);
	const remade = missing ? null : await remakeCloneGit(context, checkout);
	const wrong = missing ? await remake(context, checkout) : await repair(context, checkout);
	if (wrong !== null) return wrong;
	const result = await returnToBranch(context, checkout, control, { asMade: missing, ...(accept && { accept }) });
	const first = missing ? workspaceRemade : remade;
	return first === null ? result : movedWith(first, result);
}

export const workspaceRemade = "Your workspace was gone and was made again.";

/** Removes locks, repairs branch and index, puts uncommitted work into a snapshot, and returns to the branch. */
export async function returnToBranch(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
	{ asMade, accept }: { asMade: boolean; accept?: Accept },
): Promise<UpdateResult | Refusal> {
	const locked = asMade ? null : await unlock(context, checkout);
	if (locked !== null) return locked;
	const restored = await restoreBranch(context, checkout);
	const broken = asMade ? null : await repairIndex(context.git, checkout.workspace.path);
	// nothing else may be wrong
	const accepted = asMade || accept?.step === undefined ? null : await acceptAsItIs(context, checkout, control, accept);
	if (accepted !== null) return accepted;
	const cleaned = asMade ? { snapshot: null, aside: null } : await cleanUp(context, checkout, broken);
	if (isRefusal(cleaned)) return cleaned;
	const released = await goToBranchAndUpdate(context, checkout, control, cleaned.snapshot);
	if (isRefusal(released)) return released;
	const unlinked = await linkAgain(context, checkout, control);
	const index = broken === null ? null : `Git's index could not be read and is kept as ${broken}.`;
	return { ...released, text: sentences(restored, index, cleaned.aside, unlinked, released.text) };
}

/** For a person's `recover` a branch that was moved back is as harmless: the commit that it lost gets a ref. */
const harmless: readonly HealthProblem["code"][] = [...harmlessProblems, "HEAD_WENT_BACK"];

/**
 * Leaves the files as they are where nothing is wrong, or where somebody moved the branch back on purpose: the commit
 * that it lost gets a ref. Null if anything else is wrong.
 */
export async function acceptAsItIs(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
	{ seen, step }: Accept,
): Promise<UpdateResult | Refusal | null> {
	const keepsFiles = step !== undefined && stepsThatKeepFiles.includes(step);
	const { issues: problems } = await healthOf(context, checkout, { commit: seen });
	// a merge may have been open before the commit
	if (problems.some(({ code }) => !harmless.includes(code) && !(keepsFiles && code === "OPERATION_OPEN"))) return null;
	const { branch, path: folder, kind } = checkout.workspace;
	if (step !== undefined && !keepsFiles && (await readStatus(context.git, folder)).changes.length > 0) return null;
	const back = seen !== null && problems.some(({ code }) => code === "HEAD_WENT_BACK") ? seen : null;
	const { snapshot, fresh } = await take(context, checkout, "before a recovery", null);
	if (back !== null) await keepTip(context.git, checkout, back);
	const unlinked = kind === "main" ? null : await linkAgain(context, checkout, control);
	const lost =
		back === null
			? "Nothing is wrong with your workspace any more."
			: lostCommitText(branch, (await commitOf(context.git, folder, "HEAD")) ?? "", back);
	const kept = fresh ? `They are in snapshot ${snapshot.id} as well.` : null;
	const text = sentences(unlinked, lost, "Your files were left as they are.", kept);
	return await updateResult(context, checkout, back !== null, text);
}

const lostCommitText = (branch: string, head: string, seen: string): string =>
	`${branch} was moved to ${head.slice(0, 10)} and does not contain ${seen.slice(0, 10)} any more; that commit is kept (git show ${seen.slice(0, 10)}).`;

/** Makes the tree again from the branch, or from base if the branch is gone too. */
async function remake(context: GitContext, checkout: Checkout): Promise<Refusal | null> {
	const { git, layout } = context;
	const { project, agent, workspace } = checkout;
	const maker = await makerOf(context, checkout);
	if (maker === null) return inTheWay(workspace.path);
	const wrong = await layout.makeParentIfFree(workspace.path);
	if (wrong !== null) return wrong;
	const kept = workspace.kind === "clone" ? `refs/brood/clones/${agent.id}` : `refs/heads/${workspace.branch}`;
	const tip = await commitOf(git, project.path, kept);
	const start = tip ?? (await commitOf(git, project.path, `refs/heads/${workspace.base}`));
	if (start === null)
		return refuse(
			"NOT_FOUND",
			`Neither ${workspace.branch} nor ${workspace.base} has a commit. Commit something on ${workspace.base} first.`,
		);
	const marker: WorkspaceMarker = { agent: maker, project: project.slug, ...workspace, start, ready: true };
	// until the tree has its own marker, the intent says that it is ours
	await writeMarker(intentOf(context, checkout), marker);
	if (workspace.kind === "clone") await makeClone(context, project, agent, marker);
	else {
		await exclusively(project.path, async () => {
			await trashWorktreeEntry(context, checkout, trashName(context, checkout));
			const branch =
				tip === null ? ["-b", workspace.branch, workspace.path, start] : [workspace.path, workspace.branch];
			await git(project.path, ["worktree", "add", "--quiet", "--no-checkout", ...branch]);
		});
	}
	await checkOut(context, marker);
	await writeMarker(markerIn(await gitFolderOf(workspace.path)), marker);
	await dropMarker(intentOf(context, checkout));
	return null;
}

const intentOf = ({ layout }: GitContext, { project, workspace }: Checkout): string =>
	path.join(layout.agents(project.slug), `.${path.basename(workspace.path)}.json`);

/** Discards what an earlier recovery left half made. No agent has worked in it. */
async function discardHalf(context: GitContext, checkout: Checkout): Promise<void> {
	const { project, workspace } = checkout;
	const intent = await readMarker(intentOf(context, checkout));
	if (intent === null || intent.path !== workspace.path || !isOurs(intent, checkout)) return;
	const whole = isOurs(await markerAt(workspace.path), checkout);
	if (!whole && workspace.kind === "clone") await discard(context, workspace.path);
	else if (!whole) await discardWorktree(context, project.path, workspace.path);
	await dropMarker(intentOf(context, checkout));
}

/** The agent that the workspace was made for: this one, or the one that it shares the folder with; null if unknown. */
async function makerOf({ git, layout }: GitContext, checkout: Checkout): Promise<string | null> {
	const { project, agent, workspace } = checkout;
	if (workspace.path === layout.agent(project.slug, agent.handle)) return agent.id;
	if (workspace.kind !== "worktree" || path.dirname(workspace.path) !== layout.agents(project.slug)) return null;
	// git still has the worktree's entry, with the marker in it
	const gitFolder = await registeredFor(git, project.path, workspace.path);
	const marker = gitFolder === null ? null : await readMarker(markerIn(gitFolder));
	return marker !== null && isOurs(marker, checkout) ? marker.agent : null;
}

/** Refuses a folder that is not ours. */
async function repair(context: GitContext, checkout: Checkout): Promise<Refusal | null> {
	const ours = async (): Promise<boolean> => isOurs(await markerAt(checkout.workspace.path), checkout);
	if (await ours()) return null;
	await reattach(context, checkout);
	return (await ours()) ? null : inTheWay(checkout.workspace.path);
}

async function unlock({ clock }: GitContext, checkout: Checkout): Promise<Refusal | null> {
	const { workspace } = checkout;
	const gitFolder = await gitFolderOf(workspace.path);
	const lock = path.join(gitFolder, "index.lock");
	const found = await lstat(lock).catch(() => null);
	if (found === null) return null;
	const age = clock.now() - found.mtimeMs;
	if (age < lockAgeMsMin) {
		return refuse("CONFLICT", `Git may be at work in ${workspace.path}: its lock is ${Math.round(age / 1000)} s old.`, {
			suggestions: [`brood agent health ${checkoutName(checkout)}`],
		});
	}
	await rename(lock, path.join(gitFolder, `brood-left-index.lock-${clock.now()}`));
	return null;
}

async function cleanUp(
	context: GitContext,
	checkout: Checkout,
	broken: string | null,
): Promise<{ snapshot: string | null; aside: string | null } | Refusal> {
	const tree = await readStatus(context.git, checkout.workspace.path);
	const reason = withBroken("before a recovery", broken);
	if (tree.changes.length > 0 || tree.operation !== null) return await clean(context, checkout, reason);
	const { snapshot, fresh } = await take(context, checkout, reason, null);
	return { snapshot: fresh ? snapshot.id : null, aside: null };
}
