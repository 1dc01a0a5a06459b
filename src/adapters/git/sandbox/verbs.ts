// The verbs of the work cycle for a sandboxed agent. The daemon opens no file of its tree or its git folder: each verb
// asks the worker, and new commits are imported as objects (quarantine.ts).
import { type CheckedFiles, type FileCheck, unchecked } from "#contract/file-check.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type {
	BranchStatus,
	Committed,
	Diff,
	Health,
	HealthProblem,
	OmittedFile,
	Pushed,
	UnseenCommit,
} from "#contract/workspace.ts";
import type { Checkout, CommitRequest, DiffExtent, StepControl } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { exists } from "../layout/layout.ts";
import { commitOf } from "../run/user-input.ts";
import { renderDiff } from "../tree/render-diff.ts";
import { treeGone } from "../verbs/branch-status.ts";
import { differsFromCommit } from "../verbs/committed.ts";
import { mergeBase, theirOwn, writeTree } from "../verbs/diff.ts";
import { orReported } from "../verbs/health.ts";
import { pushBranch } from "../verbs/push.ts";
import { type Step, steps } from "../worker/steps.ts";
import type { CheckoutReader } from "../workspace/checkout-reader.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { clientFor, openClient, type SandboxedCheckout } from "./worker-client.ts";

export async function sandboxedHealth(
	context: GitContext,
	checkout: SandboxedCheckout,
	seen: { commit: string | null },
): Promise<Health> {
	const fix = `brood agent recover ${checkoutName(checkout)}`;
	const problems = await orReported(fix, problemsOf(context, checkout, seen, fix));
	return { healthy: problems.length === 0, issues: problems };
}

async function problemsOf(
	context: GitContext,
	checkout: SandboxedCheckout,
	seen: { commit: string | null },
	fix: string,
): Promise<HealthProblem[]> {
	const { path: folder } = checkout.workspace;
	if (!(await exists(folder))) return [{ code: "PATH_GONE", text: `${folder} is gone.`, fix }];
	if (!checkout.marker.ready) return [{ code: "UNFINISHED", text: "It was never made ready.", fix }];
	const client = await clientFor(context, checkout);
	if (isRefusal(client))
		return [
			{ code: "SANDBOX_IMPOSSIBLE", text: client.message, fix: `brood project settings ${checkout.project.slug}` },
		];
	const problems = await client.ask(steps.health, { seen: seen.commit });
	const refused = problems.length === 0 ? await client.refusedCommits() : null;
	return refused === null
		? problems
		: [{ code: "COMMITS_REFUSED", text: `Nothing of it can be kept: ${refused}.`, fix }];
}

/** Asks for a step that changes nothing. */
async function read<I, A>(
	context: GitContext,
	checkout: SandboxedCheckout,
	step: Step<I, A>,
	input: I,
): Promise<A | Refusal> {
	const client = await openClient(context, checkout);
	return isRefusal(client) ? client : await client.ask(step, input);
}

export const sandboxedStatus = async (
	context: GitContext,
	checkout: SandboxedCheckout,
): Promise<BranchStatus | Refusal> => await read(context, checkout, steps.branchStatus, {});

export const sandboxedCommits = async (
	context: GitContext,
	checkout: SandboxedCheckout,
	seen: string | null,
): Promise<UnseenCommit[] | Refusal> => await read(context, checkout, steps.commitsSince, { seen });

export async function sandboxedAutorunFiles(
	context: GitContext,
	checkout: SandboxedCheckout,
	type: string,
): Promise<{ files: string[]; fingerprint: string } | null> {
	const found = await read(context, checkout, steps.autorunFiles, { type });
	if (found !== null && isRefusal(found)) throw new Error(found.message);
	return found;
}

export async function checkFilesSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	check: FileCheck,
): Promise<CheckedFiles> {
	const answer = await read(context, checkout, steps.checkFiles, check);
	return isRefusal(answer) ? unchecked : answer;
}

