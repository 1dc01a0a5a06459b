// The verbs of the work cycle for an agent in a sandbox. No file of its tree and no file of its git folder is opened
// here: each verb asks the worker in its sandbox, and new commits come out as objects (see quarantine.ts).
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type {
	BranchStatus,
	Committed,
	Diff,
	Health,
	HealthIssue,
	LeftOut,
	Pushed,
	SeenCommit,
} from "#contract/workspace.ts";
import type { Checkout, CommitRequest, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { commitOf } from "../run/user-input.ts";
import { drawDiff } from "../tree/draw-diff.ts";
import { treeGone } from "../verbs/branch-status.ts";
import { differsFromCommit } from "../verbs/clean.ts";
import { checkoutName, forkPoint, theirOwn, treeOf } from "../verbs/diff.ts";
import { pushBranch } from "../verbs/push.ts";
import { isCalledOff } from "../worker/faults.ts";
import { type Step, steps } from "../worker/steps.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { ask, longMs, type ProjectView, projectView, pullChanges, pullTree, type SandboxedCheckout } from "./ask.ts";

export async function sandboxedHealth(
	context: GitContext,
	checkout: SandboxedCheckout,
	seen: { commit: string | null },
): Promise<Health> {
	const fix = `brood agent recover ${checkout.project.slug}/${checkout.agent.handle}`;
	const issues = await issuesOf(context, checkout, seen, fix).catch((error: unknown): HealthIssue[] => {
		if (isCalledOff(error)) throw error;
		return [{ code: "NOT_OURS", text: error instanceof Error ? error.message : String(error), fix }];
	});
	return { healthy: issues.length === 0, issues };
}

async function issuesOf(
	context: GitContext,
	checkout: SandboxedCheckout,
	seen: { commit: string | null },
	fix: string,
): Promise<HealthIssue[]> {
	const { path: folder } = checkout.workspace;
	if (!(await exists(folder))) return [{ code: "PATH_GONE", text: `${folder} is gone.`, fix }];
	if (!checkout.mark.ready) return [{ code: "UNFINISHED", text: "It was never made ready.", fix }];
	const view = await projectView(context, checkout);
	if (isRefusal(view))
		return [{ code: "NOT_OURS", text: view.message, fix: `brood project settings ${checkout.project.slug}` }];
	return await ask(context, checkout, steps.health, view, { seen: seen.commit });
}

export async function sandboxedStatus(
	context: GitContext,
	checkout: SandboxedCheckout,
): Promise<BranchStatus | Refusal> {
	return await looked(context, checkout, steps.standing, {});
}

export async function sandboxedCommits(
	context: GitContext,
	checkout: SandboxedCheckout,
	seen: string | null,
): Promise<SeenCommit[] | Refusal> {
	return await looked(context, checkout, steps.commitsSince, { seen });
}

export async function sandboxedAutorunFiles(
	context: GitContext,
	checkout: SandboxedCheckout,
	type: string,
): Promise<{ files: string[]; fingerprint: string } | null> {
	const view = await ready(context, checkout);
	if (isRefusal(view)) throw new Error(view.message);
	return await ask(context, checkout, steps.autorunFiles, view, { type });
}

export async function areInsideOwn(
	context: GitContext,
	checkout: SandboxedCheckout,
	places: readonly string[],
): Promise<boolean> {
	const answer = await looked(context, checkout, steps.inside, { places: [...places] });
	return !isRefusal(answer) && answer.inside;
}

/** A step that changes nothing. */
async function looked<W, A extends object>(
	context: GitContext,
	checkout: SandboxedCheckout,
	step: Step<W, A>,
	request: W,
): Promise<A | Refusal> {
	const view = await ready(context, checkout);
	return isRefusal(view) ? view : await ask(context, checkout, step, view, request);
}

/** What the project knows of it, if its tree is there. */
export async function ready(context: GitContext, checkout: SandboxedCheckout): Promise<ProjectView | Refusal> {
	return (await treeGone(checkout)) ?? (await projectView(context, checkout));
}

export async function commitSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	{ message, paths, turn, stage }: CommitRequest,
	control: StepControl,
): Promise<Committed | Refusal> {
	const view = await ready(context, checkout);
	if (isRefusal(view)) return view;
	if (control.begin !== undefined)
		await control.begin({ head: (await ask(context, checkout, steps.tips, view, {})).branch });
	const request = {
		begun: control.begun ?? null,
		message,
		paths: paths === undefined ? null : [...paths],
		turn: turn ?? null,
		stage: stage ?? null,
	};
	const made = await ask(context, checkout, steps.commit, view, request, { timeoutMs: longMs });
	if (!isRefusal(made)) await pullChanges(context, checkout, view);
	return made;
}

