// Calls the worker in an agent's sandbox, and imports its branch tip and snapshots as objects, under refs that are
// named here.
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { Checkout, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { branchRef } from "../format/refs.ts";
import { readPrimaryMarkAt } from "../layout/mark.ts";
import { commitOf } from "../run/user-input.ts";
import { worktreesOf } from "../run/worktrees.ts";
import {
	emptyTree,
	findSnapshot,
	newestOf,
	readObjects,
	refsOf,
	rememberNewest,
	type Snapshot,
} from "../snapshot/snapshots.ts";
import { type Step, type StepContext, steps } from "../worker/steps.ts";
import { SandboxFault, type SandboxWorkers } from "../worker/workers.ts";
import { keepBorrowed } from "../workspace/borrows.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { gitMount, sandboxedMounts } from "../workspace/sandbox-mounts.ts";
import { settingsOf } from "../workspace/settings.ts";
import { importObjects } from "./quarantine.ts";

/** An agent in a workspace with a git folder of its own. */
export interface SandboxedCheckout extends Checkout {
	mark: WorkspaceMark;
}

/** What the project's repository knows of a sandboxed checkout, before and after a step. */
export interface ProjectView {
	scene: StepContext;
	/** the tip of its branch, as the project last saw it */
	seen: string | null;
}

/** Steps that write, or that read every file. */
export const longMs = 15 * 60 * 1000;

/**
 * The tip of an agent's branch, as it last came out. A slash would make folders, and one branch may be called like
 * another's folder.
 */
export const workRef = (agent: string, branch: string): string =>
	`refs/brood/work/${agent}/${branch.replaceAll("%", "%25").replaceAll("/", "%2F")}`;

export function workersOf({ workers, containment }: GitContext): SandboxWorkers | Refusal {
	if (workers !== undefined && containment === "bubblewrap") return workers;
	const output = "The project asks for a sandbox (sandbox: on), which needs bubblewrap.";
	return refuse("CONFLICT", output, { details: { output }, suggestions: ["brood doctor"] });
}

export async function projectView(
	context: GitContext,
	{ project, agent, workspace, mark }: SandboxedCheckout,
): Promise<ProjectView | Refusal> {
	const { git, layout, clock } = context;
	const names = [
		`refs/heads/${workspace.base}`,
		branchRef(workspace.branch),
		`refs/remotes/origin/${workspace.branch}`,
		workRef(agent.id, workspace.branch),
	];
	const [effective, { snapshot: last, objects }, primary] = await Promise.all([
		settingsOf(context, project),
		newestOf(
			git,
			{ folder: project.path, commonFolder: project.path },
			agent.id,
			names.map((name) => `${name}^{commit}`),
		),
		readPrimaryMarkAt(layout.primaryMark(project.slug)),
	]);
	if (isRefusal(effective)) return effective;
	const [base = null, branch = null, theirs = null, seen = null] = objects.map((object) => object?.id ?? null);
	const scene: StepContext = {
		now: clock.now(),
		primaryFolder: layout.primary(project.slug),
		checkout: project.path === layout.mirror(project.slug) ? null : project.path,
		project: { slug: project.slug, path: project.path, base: project.base ?? null },
		agent,
		workspace,
		given: { settings: effective.settings, base, branch: branch ?? theirs, start: mark.start, last, primary },
	};
	return { scene, seen };
}

interface How {
	timeoutMs?: number | undefined;
	signal?: AbortSignal | undefined;
	/** another workspace that this step may look at */
	alsoReadable?: WorkspaceMark | undefined;
	bytes?(chunk: Buffer): Promise<void>;
}

/** Throws a `SandboxFault` if the worker fails. */
export async function ask<W, A>(
	context: GitContext,
	checkout: SandboxedCheckout,
	step: Step<W, A>,
	{ scene }: ProjectView,
	input: W,
	how: How = {},
): Promise<A> {
	const workers = workersOf(context);
	if (isRefusal(workers)) throw new Error(workers.message);
	const mounts = await mountsFor(context, checkout.project, checkout.mark, how.alsoReadable);
	return await workers.ask(mounts, step, {
		...{ scene, input },
		...(how.timeoutMs !== undefined && { timeoutMs: how.timeoutMs }),
		...(how.signal !== undefined && { signal: how.signal }),
		...(how.bytes !== undefined && { bytes: how.bytes }),
	});
}

async function mountsFor(
	context: GitContext,
	project: ProjectRepository,
	mark: WorkspaceMark,
	alsoReadable?: WorkspaceMark,
): Promise<SandboxMounts> {
	const mounts = await sandboxedMounts(context, project, mark);
	if (isRefusal(mounts)) throw new SandboxFault(mounts.message);
	if (alsoReadable === undefined) return mounts;
	return {
		...mounts,
		readable: [...mounts.readable, alsoReadable.path],
		bound: [...(mounts.bound ?? []), await gitMount(context, project, alsoReadable, false)],
	};
}

/** Objects out of the sandbox and into the project's store, whole and checked. */
async function pullObjects(
	context: GitContext,
	checkout: SandboxedCheckout,
	view: ProjectView,
	want: readonly string[],
): Promise<void> {
	const { base, branch, start, last } = view.scene.given;
	const have = [base, branch, start, last?.commit ?? null, view.seen].filter((commit) => commit !== null);
	await importObjects({
		git: context.git,
		repository: checkout.project.path,
		salt: context.ids.salt(),
		...{ want, have },
		send: async (bytes) =>
			void (await ask(context, checkout, steps.pack, view, { want: [...want], have }, { timeoutMs: longMs, bytes })),
	});
}

/** A tree of files as an object that the project has; nothing leads to it, and nobody needs it for long. */
export async function pullTree(
	context: GitContext,
	checkout: SandboxedCheckout,
	view: ProjectView,
	tree: string,
): Promise<void> {
	await pullObjects(context, checkout, view, [tree]);
}

/** After a step: what is new comes out. Answers where the branch is. */
export async function pullChanges(
	context: GitContext,
	checkout: SandboxedCheckout,
	view: ProjectView,
	{ keepOld = false, everything = false } = {},
): Promise<{ tip: string | null; snapshot: Snapshot | null }> {
	const tips = await ask(context, checkout, steps.tips, view, {});
	const news = tips.taken !== null && (await isNew(context, checkout, view, tips.taken)) ? tips.taken : null;
	// what somebody else put there stays there
	const snapshot = news === null ? null : await pullSnapshot(context, checkout, view, news).catch(noSnapshot);
	if (tips.branch !== null && tips.branch !== view.seen) {
		await pullObjects(context, checkout, view, [tips.branch]);
		await recordTip(context, checkout, view.seen, tips.branch, { keepOld });
	}
	if (everything) await keepOthers(context, checkout, view, tips.others);
	return { tip: tips.branch, snapshot };
}

class NoSnapshot extends SandboxFault {}

function noSnapshot(error: unknown): null {
	if (error instanceof NoSnapshot) return null;
	throw error;
}

/** The ref inside may be an old one that came out long ago, or anything that somebody put there. */
async function isNew(
	{ git }: GitContext,
	{ project }: SandboxedCheckout,
	{ scene }: ProjectView,
	taken: string,
): Promise<boolean> {
	return taken !== scene.given.last?.commit && (await commitOf(git, project.path, taken)) === null;
}

/** Other branches of its own repository, before that goes. */
async function keepOthers(
	context: GitContext,
	checkout: SandboxedCheckout,
	view: ProjectView,
	others: readonly string[],
): Promise<void> {
	for (const commit of others) {
		if ((await commitOf(context.git, checkout.project.path, commit)) !== null) continue;
		await pullObjects(context, checkout, view, [commit]);
		await context.git(checkout.project.path, ["update-ref", `refs/brood/left/${checkout.agent.id}/${commit}`, commit]);
	}
}

/**
 * Throws `NoSnapshot` for anything that is not exactly as our own program makes them: whoever is inside can put what
 * they like there.
 */
export async function pullSnapshot(
	context: GitContext,
	checkout: SandboxedCheckout,
	view: ProjectView,
	commit: string,
): Promise<Snapshot> {
	const { git } = context;
	const { project, agent } = checkout;
	await pullObjects(context, checkout, view, [commit]);
	const sequence = (view.scene.given.last?.sequence ?? 0) + 1;
	const ref = `${refsOf(agent.id)}/${sequence}`;
	const snapshot = await findSnapshot(git, project.path, commit);
	const [object, files] = await readObjects(git, project.path, [commit, `${commit}:tree`]);
	// a line more in the message would be read as a snapshot of somebody else
	const digest = /^(?:[^\n]+\n)+\nSnapshot: [^\n]*\n\nContent: ([0-9a-f]{64})\n$/.exec(
		object?.bytes.toString() ?? "",
	)?.[1];
	const holds = snapshot !== null && snapshot.tree === (files?.id ?? (await emptyTree(git, project.path)));
	if (!holds || digest === undefined)
		throw new NoSnapshot(`${commit} in the git folder of ${agent.handle} is no snapshot that Brood has made`);
	await git(project.path, ["update-ref", ref, commit, "0".repeat(commit.length)]);
	const kept = { ref, commit, agent: agent.id, sequence, at: snapshot.manifest.at, digest };
	rememberNewest({ commonFolder: project.path }, kept);
	view.scene = { ...view.scene, given: { ...view.scene.given, last: kept } };
	return { ...snapshot, ref };
}

/**
 * The project's own branch of that name follows, for people who look there and for whoever works on it next: unless
 * somebody else moved it, or has it checked out.
 */
export async function recordTip(
	{ git }: GitContext,
	{ project, agent, workspace }: Checkout,
	before: string | null,
	tip: string,
	{ keepOld = false } = {},
): Promise<void> {
	const ref = branchRef(workspace.branch);
	const here = await commitOf(git, project.path, ref);
	const theirs = (await worktreesOf(git, project.path)).some(({ branch }) => branch === ref);
	const follows = here === null || here === before || (await isAncestor(git, project.path, here, tip));
	const lost = keepOld && before !== null && !(await isAncestor(git, project.path, before, tip));
	const none = "0".repeat(tip.length);
	const lines = [
		`update ${workRef(agent.id, workspace.branch)}\0${tip}\0\0`,
		...(lost ? [`update refs/brood/left/${agent.id}/${before}\0${before}\0\0`] : []),
		...(follows && !theirs && here !== tip && workspace.branch !== workspace.base
			? [`update ${ref}\0${tip}\0${here ?? none}\0`]
			: []),
	];
	await git(project.path, ["update-ref", "-z", "--stdin"], { input: lines.join("") });
}

/** What it needs of the project's objects from now on. */
export async function borrow(
	{ git }: GitContext,
	{ project, agent }: Checkout,
	kept: Parameters<typeof keepBorrowed>[3],
): Promise<void> {
	await keepBorrowed(git, project.path, agent.id, kept);
}
