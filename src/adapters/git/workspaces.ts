// Workspaces on git: one member for each verb of the port, which documents the verb. Each verb has its own file; for a
// sandboxed workspace it is in `sandbox/`, which opens no file of the agent's.
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import type { FileCheck } from "#contract/file-check.ts";
import type { RepositorySettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Leftover } from "#contract/wire.ts";
import type { Workspace, WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout, GcRequest, ProjectRepository, RemoveRequest } from "#engine/ports/workspace-requests.ts";
import type { Workspaces } from "#engine/ports/workspaces.ts";
import { Layout } from "./layout/layout.ts";
import { approveWork } from "./project/approve.ts";
import { runAtCommit, switchBranch } from "./project/branch.ts";
import { fork, startOf } from "./project/fork.ts";
import { fetchAndFollowOrigin } from "./project/origin.ts";
import { fromOutside } from "./project/outside-reader.ts";
import { previewMerge } from "./project/preview.ts";
import { openProject } from "./project/project.ts";
import { provision } from "./project/provision.ts";
import { commitsAhead, diffOfCommit, pushCommit } from "./project/published.ts";
import { siteRepositories } from "./project/sites.ts";
import { warmProject } from "./project/warm.ts";
import { commitOf } from "./run/user-input.ts";
import { convert, recoverSandboxed, removeSandboxed } from "./sandbox/end.ts";
import { asKeptInProject } from "./sandbox/make.ts";
import { releaseSandboxed, restoreSandboxed, switchSandboxed, syncSandboxed } from "./sandbox/move.ts";
import { keepSandboxed } from "./sandbox/snapshot.ts";
import {
	checkFilesSandboxed,
	commitSandboxed,
	importTree,
	pushSandboxed,
	sandboxedAutorunFiles,
	sandboxedCommits,
	sandboxedDiff,
	sandboxedDirty,
	sandboxedHealth,
	sandboxedReader,
	sandboxedStatus,
	sandboxedTip,
} from "./sandbox/verbs.ts";
import type { SandboxedCheckout } from "./sandbox/worker-client.ts";
import { restoredText } from "./tree/repair-index.ts";
import { collect } from "./upkeep/gc.ts";
import { spaceOf } from "./upkeep/space.ts";
import { branchStatus, commitsSince, noTree, treeGone } from "./verbs/branch-status.ts";
import { commitWork } from "./verbs/commit.ts";
import { notCommitted } from "./verbs/committed.ts";
import { diffAgainstTree, diffOf } from "./verbs/diff.ts";
import { goToBranchAndUpdate } from "./verbs/go-to-branch.ts";
import { healthOf } from "./verbs/health.ts";
import { pushBranch } from "./verbs/push.ts";
import { recoverWorkspace } from "./verbs/recover.ts";
import { removeWorkspace } from "./verbs/remove.ts";
import { repositoryProblem } from "./verbs/repository-problem.ts";
import { syncWork, updateResult } from "./verbs/sync.ts";
import { orUnreadable } from "./verbs/unreadable.ts";
import { orDamaged } from "./worker/faults.ts";
import { asFork, makeBundle, whileFetched } from "./workspace/bundle.ts";
import { agentIdentity, type GitContext, seenTip } from "./workspace/git-context.ts";
import { find, has, list, restore, show, take, toSnapshot } from "./workspace/keep.ts";
import { mountsFor, sandboxMarkerAt, sandboxProblem, wantsSandbox } from "./workspace/sandbox-mounts.ts";
import { projectSettings } from "./workspace/settings.ts";

type Verb<C extends Checkout, Rest extends unknown[], T> = (
	context: GitContext,
	checkout: C,
	...rest: Rest
) => Promise<T>;

export class GitWorkspaces implements Workspaces, AsyncDisposable {
	readonly #git: GitContext;
	readonly halt: () => void;
	readonly sites: Workspaces["sites"];

