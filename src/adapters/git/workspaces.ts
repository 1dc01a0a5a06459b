// Workspaces on git: one method for each verb of the port, each verb in a file of its own.
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { EffectiveSettings, ProjectSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { ProjectSpace } from "#contract/space.ts";
import type {
	BranchStatus,
	Committed,
	Diff,
	Health,
	HealthIssue,
	Merged,
	Pushed,
	SeenCommit,
	SyncStrategy,
	Workspace,
	WorkspaceMark,
} from "#contract/workspace.ts";
import type {
	AgentIdentity,
	ApproveRequest,
	Checkout,
	CommitRequest,
	DiffTarget,
	ForkRequest,
	GcRequest,
	Leftover,
	MoveResult,
	OpenedProject,
	ProjectRepository,
	Provisioned,
	ProvisionRequest,
	Removed,
	RemoveRequest,
	Snapshot,
	StepControl,
} from "#engine/ports/workspace-requests.ts";
import type { Workspaces } from "#engine/ports/workspaces.ts";
import { Layout } from "./layout/layout.ts";
import { approveWork, fromOutside } from "./project/approve.ts";
import { enterBranch, runAtCommit } from "./project/branch.ts";
import { fork, startOf } from "./project/fork.ts";
import { openProject, refreshProject } from "./project/project.ts";
import { provision } from "./project/provision.ts";
import { warmProject } from "./project/warm.ts";
import { commitOf } from "./run/user-input.ts";
import type { SandboxedCheckout } from "./sandbox/ask.ts";
import { convert, recoverSandboxed, removeSandboxed } from "./sandbox/end.ts";
import { findSandboxedSnapshot, inProject } from "./sandbox/make.ts";
import {
	areInsideOwn,
	commitSandboxed,
	enterSandboxed,
	keepSandboxed,
	pushSandboxed,
	releaseSandboxed,
	restoreSandboxed,
	sandboxedAutorunFiles,
	sandboxedCommits,
	sandboxedDiff,
	sandboxedDirty,
	sandboxedHealth,
	sandboxedStatus,
	sandboxedTip,
	syncSandboxed,
	treeIn,
} from "./sandbox/verbs.ts";
import { withBroken } from "./tree/mend-index.ts";
import { collect } from "./upkeep/gc.ts";
import { spaceOf } from "./upkeep/space.ts";
import { branchStatus, commitsSince, treeGone } from "./verbs/branch-status.ts";
import { commitWork } from "./verbs/commit.ts";
import { diffAgainstTree, diffOf } from "./verbs/diff.ts";
import { healthOf } from "./verbs/health.ts";
import { release } from "./verbs/home.ts";
import { pushBranch } from "./verbs/push.ts";
import { type Accept, recover } from "./verbs/recover.ts";
import { removeWorkspace } from "./verbs/remove.ts";
import { repositoryProblem } from "./verbs/repository-problem.ts";
import { moveResult, syncWork } from "./verbs/sync.ts";
import { orDamaged } from "./worker/faults.ts";
import { type GitContext, identityOf, seenTip } from "./workspace/git-context.ts";
import { has, list, restore, show, take, toSnapshot } from "./workspace/keep.ts";
import { mountsFor, sandboxMarkAt, sandboxTrouble, wantsSandbox } from "./workspace/sandbox-mounts.ts";
import { settingsOf } from "./workspace/settings.ts";

export class GitWorkspaces implements Workspaces, AsyncDisposable {
	readonly #git: GitContext;
	readonly halt: () => void;

	constructor({ home, halt, ...parts }: Omit<GitContext, "layout"> & { home: string; halt?: AbortController }) {
		this.halt = () => halt?.abort();
		this.#git = { ...parts, layout: new Layout(home) };
	}

	async openProject(
		request: { slug: ProjectSlug; source: string; branch?: string },
		control: StepControl = {},
	): Promise<OpenedProject | Refusal> {
		return await openProject(this.#git, request, control);
	}

	async problem(project: ProjectRepository): Promise<HealthIssue | null> {
		return (await repositoryProblem(this.#git.git, project)) ?? (await this.#sandboxTrouble(project));
	}

	async settings(project: ProjectRepository, approved: readonly string[] = []): Promise<EffectiveSettings | Refusal> {
		return await settingsOf(this.#git, project, approved);
	}

	async refresh(
		project: ProjectRepository,
		control: StepControl = {},
	): Promise<{ moved: boolean; error: string | null }> {
		const effective = await this.settings(project);
		return isRefusal(effective)
			? { moved: false, error: effective.message }
			: await refreshProject(this.#git, project, effective.settings.base, control);
	}

	async provision(request: ProvisionRequest, control: StepControl = {}): Promise<Provisioned | Refusal> {
		return await provision(this.#git, request, control);
	}

	async provisionFrom(request: ForkRequest, control: StepControl = {}): Promise<Provisioned | Refusal> {
		const gone = request.snapshot === undefined ? await treeGone(request.parent) : null;
		if (gone !== null) return gone;
		const begin = await startOf(this.#git, request);
		if (isRefusal(begin)) return begin;
		const build = async (mark: WorkspaceMark, settings: ProjectSettings) =>
			await fork(this.#git, request, mark, settings, begin, control.signal);
		// its work is measured against what its parent's is
		const from = request.from ?? request.parent.workspace.base;
		return await provision(this.#git, { ...request, from }, control, { ...begin, build });
	}

	/** What may be seen and changed from inside a folder, if its project wants a sandbox. */
	async mounts(
		project: ProjectRepository,
		folder: string,
		workspace: Workspace | null,
	): Promise<SandboxMounts | null | Refusal> {
		return await mountsFor(this.#git, project, folder, workspace);
	}

	/**
	 * What a workspace in a sandbox brings that a program of this type would run by itself; any other can be looked at
	 * from outside.
	 */
	async autorunFiles(
		checkout: Checkout,
		type: string,
	): Promise<{ files: string[]; fingerprint: string } | null | "not in a sandbox"> {
		const own = await this.#own(checkout);
		return own === null ? "not in a sandbox" : await sandboxedAutorunFiles(this.#git, own, type);
	}

	/** Whether all of these files are its own to change, for a workspace in a sandbox. */
	async areInside(checkout: Checkout, places: readonly string[]): Promise<boolean | "not in a sandbox"> {
		const own = await this.#own(checkout);
		return own === null ? "not in a sandbox" : await areInsideOwn(this.#git, own, places);
	}

	identity(agent: AgentIdentity): Readonly<Record<string, string>> {
		return identityOf(agent);
	}

	async health(checkout: Checkout, seen: { commit: string | null } = { commit: null }): Promise<Health> {
		const own = await this.#own(checkout);
		return own === null ? await healthOf(this.#git, checkout, seen) : await sandboxedHealth(this.#git, own, seen);
	}

	async recover(checkout: Checkout, control: StepControl = {}, accept?: Accept): Promise<MoveResult | Refusal> {
		const own = await this.#own(checkout);
		if (own !== null) return await orDamaged(own, recoverSandboxed(this.#git, own, control, accept));
		const locked = checkout.workspace.kind === "main" ? false : await wantsSandbox(this.#git, checkout.project);
		if (typeof locked !== "boolean") return locked;
		return locked ? await convert(this.#git, checkout) : await recover(this.#git, checkout, control, accept);
	}

	async release(checkout: Checkout, control: StepControl = {}): Promise<MoveResult | Refusal> {
		const own = await this.#own(checkout);
		return own === null
			? await release(this.#git, checkout, control)
			: await orDamaged(own, releaseSandboxed(this.#git, own, control));
	}

	async enter(checkout: Checkout, control: StepControl = {}): Promise<MoveResult | Refusal> {
		const own = await this.#own(checkout);
		return own === null
			? await enterBranch(this.#git, checkout, control)
			: await orDamaged(own, enterSandboxed(this.#git, own, control));
	}

	async runAtCommit(
		project: ProjectRepository,
		request: { commit: string; command: string },
		control: StepControl = {},
	): ReturnType<Workspaces["runAtCommit"]> {
		return await runAtCommit(this.#git, project, request, control);
	}

	async tipOf(project: ProjectRepository, branch: string): Promise<string | null> {
		return await commitOf(this.#git.git, project.path, `refs/heads/${branch}`);
	}

	async workTip(checkout: Checkout): Promise<string | null | Refusal> {
		const own = await this.#own(checkout);
		return own === null ? await seenTip(this.#git, checkout) : await orDamaged(own, sandboxedTip(this.#git, own));
	}

	async sync(checkout: Checkout, strategy: SyncStrategy, control: StepControl = {}): Promise<MoveResult | Refusal> {
		const own = await this.#own(checkout);
		return own === null
			? await syncWork(this.#git, checkout, strategy, control)
			: await orDamaged(own, syncSandboxed(this.#git, own, strategy, control));
	}

	async branchStatus(checkout: Checkout): Promise<BranchStatus | Refusal> {
		const own = await this.#own(checkout);
		return own === null
			? await branchStatus(this.#git, checkout)
			: await orDamaged(own, sandboxedStatus(this.#git, own));
	}

	async commitsSince(checkout: Checkout, seen: string | null): Promise<SeenCommit[] | Refusal> {
		const own = await this.#own(checkout);
		return own === null
			? await commitsSince(this.#git, checkout, seen)
			: await orDamaged(own, sandboxedCommits(this.#git, own, seen));
	}

	async commit(checkout: Checkout, request: CommitRequest, control: StepControl = {}): Promise<Committed | Refusal> {
		const own = await this.#own(checkout);
		return own === null
			? await commitWork(this.#git, checkout, request, control)
			: await orDamaged(own, commitSandboxed(this.#git, own, request, control));
	}

	async diff(checkout: Checkout, against: DiffTarget): Promise<Diff | Refusal> {
		const own = await this.#own(checkout);
		if (against.kind !== "agent")
			return own === null
				? await diffOf(this.#git, checkout, against)
				: await orDamaged(own, sandboxedDiff(this.#git, own, against.kind));
		const other = await this.#own(against.checkout);
		if (own !== null)
			return await orDamaged(own, sandboxedDiff(this.#git, own, { other: against.checkout, own: other }));
		if (other === null) return await diffOf(this.#git, checkout, against);
		const tree = await orDamaged(other, treeIn(this.#git, against.checkout, other));
		return isRefusal(tree) ? tree : await diffAgainstTree(this.#git, checkout, against.checkout, tree);
	}

	async push(checkout: Checkout): Promise<Pushed | Refusal> {
		const own = await this.#own(checkout);
		if (own !== null) return await orDamaged(own, pushSandboxed(this.#git, own));
		return (
			(await treeGone(checkout)) ??
			(await pushBranch(this.#git.git, checkout.workspace.path, checkout.workspace.branch))
		);
	}

	async approve(checkout: Checkout, request: ApproveRequest): Promise<Merged | Refusal> {
		const own = await this.#own(checkout);
		const look =
			own === null
				? fromOutside(this.#git, checkout)
				: {
						dirty: (commit: string) => sandboxedDirty(this.#git, own, commit),
						tip: () => sandboxedTip(this.#git, own),
					};
		return await orDamaged(checkout, approveWork(this.#git, checkout, request, look));
	}

	async remove(checkout: Checkout, request: RemoveRequest = {}): Promise<Removed | Refusal> {
		const own = await this.#own(checkout);
		return own === null
			? await removeWorkspace(this.#git, checkout, request)
			: await orDamaged(own, removeSandboxed(this.#git, own, request));
	}

	async gc(project: ProjectRepository, request: GcRequest): Promise<Leftover[]> {
		return await collect(this.#git, project, request);
	}

	async space(project: ProjectRepository): Promise<ProjectSpace> {
		return await spaceOf(this.#git, project);
	}

	async warm(project: ProjectRepository, control: StepControl = {}): ReturnType<Workspaces["warm"]> {
		return await warmProject(this.#git, project, control);
	}

	async takeSnapshot(
		checkout: Checkout,
		{ reason, turn }: { reason: string; turn?: number },
	): Promise<{ snapshot: Snapshot; fresh: boolean }> {
		const own = await this.#own(checkout);
		if (own === null) return await take(this.#git, checkout, reason, turn ?? null);
		const taken = await keepSandboxed(this.#git, own, { reason, turn: turn ?? null });
		if (isRefusal(taken)) throw new Error(taken.message);
		return { ...taken, snapshot: toSnapshot(taken.snapshot) };
	}

	async hasSnapshot(checkout: Checkout, id: string): Promise<boolean> {
		return await has(this.#git, await this.#kept(checkout), id);
	}

	async snapshots(checkout: Checkout): Promise<Snapshot[]> {
		return await list(this.#git, await this.#kept(checkout));
	}

	async showSnapshot(checkout: Checkout, id: string): Promise<Diff | Refusal> {
		return await show(this.#git, await this.#kept(checkout), id);
	}

	async restoreSnapshot(checkout: Checkout, id: string): Promise<MoveResult | Refusal> {
		const own = await this.#own(checkout);
		if (own !== null) {
			const snapshot = await findSandboxedSnapshot(this.#git, checkout, id);
			return isRefusal(snapshot) ? snapshot : await orDamaged(own, restoreSandboxed(this.#git, own, snapshot));
		}
		const restored = await restore(this.#git, checkout, id);
		if (isRefusal(restored)) return restored;
		return await moveResult(
			this.#git,
			checkout,
			true,
			`${withBroken("Your files were put back as a snapshot has them", restored.broken)}.`,
			restored.snapshot,
		);
	}

	async #sandboxTrouble(project: ProjectRepository): Promise<HealthIssue | null> {
		const text = await sandboxTrouble(this.#git, project);
		return text === null
			? null
			: { code: "PROJECT_GONE", text, fix: `cat ${project.path}/.git/objects/info/alternates` };
	}

	/** With the mark that says that its git folder is its own; null for any other, which is looked at from outside. */
	async #own(checkout: Checkout): Promise<SandboxedCheckout | null> {
		const mark = await sandboxMarkAt(this.#git, checkout.project, checkout.workspace.path);
		return mark === null ? null : { ...checkout, mark };
	}

	/** As whoever looks for its snapshots has to know it. */
	async #kept(checkout: Checkout): Promise<Checkout> {
		return (await this.#own(checkout)) === null ? checkout : inProject(checkout);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#git.workers?.[Symbol.asyncDispose]();
	}
}
