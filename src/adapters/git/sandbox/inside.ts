// What each step does inside of a sandbox.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { AtHome, Live, Stay } from "#engine/workspaces.ts";
import { fillFrom, standOf } from "../copy/fork-tree.ts";
import { branchRef } from "../format/refs.ts";
import { commitOf } from "../run/given.ts";
import { leftOut, putBackRest, readParts, refresh, restoreSnapshot, writeFiles } from "../snapshot/restore.ts";
import { takeAndTell, takenRef } from "../snapshot/snapshot.ts";
import { findSnapshot } from "../snapshot/snapshots.ts";
import { mendIndex, withBroken } from "../tree/mend-index.ts";
import { onBranch, undertaking } from "../tree/operation.ts";
import { openTree } from "../tree/tree.ts";
import { cleanTree } from "../verbs/clean.ts";
import { commitWork } from "../verbs/commit.ts";
import { diffOf, treeOf } from "../verbs/diff.ts";
import { healthOf } from "../verbs/health.ts";
import { release } from "../verbs/home.ts";
import { moveBranch } from "../verbs/move.ts";
import { acceptAsItIs, bringHome } from "../verbs/recover.ts";
import { commitsSince, readable, standingOf, treeGone } from "../verbs/standing.ts";
import { atHome, syncWork } from "../verbs/sync.ts";
import { type Scene, type Step, steps } from "../worker/steps.ts";
import { type Ground, isAncestor } from "../workspace/ground.ts";
import { nameOf, requestFor } from "../workspace/keep.ts";
import { share } from "../workspace/shared.ts";

/** Where a step is: what it works on, and how it hands out bytes. */
export interface Spot {
	ground: Ground;
	stay: Stay;
	scene: Scene;
	bytes(chunk: Buffer): Promise<void>;
}

type Handler = (spot: Spot, wish: unknown) => Promise<unknown>;

/** What a step is told of the one before a crash. */
const liveOf = (begun: { head: string | null } | null): Live => (begun === null ? {} : { begun });

export const handlers = new Map<string, Handler>();

export function on<W, A>({ name, wish }: Step<W, A>, work: (spot: Spot, wish: W) => Promise<A>): void {
	handlers.set(name, async (spot, raw) => await work(spot, wish.parse(raw)));
}

on(steps.health, async ({ ground, stay }, { seen }) => (await healthOf(ground, stay, { commit: seen })).issues);
on(steps.standing, async ({ ground, stay }) => await standingOf(ground, stay));
on(steps.commitsSince, async ({ ground, stay }, { seen }) => await commitsSince(ground, stay, seen));
on(
	steps.commit,
	async ({ ground, stay }, { message, paths, turn, stage, begun }) =>
		await commitWork(
			ground,
			stay,
			{ message, ...(paths !== null && { paths }), ...(turn !== null && { turn }), ...(stage !== null && { stage }) },
			liveOf(begun),
		),
);
on(steps.sync, async ({ ground, stay }, { strategy, begun }) => await syncWork(ground, stay, strategy, liveOf(begun)));
on(steps.release, async ({ ground, stay }, { begun }) => await release(ground, stay, liveOf(begun)));
on(steps.clean, async ({ ground, stay }) => await readable(stay, async () => await cleanTree(ground, stay)));
on(steps.diff, async ({ ground, stay }) => await diffOf(ground, stay, { kind: "index" }));

on(steps.tree, async ({ ground, stay }) => {
	const { path: folder } = stay.workspace;
	const gone = await treeGone(stay);
	if (gone !== null) return gone;
	const { tree, left } = await treeOf(ground, folder);
	return { tree, left, head: await commitOf(ground.git, folder, "HEAD") };
});

/** The project's branch may be further than ours, if others have worked on it. */
on(steps.enter, async ({ ground, stay }, { begun }): Promise<AtHome | Refusal> => {
	const { git, given } = ground;
	const { path: folder, branch } = stay.workspace;
	const [local, theirs] = [await commitOf(git, folder, branchRef(branch)), given?.branch ?? null];
	if (theirs !== null && local === null) await git(folder, ["update-ref", branchRef(branch), theirs, "0".repeat(theirs.length)]);
	const home = await release(ground, stay, liveOf(begun));
	if (isRefusal(home) || theirs === null || local === null || local === theirs || !(await isAncestor(git, folder, local, theirs))) return home;
	const tip = await commitOf(git, folder, branchRef(branch));
	if (tip === null || !(await isAncestor(git, folder, tip, theirs))) return home;
	const stuck = await moveBranch(ground, stay, tip, theirs);
	return stuck ?? (await atHome(ground, stay, true, `${branch} moved to where the project has it.`));
});

