// What each step does inside the sandbox.
import path from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { Checkout, StepControl } from "#engine/ports/workspace-requests.ts";
import { fillFrom, treeStateOf } from "../copy/copy-worktree.ts";
import { branchRef } from "../format/refs.ts";
import { commitOf } from "../run/user-input.ts";
import { fillTree, missingFrom, readSnapshot, refresh, restoreSnapshot } from "../snapshot/restore.ts";
import { takenRef, takeSnapshotDetailed } from "../snapshot/snapshot.ts";
import { onBranch, operationBranch } from "../tree/operation.ts";
import { repairIndex, restoredText, withBroken } from "../tree/repair-index.ts";
import { openTree } from "../tree/tree.ts";
import { branchStatus, commitsSince, readOrRefuse, treeGone } from "../verbs/branch-status.ts";
import { commitWork } from "../verbs/commit.ts";
import { treeIfCommitted } from "../verbs/committed.ts";
import { diffOf, writeTree } from "../verbs/diff.ts";
import { goToBranchAndUpdate } from "../verbs/go-to-branch.ts";
import { healthOf } from "../verbs/health.ts";
import { onlyLinks } from "../verbs/link-again.ts";
import { moveBranch } from "../verbs/move.ts";
import { acceptAsItIs, returnToBranch } from "../verbs/recover.ts";
import { removePipes } from "../verbs/remove-pipes.ts";
import { hasConfig } from "../verbs/repair-git-folder.ts";
import { syncWork, updateResult } from "../verbs/sync.ts";
import { type Step, type StepContext, steps } from "../worker/steps.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { notHeld, requestFor } from "../workspace/keep.ts";
import { share } from "../workspace/shared.ts";

export interface SandboxContext {
	context: GitContext;
	checkout: Checkout;
	stepContext: StepContext;
	/** sends bytes before the answer */
	bytes(chunk: Buffer): Promise<void>;
}

type Handler = (sandbox: SandboxContext, input: unknown) => Promise<unknown>;

const controlOf = (begun: { head: string | null } | null): StepControl => (begun === null ? {} : { begun });

export const handlers = new Map<string, Handler>();

export function on<W, A>({ name, input }: Step<W, A>, work: (sandbox: SandboxContext, input: W) => Promise<A>): void {
	handlers.set(name, async (sandbox, raw) => await work(sandbox, input.parse(raw)));
}

on(
	steps.health,
	async ({ context, checkout }, { seen }) => (await healthOf(context, checkout, { commit: seen })).issues,
);
on(steps.branchStatus, async ({ context, checkout }) => await branchStatus(context, checkout));
on(steps.commitsSince, async ({ context, checkout }, { seen }) => await commitsSince(context, checkout, seen));
on(steps.commit, async ({ context, checkout }, { message, paths, turn, stage, begun }) => {
	const named = { ...(paths !== null && { paths }), ...(turn !== null && { turn }), ...(stage !== null && { stage }) };
	return await commitWork(context, checkout, { message, ...named }, controlOf(begun));
});
on(
	steps.sync,
	async ({ context, checkout }, { strategy, begun }) => await syncWork(context, checkout, strategy, controlOf(begun)),
);
on(
	steps.release,
	async ({ context, checkout }, { begun }) => await goToBranchAndUpdate(context, checkout, controlOf(begun)),
);
on(
	steps.treeIfCommitted,
	async ({ context, checkout }) => await readOrRefuse(checkout, async () => await treeIfCommitted(context, checkout)),
);
on(steps.diff, async ({ context, checkout }) => await diffOf(context, checkout, { kind: "index" }));

on(steps.tree, async ({ context, checkout }) => {
	const { path: folder } = checkout.workspace;
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	const { tree, omitted } = await writeTree(context, folder);
	return { tree, omitted, head: await commitOf(context.git, folder, "HEAD") };
});

/** The project's branch may be ahead of ours, if another agent has worked on it. */
on(steps.switchBranch, async ({ context, checkout }, { begun }): Promise<UpdateResult | Refusal> => {
	const { git, given } = context;
	const { path: folder, branch } = checkout.workspace;
	const [local, theirs] = [await commitOf(git, folder, branchRef(branch)), given?.branchCommit ?? null];
	if (theirs !== null && local === null)
		await git(folder, ["update-ref", branchRef(branch), theirs, "0".repeat(theirs.length)]);
	const updated = await goToBranchAndUpdate(context, checkout, controlOf(begun));
	if (isRefusal(updated) || theirs === null || local === null || local === theirs) return updated;
	if (!(await isAncestor(git, folder, local, theirs))) return updated;
	const tip = await commitOf(git, folder, branchRef(branch));
	if (tip === null || !(await isAncestor(git, folder, tip, theirs))) return updated;
	const stuck = await moveBranch(context, checkout, tip, theirs);
	return stuck ?? (await updateResult(context, checkout, true, `${branch} moved to where the project has it.`));
});