	constructor({ home, halt, ...parts }: Omit<GitContext, "layout"> & { home: string; halt?: AbortController }) {
		this.halt = () => halt?.abort();
		this.#git = { ...parts, layout: new Layout(home) };
		this.sites = siteRepositories(this.#git);
	}

	readonly identity: Workspaces["identity"] = agentIdentity;

	readonly openProject: Workspaces["openProject"] = async (request, control = {}) =>
		await openProject(this.#git, request, control);

	readonly problem: Workspaces["problem"] = async (project) =>
		(await repositoryProblem(this.#git.git, project)) ?? (await sandboxProblem(this.#git, project));

	readonly settings: Workspaces["settings"] = async (project, approved = []) =>
		await projectSettings(this.#git, project, approved);

	readonly refresh: Workspaces["refresh"] = async (project, { base, ...control } = {}) => {
		const effective = base === undefined ? await this.settings(project) : { settings: { base } };
		return isRefusal(effective)
			? null
			: await fetchAndFollowOrigin(this.#git, project, effective.settings.base, control);
	};

	readonly warm: Workspaces["warm"] = async (project, control = {}) => await warmProject(this.#git, project, control);

	async gc(project: ProjectRepository, request: GcRequest): Promise<Leftover[]> {
		return await collect(this.#git, project, request);
	}

	readonly space: Workspaces["space"] = async (project) => await spaceOf(this.#git, project);

	readonly runAtCommit: Workspaces["runAtCommit"] = async (project, request, control = {}) =>
		await runAtCommit(this.#git, project, request, control);

	readonly branchTip: Workspaces["branchTip"] = async (project, branch) =>
		await commitOf(this.#git.git, project.path, `refs/heads/${branch}`);

	readonly provision: Workspaces["provision"] = async (request, control = {}) =>
		await provision(this.#git, request, control);

	readonly provisionFrom: Workspaces["provisionFrom"] = async (request, control = {}) => {
		const gone = request.snapshot === undefined ? await treeGone(request.parent) : null;
		if (gone !== null) return gone;
		const begin = await startOf(this.#git, request);
		if (isRefusal(begin)) return begin;
		const build = async (marker: WorkspaceMarker, settings: RepositorySettings) =>
			await fork(this.#git, request, marker, settings, begin, control.signal);
		// its base is the parent's base
		const from = request.from ?? request.parent.workspace.base;
		return await provision(this.#git, { ...request, from }, control, { ...begin, build });
	};

	readonly provisionMoved: Workspaces["provisionMoved"] = async (request, control = {}) => {
		const make = () => this.provisionFrom(asFork(request), control);
		return await whileFetched(this.#git, request, { make, refresh: () => this.refresh(request.project, control) });
	};

	readonly bundle: Workspaces["bundle"] = async (checkout, request) =>
		await makeBundle(this.#git, await this.#kept(checkout), request);

	/** The mounts for processes in a folder; null if they need no sandbox. */
	async mounts(
		project: ProjectRepository,
		folder: string,
		workspace: Workspace | null,
	): Promise<SandboxMounts | null | Refusal> {
		return await mountsFor(this.#git, project, folder, workspace);
	}

	/** Files of a sandboxed workspace that a program of this type would run without asking. */
	async autorunFiles(checkout: Checkout, type: string) {
		const sandboxed = await this.#sandboxed(checkout);
		return sandboxed === null ? "not in a sandbox" : await sandboxedAutorunFiles(this.#git, sandboxed, type);
	}

	/** What has to be known of the files that a sandboxed agent's call names. */
	async checkFiles(checkout: Checkout, check: FileCheck) {
		const sandboxed = await this.#sandboxed(checkout);
		return sandboxed === null ? "not in a sandbox" : await checkFilesSandboxed(this.#git, sandboxed, check);
	}

	readonly health: Workspaces["health"] = async (checkout, seen = { commit: null }) => {
		const inside = await this.#sandboxed(checkout);
		return inside === null ? await healthOf(this.#git, checkout, seen) : await sandboxedHealth(this.#git, inside, seen);
	};

	readonly recover: Workspaces["recover"] = async (checkout, control = {}, accept) => {
		const sandboxed = await this.#sandboxed(checkout);
		if (sandboxed !== null) return await orDamaged(sandboxed, recoverSandboxed(this.#git, sandboxed, control, accept));
		const wanted = checkout.workspace.kind === "main" ? false : await wantsSandbox(this.#git, checkout.project);
		if (typeof wanted !== "boolean") return wanted;
		return wanted ? await convert(this.#git, checkout) : await recoverWorkspace(this.#git, checkout, control, accept);
	};

	readonly release: Workspaces["release"] = async (checkout, control = {}) =>
		await this.#run(goToBranchAndUpdate, releaseSandboxed, checkout, control);

	readonly switchBranch: Workspaces["switchBranch"] = async (checkout, control = {}) =>
		await this.#run(switchBranch, switchSandboxed, checkout, control);

	readonly workTip: Workspaces["workTip"] = async (checkout) => await this.#run(seenTip, sandboxedTip, checkout);

	readonly sync: Workspaces["sync"] = async (checkout, strategy, control = {}) =>
		await this.#run(syncWork, syncSandboxed, checkout, strategy, control);

	readonly branchStatus: Workspaces["branchStatus"] = async (checkout) =>
		await this.#run(branchStatus, sandboxedStatus, checkout);

	readonly uncommitted: Workspaces["uncommitted"] = async (checkout) => {
		const sandboxed = await this.#sandboxed(checkout);
		if (sandboxed !== null) return await sandboxedDirty(this.#git, sandboxed);
		return await orUnreadable(this.#git, [checkout], notCommitted(this.#git, checkout));
	};

	readonly commitsSince: Workspaces["commitsSince"] = async (checkout, seen) =>
		await this.#run(commitsSince, sandboxedCommits, checkout, seen);

	readonly commit: Workspaces["commit"] = async (checkout, request, control = {}) =>
		await this.#run(commitWork, commitSandboxed, checkout, request, control);

	readonly remove = async (checkout: Checkout, request: RemoveRequest = {}): ReturnType<Workspaces["remove"]> =>
		await this.#run(removeWorkspace, removeSandboxed, checkout, request);

	readonly push: Workspaces["push"] = async (checkout) => {
		const sandboxed = await this.#sandboxed(checkout);
		if (sandboxed !== null) return await orDamaged(sandboxed, pushSandboxed(this.#git, sandboxed));
		const { path, branch } = checkout.workspace;
		return (await noTree(checkout)) ?? (await pushBranch(this.#git.git, path, branch));
	};

	readonly diff: Workspaces["diff"] = async (checkout, against) => {
		const sandboxed = await this.#sandboxed(checkout);
		const other = against.kind === "agent" ? await this.#sandboxed(against.checkout) : null;
		if (sandboxed !== null) {
			const target = against.kind === "agent" ? { other: against.checkout, sandboxed: other } : against.kind;
			return await orDamaged(sandboxed, sandboxedDiff(this.#git, sandboxed, target, against.what));
		}
		const read = against.kind === "agent" ? [checkout, against.checkout] : [checkout];
		if (against.kind !== "agent" || other === null)
			return await orUnreadable(this.#git, read, diffOf(this.#git, checkout, against));
		const tree = await orDamaged(other, importTree(this.#git, against.checkout, other));
		if (isRefusal(tree)) return tree;
		const shown = diffAgainstTree(this.#git, checkout, against.checkout, tree, against.what);
		return await orUnreadable(this.#git, [checkout], shown);
	};

	readonly diffOfCommit: Workspaces["diffOfCommit"] = async (project, range) =>
		await diffOfCommit(this.#git, project, range);

	readonly previewMerge: Workspaces["previewMerge"] = async (project, request) =>
		await previewMerge(this.#git, project, request);

	readonly commitsAhead: Workspaces["commitsAhead"] = async (project, range) =>
		await commitsAhead(this.#git, project, range);

	readonly pushCommit: Workspaces["pushCommit"] = async (project, request) =>
		await pushCommit(this.#git, project, request);

	readonly approve: Workspaces["approve"] = async (checkout, request) => {
		const sandboxed = await this.#sandboxed(checkout);
		const look = sandboxed === null ? fromOutside(this.#git, checkout, request) : sandboxedReader(this.#git, sandboxed);
		const approved = orDamaged(checkout, approveWork(this.#git, checkout, request, look));
		return sandboxed === null ? await orUnreadable(this.#git, [checkout], approved) : await approved;
	};

	readonly takeSnapshot: Workspaces["takeSnapshot"] = async (checkout, { reason, turn = null }) => {
		const sandboxed = await this.#sandboxed(checkout);
		if (sandboxed === null) return await take(this.#git, checkout, reason, turn);
		const taken = await keepSandboxed(this.#git, sandboxed, reason, turn);
		if (isRefusal(taken)) throw new Error(taken.message);
		return { ...taken, snapshot: toSnapshot(taken.snapshot) };
	};

	readonly hasSnapshot: Workspaces["hasSnapshot"] = async (checkout, id) =>
		await has(this.#git, await this.#kept(checkout), id);

	readonly snapshots: Workspaces["snapshots"] = async (checkout) => await list(this.#git, await this.#kept(checkout));

	readonly showSnapshot: Workspaces["showSnapshot"] = async (checkout, id, against, what) =>
		await show(this.#git, await this.#kept(checkout), id, against, what);

	readonly restoreSnapshot: Workspaces["restoreSnapshot"] = async (checkout, id) => {
		const sandboxed = await this.#sandboxed(checkout);
		if (sandboxed !== null) {
			const snapshot = await find(this.#git, asKeptInProject(checkout), id);
			return isRefusal(snapshot)
				? snapshot
				: await orDamaged(sandboxed, restoreSandboxed(this.#git, sandboxed, snapshot));
		}
		const restored = await restore(this.#git, checkout, id);
		if (isRefusal(restored)) return restored;
		return await updateResult(this.#git, checkout, true, restoredText(restored.broken), restored.snapshot);
	};

	/** Runs the verb for a sandboxed or for a plain workspace. */
	async #run<Rest extends unknown[], T>(
		outside: Verb<Checkout, Rest, T>,
		inside: Verb<SandboxedCheckout, Rest, T>,
		checkout: Checkout,
		...rest: Rest
	): Promise<T | Refusal> {
		const sandboxed = await this.#sandboxed(checkout);
		return sandboxed === null
			? await orUnreadable(this.#git, [checkout], outside(this.#git, checkout, ...rest))
			: await orDamaged(sandboxed, inside(this.#git, sandboxed, ...rest));
	}

	/** The checkout with its marker, if it is sandboxed; null otherwise. */
	async #sandboxed(checkout: Checkout): Promise<SandboxedCheckout | null> {
		const marker = await sandboxMarkerAt(this.#git, checkout.project, checkout.workspace.path);
		return marker === null ? null : { ...checkout, marker };
	}

	/** The checkout to look up snapshots with. */
	async #kept(checkout: Checkout): Promise<Checkout> {
		return (await this.#sandboxed(checkout)) === null ? checkout : asKeptInProject(checkout);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#git.workers?.[Symbol.asyncDispose]();
	}
}