on(steps.recover, async ({ ground, stay }, { accept: asked }) => {
	const accept = asked === null ? undefined : { seen: asked.seen, ...(asked.step !== null && { step: asked.step }) };
	const asItIs = accept === undefined ? null : await acceptAsItIs(ground, stay, {}, accept);
	return asItIs ?? (await bringHome(ground, stay, {}, { asMade: false, ...(accept && { accept }) }));
});

on(steps.snapshot, async ({ ground, stay }, { reason, turn }) => {
	const { snapshot, fresh } = await takeAndTell(ground.git, requestFor(ground, stay, reason, turn));
	return { commit: snapshot.commit, fresh };
});

on(steps.restore, async ({ ground, stay }, { commit }) => {
	const broken = await mendIndex(ground.git, stay.workspace.path);
	const restored = await restoreSnapshot(ground.git, { ...requestFor(ground, stay, withBroken("before a restore", broken)), snapshot: commit });
	if (isRefusal(restored)) return restored;
	return await atHome(ground, stay, true, `${withBroken("Your files were put back as a snapshot has them", broken)}.`);
});

on(steps.fill, async ({ ground: { git }, stay }, { commit }) => {
	const { path: folder, branch } = stay.workspace;
	const snapshot = await findSnapshot(git, folder, commit);
	if (snapshot === null) throw new Error(`the snapshot ${commit} cannot be read`);
	const tree = await openTree(folder);
	const { index, operation } = await readParts(git, folder, snapshot);
	const { head } = snapshot.manifest;
	const begun = head.branch === null ? undertaking(operation) : null;
	if (begun !== null && head.commit !== null) await git(folder, ["update-ref", "--no-deref", "HEAD", head.commit]);
	await writeFiles(git, tree, snapshot.tree);
	await putBackRest(tree, snapshot, { index, operation: onBranch(operation, branchRef(branch)) }, null);
	await refresh(git, tree);
	return { missing: leftOut(snapshot).map((name) => ({ path: nameOf(name), reason: "not in the snapshot" })) };
});

on(steps.copy, async ({ ground, stay }, { from, everything }) => {
	const { path: folder, branch } = stay.workspace;
	const copy = ground.given?.settings.copy ?? [];
	const parent = await standOf(ground.git, await openTree(from));
	await fillFrom(ground.git, parent, await openTree(folder), { from: { folder: from }, to: { folder, branch }, copy, sharesBlocks: everything });
	return { missing: [] };
});

on(steps.share, async ({ ground, stay, scene }) => {
	const { settings, primary } = scene.given;
	return await share(ground.git, stay.workspace.path, { primary: scene.primaryFolder, checkout: scene.checkout, filled: primary }, settings);
});

on(steps.reindex, async ({ ground: { git }, stay }) => {
	const head = await commitOf(git, stay.workspace.path, "HEAD");
	await git(stay.workspace.path, ["read-tree", ...(head === null ? ["--empty"] : [head])]);
	await git(stay.workspace.path, ["update-index", "-q", "--refresh"], { answers: [1] });
	return {};
});

const othersMax = 200;

on(steps.tips, async ({ ground: { git }, stay }) => {
	const { path: folder, branch } = stay.workspace;
	const { text } = await git(folder, [
		"for-each-ref",
		`--count=${othersMax}`,
		"--format=%(objectname) %(objecttype)",
		"refs/heads",
		"refs/stash",
		"refs/brood/left",
	]);
	const others = text.split("\n").flatMap((line) => (line.endsWith(" commit") ? [line.split(" ")[0] ?? ""] : []));
	return { branch: await commitOf(git, folder, branchRef(branch)), taken: await commitOf(git, folder, takenRef), others: [...new Set(others)] };
});

const packTimeoutMs = 10 * 60 * 1000;

on(steps.pack, async ({ ground: { git }, stay, bytes }, { want, have }) => {
	const input = `${want.join("\n")}\n--not\n${have.join("\n")}\n`;
	// what is borrowed is there already
	await git(stay.workspace.path, ["pack-objects", "--quiet", "--stdout", "--revs", "--local", "--delta-base-offset"], {
		input,
		sink: bytes,
		timeoutMs: packTimeoutMs,
	});
	return {};
});