/**
 * Drawn here, from objects that came out and were checked: what is shown is what can be merged, and nothing that its
 * git folder says.
 */
export async function sandboxedDiff(
	context: GitContext,
	checkout: SandboxedCheckout,
	against: "base" | "index" | { other: Checkout; own: SandboxedCheckout | null },
): Promise<Diff | Refusal> {
	if (against === "index") return await looked(context, checkout, steps.diff, {});
	const { git } = context;
	const { project, workspace } = checkout;
	const mine = await treeIn(context, checkout, checkout);
	if (isRefusal(mine)) return mine;
	if (against === "base") {
		const base = await commitOf(git, project.path, `refs/heads/${workspace.base}`);
		const from = await forkPoint(git, project.path, mine.head === null ? null : base, mine.head ?? "");
		return await drawDiff({ git, folder: project.path, left: mine.left }, [from, mine.tree], from);
	}
	const { other, own } = against;
	const theirs = await treeIn(context, other, own);
	if (isRefusal(theirs)) return theirs;
	const environment = theirs.objects === null ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: theirs.objects };
	const canvas = { git, folder: project.path, environment, left: [...mine.left, ...theirOwn(other, theirs.left)] };
	return await drawDiff(canvas, [theirs.tree, mine.tree], checkoutName(other));
}

interface WholeTree {
	tree: string;
	/** the commit that it stands on, which the project has then as well */
	head: string | null;
	/** where its objects are, if not in the project's store */
	objects: string | null;
	/** what is not in it */
	left: readonly LeftOut[];
}

/** The whole tree of a workspace as an object. */
export async function treeIn(
	context: GitContext,
	checkout: Checkout,
	own: SandboxedCheckout | null,
): Promise<WholeTree | Refusal> {
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	if (own === null) return { ...(await treeOf(context, checkout.workspace.path)), head: null };
	const view = await projectView(context, own);
	if (isRefusal(view)) return view;
	const made = await ask(context, own, steps.tree, view, {}, { timeoutMs: longMs });
	if (isRefusal(made)) return made;
	for (const object of [made.head, made.tree])
		if (object !== null && object !== view.seen) await pullTree(context, own, view, object);
	return { ...made, objects: null };
}

/** The tip of its branch, in the project's store. */
export async function sandboxedTip(context: GitContext, checkout: SandboxedCheckout): Promise<string | null | Refusal> {
	const view = await ready(context, checkout);
	return isRefusal(view) ? view : (await pullChanges(context, checkout, view)).tip;
}

/** A refusal if anything is not committed, or if the files are not those of this commit. */
export async function sandboxedDirty(
	context: GitContext,
	checkout: SandboxedCheckout,
	commit?: string,
): Promise<Refusal | null> {
	const view = await ready(context, checkout);
	if (isRefusal(view)) return view;
	const clean = await ask(context, checkout, steps.clean, view, {}, { timeoutMs: longMs });
	if (isRefusal(clean)) return clean;
	return commit === undefined ? null : await differsFromCommit(context, checkout, clean.tree, commit);
}

/** From the project's own repository, where the credentials are. */
export async function pushSandboxed(context: GitContext, checkout: SandboxedCheckout): Promise<Pushed | Refusal> {
	const tip = await sandboxedTip(context, checkout);
	if (tip !== null && typeof tip !== "string") return tip;
	const { branch } = checkout.workspace;
	if (tip === null) return { remote: "origin", branch, pushed: false, error: "there is no commit yet" };
	return await pushBranch(context.git, checkout.project.path, branch, tip);
}