on(steps.removePipes, async ({ checkout }) => ({ removed: await removePipes(checkout.workspace.path) }));

on(steps.recover, async ({ context, checkout }, { accept: asked }) => {
	// a fault: the daemon makes a new git folder
	if (!(await hasConfig(path.join(checkout.workspace.path, ".git")))) throw new Error("its configuration is damaged");
	const accept = asked === null ? undefined : { seen: asked.seen, ...(asked.step !== null && { step: asked.step }) };
	const asItIs =
		accept === undefined ? await onlyLinks(context, checkout, {}) : await acceptAsItIs(context, checkout, {}, accept);
	return asItIs ?? (await returnToBranch(context, checkout, {}, { asMade: false, ...(accept && { accept }) }));
});

on(steps.snapshot, async ({ context, checkout }, { reason, turn }) => {
	const { snapshot, fresh } = await takeSnapshotDetailed(context.git, requestFor(context, checkout, reason, turn));
	return { commit: snapshot.commit, fresh };
});

on(steps.restore, async ({ context, checkout }, { commit }) => {
	const broken = await repairIndex(context.git, checkout.workspace.path);
	const restored = await restoreSnapshot(context.git, {
		...requestFor(context, checkout, withBroken("before a restore", broken)),
		snapshot: commit,
	});
	if (isRefusal(restored)) return restored;
	return await updateResult(context, checkout, true, restoredText(broken));
});

on(steps.fill, async ({ context: { git }, checkout }, { commit }) => {
	const { path: folder, branch } = checkout.workspace;
	const found = await readSnapshot(git, folder, commit);
	if (found === null) throw new Error(`the snapshot ${commit} cannot be read`);
	const { snapshot, index, operation } = found;
	const tree = await openTree(folder);
	const { head } = snapshot.manifest;
	const begun = head.branch === null ? operationBranch(operation) : null;
	if (begun !== null && head.commit !== null) await git(folder, ["update-ref", "--no-deref", "HEAD", head.commit]);
	await fillTree(git, tree, snapshot, { index, operation: onBranch(operation, branchRef(branch)) });
	return { missing: notHeld(missingFrom(snapshot)) };
});

on(steps.copy, async ({ context, checkout }, { from, everything }) => {
	const { path: folder, branch } = checkout.workspace;
	const copy = context.given?.settings.copy ?? [];
	const parent = await treeStateOf(context.git, await openTree(from));
	await fillFrom(context.git, parent, await openTree(folder), {
		from: { folder: from },
		to: { folder, branch },
		copy,
		sharesBlocks: everything,
	});
	return { missing: [] };
});

on(steps.share, async ({ context, checkout, stepContext }) => {
	const { settings, primary } = stepContext.given;
	return await share(
		context.git,
		checkout.workspace.path,
		{ primary: stepContext.primaryFolder, projectFolder: stepContext.projectFolder, filled: primary },
		settings,
	);
});

on(steps.reindex, async ({ context: { git }, checkout }) => {
	const folder = checkout.workspace.path;
	// without a git folder there was no sandbox to do it in
	await removePipes(folder);
	await git(folder, ["read-tree", (await commitOf(git, folder, "HEAD")) ?? "--empty"]);
	await refresh(git, { folder });
	return {};
});

on(
	steps.tip,
	async ({ context: { git }, checkout: { workspace } }) =>
		await commitOf(git, workspace.path, branchRef(workspace.branch)),
);

const othersMax = 200;

on(steps.tips, async ({ context: { git }, checkout }) => {
	const { path: folder, branch } = checkout.workspace;
	const { text } = await git(folder, [
		"for-each-ref",
		`--count=${othersMax}`,
		"--format=%(objectname) %(objecttype)",
		"refs/heads",
		"refs/stash",
		"refs/brood/left",
	]);
	const others = text.split("\n").flatMap((line) => (line.endsWith(" commit") ? [line.split(" ")[0] ?? ""] : []));
	return {
		tip: await commitOf(git, folder, branchRef(branch)),
		taken: await commitOf(git, folder, takenRef),
		others: [...new Set(others)],
	};
});

const packTimeoutMs = 10 * 60 * 1000;

on(steps.pack, async ({ context: { git }, checkout, bytes }, { want, have }) => {
	const input = `${want.join("\n")}\n--not\n${have.join("\n")}\n`;
	// without borrowed objects, which the project has
	await git(
		checkout.workspace.path,
		["pack-objects", "--quiet", "--stdout", "--revs", "--local", "--delta-base-offset"],
		{ input, sink: bytes, timeoutMs: packTimeoutMs },
	);
	return {};
});
