// The daemon's side of a sandboxed checkout: asks the worker in the sandbox, and imports the branch tip and snapshots
// as objects, under refs that are named here.
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import type { RepositorySettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { branchRef } from "../format/refs.ts";
import { readPrimaryMarkerAt } from "../layout/marker.ts";
import { serialized } from "../run/exclusive.ts";
import { withObjects } from "../run/objects.ts";
import { commitOf } from "../run/user-input.ts";
import { worktreesOf } from "../run/worktrees.ts";
import {
	emptyTree,
	newestOf,
	refsOf,
	rememberNewest,
	type StoredSnapshot,
	snapshotsIn,
} from "../snapshot/snapshots.ts";
import { treeGone } from "../verbs/branch-status.ts";
import { type Step, type StepContext, steps } from "../worker/steps.ts";
import { SandboxFault, type SandboxWorkers, type StepCall } from "../worker/workers.ts";
import { keepBorrowed } from "../workspace/borrows.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { gitMount, sandboxedMounts } from "../workspace/sandbox-mounts.ts";
import { projectSettings } from "../workspace/settings.ts";
import { shareFrom } from "../workspace/shared.ts";
import { importObjects, RefusedObjects } from "./quarantine.ts";

/** An agent in a workspace with its own git folder. */
export interface SandboxedCheckout extends Checkout {
	marker: WorkspaceMarker;
}

/**
 * The ref of an agent's branch tip as last imported. Slashes are escaped, because one branch may be named like
 * another's folder.
 */
export const workRef = (agent: string, branch: string): string =>
	`refs/brood/work/${agent}/${branch.replaceAll("%", "%25").replaceAll("/", "%2F")}`;

export function workersOf({ workers, containment }: GitContext): SandboxWorkers | Refusal {
	if (workers !== undefined && containment === "bubblewrap") return workers;
	const output = "The project asks for a sandbox (sandbox: on), which needs bubblewrap.";
	return refuse("CONFLICT", output, { details: { output }, suggestions: ["brood doctor"] });
}

/** A client for a checkout whose tree exists; a refusal otherwise. */
export async function openClient(context: GitContext, checkout: SandboxedCheckout): Promise<WorkerClient | Refusal> {
	return (await treeGone(checkout)) ?? (await clientFor(context, checkout));
}

/** Reads what the project's repository knows of the checkout. `settings` replace those in force. */
export async function clientFor(
	context: GitContext,
	checkout: SandboxedCheckout,
	settings?: RepositorySettings,
): Promise<WorkerClient | Refusal> {
	const { git, layout, clock } = context;
	const { project, agent, workspace, marker } = checkout;
	const names = [
		`refs/heads/${workspace.base}`,
		branchRef(workspace.branch),
		`refs/remotes/origin/${workspace.branch}`,
		workRef(agent.id, workspace.branch),
	];
	const [effective, { snapshot: last, objects }, primary] = await Promise.all([
		settings === undefined ? projectSettings(context, project) : { settings },
		newestOf(
			git,
			{ folder: project.path, commonFolder: project.path },
			agent.id,
			names.map((name) => `${name}^{commit}`),
		),
		readPrimaryMarkerAt(layout.primaryMarker(project.slug)),
	]);
	if (isRefusal(effective)) return effective;
	const [base = null, branch = null, theirs = null, seen = null] = objects.map((object) => object?.id ?? null);
	// the remote's branch may have gone on
	const newer =
		theirs !== null && branch !== theirs && (branch === null || (await isAncestor(git, project.path, branch, theirs)));
	const from = shareFrom(context, project);
	const stepContext: StepContext = {
		now: clock.now(),
		primaryFolder: from.primary,
		projectFolder: from.projectFolder,
		project: { slug: project.slug, path: project.path, base: project.base ?? null },
		agent,
		workspace,
		given: {
			settings: { ...effective.settings, env: [] },
			baseCommit: base,
			branchCommit: newer ? theirs : branch,
			start: marker.start,
			last,
			primary,
		},
	};
	return new WorkerClient(context, checkout, stepContext, seen);
}

interface AskOptions extends Pick<StepCall<unknown>, "signal" | "bytes"> {
	/** another workspace that this step may read */
	alsoReadable?: WorkspaceMarker;
}

class NoSnapshot extends SandboxFault {}

export class WorkerClient {
	/** the tip of its branch, as the project last saw it */
	readonly seen: string | null;
	readonly #context: GitContext;
	readonly #checkout: SandboxedCheckout;
	#stepContext: StepContext;

	constructor(context: GitContext, checkout: SandboxedCheckout, stepContext: StepContext, seen: string | null) {
		this.#context = context;
		this.#checkout = checkout;
		this.#stepContext = stepContext;
		this.seen = seen;
	}

	/** What the step is told of the project. */
	get given(): StepContext["given"] {
		return this.#stepContext.given;
	}

	/** Throws a `SandboxFault` if the worker fails. */
	async ask<I, A>(step: Step<I, A>, input: I, { alsoReadable, ...options }: AskOptions = {}): Promise<A> {
		const workers = workersOf(this.#context);
		if (isRefusal(workers)) throw new Error(workers.message);
		return await workers.ask(await this.#mounts(alsoReadable), step, {
			stepContext: this.#stepContext,
			input,
			...options,
		});
	}

	async #mounts(alsoReadable: WorkspaceMarker | undefined): Promise<SandboxMounts> {
		const { project, marker } = this.#checkout;
		const mounts = await sandboxedMounts(this.#context, project, marker);
		if (isRefusal(mounts)) throw new SandboxFault(mounts.message);
		if (alsoReadable === undefined) return mounts;
		return {
			...mounts,
			readable: [...mounts.readable, alsoReadable.path],
			bound: [...(mounts.bound ?? []), await gitMount(this.#context, project, alsoReadable, false)],
		};
	}

	/** Imports an object, with everything it refers to, into the project's repository. */
	async pull(object: string, { onlyCheck = false } = {}): Promise<void> {
		const { baseCommit, branchCommit, start, last } = this.given;
		const have = [baseCommit, branchCommit, start, last?.commit ?? null, this.seen].filter((commit) => commit !== null);
		const want = [object];
		await importObjects({
			git: this.#context.git,
			repository: this.#checkout.project.path,
			salt: this.#context.ids.salt(),
			...{ want, have, onlyCheck },
			send: async (bytes) => void (await this.ask(steps.pack, { want, have }, { bytes })),
		});
	}

	/** Why git does not let the commits of the branch into the project's repository; null if it does. */
	async refusedCommits(): Promise<string | null> {
		const tip = await this.ask(steps.tip, {});
		if (tip === null || tip === this.seen) return null;
		try {
			await this.pull(tip, { onlyCheck: true });
			return null;
		} catch (error) {
			if (error instanceof RefusedObjects) return error.message;
			throw error;
		}
	}

	/** Imports what a step has made. Returns the tip of the branch, and the snapshot if there is a new one. */
	async pullChanges({ keepOld = false, everything = false } = {}): Promise<{
		tip: string | null;
		snapshot: StoredSnapshot | null;
	}> {
		const { tip, taken, others } = await this.ask(steps.tips, {});
		const isNew = taken !== null && taken !== this.given.last?.commit && !(await this.#isKnown(taken));
		// what the agent put there itself is not imported
		const snapshot = isNew
			? await this.pullSnapshot(taken).catch((error: unknown) => {
					if (error instanceof NoSnapshot) return null;
					throw error;
				})
			: null;
		if (tip !== null && tip !== this.seen) {
			await this.pull(tip);
			await recordTip(this.#context, this.#checkout, this.seen, tip, { keepOld });
		}
		if (everything) await this.#keepOthers(others);
		return { tip, snapshot };
	}

	async #isKnown(commit: string): Promise<boolean> {
		return (await commitOf(this.#context.git, this.#checkout.project.path, commit)) !== null;
	}

	/** Keeps the tips of the agent's other branches before its repository is removed. */
	async #keepOthers(commits: readonly string[]): Promise<void> {
		const { project, agent } = this.#checkout;
		for (const commit of commits) {
			if (await this.#isKnown(commit)) continue;
			await this.pull(commit);
			await this.#context.git(project.path, ["update-ref", `refs/brood/left/${agent.id}/${commit}`, commit]);
		}
	}

	/** Throws `NoSnapshot` unless the commit is exactly as we write them: the agent can put any commit there. */
	async pullSnapshot(commit: string): Promise<StoredSnapshot> {
		const { git } = this.#context;
		const { project, agent } = this.#checkout;
		await this.pull(commit);
		const { snapshot, object, files } = await withObjects(git, project.path, async (read) => {
			const [found = null] = await snapshotsIn(read, [commit]);
			const [whole, tree] = await read([commit, `${commit}:tree`]);
			return { snapshot: found, object: whole, files: tree };
		});
		// one more line in the message would be read as a snapshot of another agent
		const digest = /^(?:[^\n]+\n)+\nSnapshot: [^\n]*\n\nContent: ([0-9a-f]{64})\n$/.exec(
			object?.bytes.toString() ?? "",
		)?.[1];
		const holds = snapshot !== null && snapshot.tree === (files?.id ?? (await emptyTree(git, project.path)));
		if (!holds || digest === undefined)
			throw new NoSnapshot(`${commit} in the git folder of ${agent.handle} is not a snapshot that Brood has made`);
		const last = await serialized(`snapshot number ${project.path}\0${agent.id}`, async () => {
			// another step may have taken one since this one began
			const where = { folder: project.path, commonFolder: project.path };
			const { snapshot: newest } = await newestOf(git, where, agent.id, []);
			const sequence = Math.max(newest?.sequence ?? 0, this.given.last?.sequence ?? 0) + 1;
			const ref = `${refsOf(agent.id)}/${sequence}`;
			await git(project.path, ["update-ref", ref, commit, "0".repeat(commit.length)]);
			const kept = { ref, commit, agent: agent.id, sequence, at: snapshot.manifest.at, digest };
			rememberNewest(where, kept);
			return kept;
		});
		this.#stepContext = { ...this.#stepContext, given: { ...this.given, last } };
		return { ...snapshot, ref: last.ref };
	}
}

/**
 * Records the tip of an agent's branch. The project's branch of that name follows, for people and for the next agent on
 * it, unless somebody else moved it or has it checked out.
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

/** Keeps project objects that the workspace depends on from now on. */
export async function borrow(
	{ git }: GitContext,
	{ project, agent }: Checkout,
	kept: Parameters<typeof keepBorrowed>[3],
): Promise<void> {
	await keepBorrowed(git, project.path, agent.id, kept);
}