export async function commitSandboxed(
	context: GitContext,
	checkout: SandboxedCheckout,
	{ message, paths, turn, stage }: CommitRequest,
	control: StepControl,
): Promise<Committed | Refusal> {
	const client = await openClient(context, checkout);
	if (isRefusal(client)) return client;
	if (control.begin !== undefined) await control.begin({ head: await client.ask(steps.tip, {}) });
	const committed = await client.ask(steps.commit, {
		begun: control.begun ?? null,
		message,
		paths: paths === undefined ? null : [...paths],
		turn: turn ?? null,
		stage: stage ?? null,
	});
	if (!isRefusal(committed)) await client.pullChanges();
	return committed;
}

/** Drawn from imported objects, so that the diff shows exactly what can be merged. */
export async function sandboxedDiff(
	context: GitContext,
	checkout: SandboxedCheckout,
	against: "base" | "index" | { other: Checkout; sandboxed: SandboxedCheckout | null },
	what?: DiffExtent,
): Promise<Diff | Refusal> {
	if (against === "index") return await read(context, checkout, steps.diff, {});
	const { git } = context;
	const { project, workspace } = checkout;
	const mine = await importTree(context, checkout, checkout);
	if (isRefusal(mine)) return mine;
	if (against === "base") {
		const base = await commitOf(git, project.path, `refs/heads/${workspace.base}`);
		const from = await mergeBase(git, project.path, mine.head === null ? null : base, mine.head ?? "");
		const diff = await renderDiff({ git, folder: project.path, omitted: mine.omitted }, [from, mine.tree], from, what);
		return { ...diff, commit: mine.head };
	}
	const { other, sandboxed } = against;
	const theirs = await importTree(context, other, sandboxed);
	if (isRefusal(theirs)) return theirs;
	const environment = theirs.objects === null ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: theirs.objects };
	const shown = {
		git,
		folder: project.path,
		environment,
		omitted: [...mine.omitted, ...theirOwn(other, theirs.omitted)],
	};
	return await renderDiff(shown, [theirs.tree, mine.tree], checkoutName(other), what);
}

interface WholeTree {
	tree: string;
	/** the commit that it is based on, imported as well */
	head: string | null;
	/** the folder of its objects, if they are not in the project's repository */
	objects: string | null;
	/** files that are not in the tree */
	omitted: readonly OmittedFile[];
}

/** All files of a workspace as one tree object. */
export async function importTree(
	context: GitContext,
	checkout: Checkout,
	sandboxed: SandboxedCheckout | null,
): Promise<WholeTree | Refusal> {
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	if (sandboxed === null) return { ...(await writeTree(context, checkout.workspace.path)), head: null };
	const client = await clientFor(context, sandboxed);
	if (isRefusal(client)) return client;
	const written = await client.ask(steps.tree, {});
	if (isRefusal(written)) return written;
	for (const object of [written.head, written.tree])
		if (object !== null && object !== client.seen) await client.pull(object);
	return { ...written, objects: null };
}

/** The tip of its branch, imported into the project's repository. */
export async function sandboxedTip(context: GitContext, checkout: SandboxedCheckout): Promise<string | null | Refusal> {
	const client = await openClient(context, checkout);
	return isRefusal(client) ? client : (await client.pullChanges()).tip;
}

/** A refusal if anything is not committed, or if the files are not those of this commit. */
export async function sandboxedDirty(
	context: GitContext,
	checkout: SandboxedCheckout,
	commit?: string,
): Promise<Refusal | null> {
	const clean = await read(context, checkout, steps.treeIfCommitted, {});
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

export const sandboxedReader = (context: GitContext, checkout: SandboxedCheckout): CheckoutReader => ({
	dirty: async (commit) => await sandboxedDirty(context, checkout, commit),
	tip: async () => await sandboxedTip(context, checkout),
});
