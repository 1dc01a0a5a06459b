// Returns an agent to its own branch, or to base if the branch has no commits of its own.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout, MoveResult, StepControl } from "#engine/ports/workspace-requests.ts";
import { countOf } from "../format/plural.ts";
import { GitFailed } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { baseCommit, type GitContext } from "../workspace/git-context.ts";
import { dirtyRefusal, readStatus } from "../workspace/tree-status.ts";
import { count, isMerged, treeGone } from "./branch-status.ts";
import { goToBranch, moveBranch } from "./move.ts";
import { moveResult } from "./sync.ts";

export async function release(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
	snapshot: string | null = null,
): Promise<MoveResult | Refusal> {
	const { git } = context;
	const { path, branch, base: baseName } = checkout.workspace;
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	const tree = await readStatus(git, path);
	const dirty = dirtyRefusal(tree, { folder: path, checkout });
	if (dirty !== null) return dirty;
	if (checkout.workspace.kind === "main") return await forwardMain(context, checkout, tree.branch, control);

	const tip = await commitOf(git, path, `refs/heads/${branch}`);
	const base = await baseCommit(context, checkout);
	if (tip === null && base === null)
		return await moveResult(context, checkout, false, "There is no commit yet.", snapshot);
	const away = tree.branch !== branch && tip !== null;
	const before = control.begun?.head;
	// whoever moved it to base died before telling
	if (!away && before != null && before !== tip && tip === base && base !== null) {
		const came = (await count(git, path, base, before)).behind;
		return await moveResult(
			context,
			checkout,
			true,
			`${branch} moved to ${baseName}; ${countOf(came, "commit")} came in.`,
			snapshot,
		);
	}
	await control.begin?.({ head: tip });
	if (away) {
		const stuck = await goToBranch(context, checkout, tree.head);
		if (stuck !== null) return stuck;
	}
	const back = away ? `You are back on ${branch}. ` : "";
	const { ahead, behind } = await count(git, path, base, tip);
	if (base === null || (tip !== null && ahead > 0 && !(await isMerged(context, checkout, tip)))) {
		return await moveResult(
			context,
			checkout,
			away,
			`${back}${branch} is ${ahead} ahead of ${baseName} and ${behind} behind.`,
			snapshot,
		);
	}
	if (tip === base)
		return await moveResult(context, checkout, away, `${back}${branch} is where ${baseName} is.`, snapshot);
	const stuck = await moveBranch(context, checkout, tip, base);
	if (stuck !== null) return stuck;
	return await moveResult(
		context,
		checkout,
		true,
		`${back}${branch} moved to ${baseName}; ${countOf(behind, "commit")} came in.`,
		snapshot,
	);
}

/** The person's own checkout: fetched and moved forward, or left alone. */
async function forwardMain(
	{ git, ...context }: GitContext,
	checkout: Checkout,
	branch: string | null,
	control: StepControl,
): Promise<MoveResult | Refusal> {
	const { path } = checkout.workspace;
	const said =
		branch === null
			? ""
			: (await git(path, ["for-each-ref", "--format=%(upstream)%0a%(upstream:remotename)", `refs/heads/${branch}`]))
					.text;
	const [upstream = "", remote = ""] = said.split("\n");
	const rest = async (moved: boolean, text: string): Promise<MoveResult | Refusal> =>
		await moveResult({ git, ...context }, checkout, moved, text);
	if (upstream === "" || branch === null) return await rest(false, "There is nothing upstream to follow.");
	let away = "";
	if (remote !== "" && remote !== "." && !remote.startsWith("-")) {
		try {
			await git(
				path,
				["fetch", "--quiet", "--no-write-fetch-head", remote],
				control.signal === undefined ? {} : { signal: control.signal },
			);
		} catch (error) {
			if (!(error instanceof GitFailed)) throw error;
			away = " The remote did not answer.";
		}
	}
	const { ahead, behind } = await count(
		git,
		path,
		await commitOf(git, path, upstream),
		await commitOf(git, path, "HEAD"),
	);
	if (behind === 0) return await rest(false, `${branch} has all of its upstream.${away}`);
	if (ahead > 0) {
		return refuse(
			"CONFLICT",
			`${branch} is ${ahead} ahead of its upstream and ${behind} behind. It is yours to merge.`,
			{ details: { ahead, behind, path } },
		);
	}
	const { code, errors } = await git(
		path,
		["merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", upstream],
		{ answers: [1, 2, 128] },
	);
	if (code !== 0)
		return refuse("WORKTREE_DIRTY", `Git does not move ${branch} forward. Nothing was changed.`, {
			details: { path, errors: errors.slice(0, 4000) },
		});
	return await rest(true, `${branch} moved forward; ${countOf(behind, "commit")} came in.`);
}
