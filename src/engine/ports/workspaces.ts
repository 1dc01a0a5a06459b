// The port for everything that git does for an agent, implemented in `adapters/git/workspaces.ts`. Every method returns
// a value or a `Refusal`; it throws only on a fault (a disk, a broken repository, no git). Uncommitted work is never
// overwritten or removed without a snapshot first. Each verb that changes the tree takes a lease before it calls: no
// method protects an agent's tree from two callers at once. Reads take none. What agents share is protected here.
import type { HomeNodeBase } from "#contract/project.ts";
import type { EffectiveSettings, SharedConfig } from "#contract/project-config.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { ProjectSpace } from "#contract/space.ts";
import type { Leftover, UpdateResult } from "#contract/wire.ts";
import type {
	BranchStatus,
	CommandRun,
	Committed,
	Diff,
	Health,
	HealthProblem,
	Merged,
	MergePreview,
	Pushed,
	RemoteStatus,
	SyncStrategy,
	UnseenCommit,
} from "#contract/workspace.ts";
import type { LeaseStep } from "#contract/workspace-step.ts";
import type {
	AgentIdentity,
	ApproveRequest,
	BundleRequest,
	Checkout,
	CommitRange,
	CommitRequest,
	CommitsAhead,
	DiffExtent,
	DiffTarget,
	FollowedBase,
	ForkRequest,
	GcRequest,
	HomeNodeBaseRequest,
	HomeNodeCommits,
	MovedRequest,
	OpenedProject,
	OpenRequest,
	PreviewRequest,
	ProjectRepository,
	Provisioned,
	ProvisionRequest,
	Removed,
	RemoveRequest,
	SnapshotState,
	StepControl,
} from "./workspace-requests.ts";

/** A project's repositories at several nodes. */
export interface SiteRepositories {
	/**
	 * The commits that a repository begins at, some if there are many; or those of base as this node and its remote know
	 * it.
	 */
	knownCommits(project: ProjectRepository, of: "roots" | { base: string }): Promise<string[]>;
	/** What this home's file says, if it were the home node's; null without a file. Refuses mistakes in it. */
	ownConfig(project: ProjectRepository): Promise<SharedConfig | null | Refusal>;
	/** Of the project's configuration in Brood's home; null if there is none. */
	configDigest(project: ProjectRepository): Promise<string | null>;
	/**
	 * The base of this repository, at the project's home node, for another node. Refuses with TOO_LARGE, and NOT_FOUND
	 * without such a branch.
	 */
	homeNodeBase(project: ProjectRepository, request: HomeNodeBaseRequest): Promise<HomeNodeBase | Refusal>;
	/** Takes in the base of the project's home node beside ours; its `.brood.yaml` counts from then on. */
	fetchHomeBase(project: ProjectRepository, base: string, home: HomeNodeCommits): Promise<Refusal | null>;
	/** The same; ours moves forward if nothing is lost by that. */
	follow(project: ProjectRepository, base: string, home: HomeNodeCommits): Promise<FollowedBase | Refusal>;
}

export interface Workspaces {
	readonly sites: SiteRepositories;

	/** Aborts every running step and refuses later ones: the daemon stops and cannot wait any longer. */
	halt(): void;

	/**
	 * Makes a repository a project. A path must be the root of a git repository, with or without commits; nothing in it
	 * is changed. A URL is cloned as a bare repository. Calling it again with the same request finds what is there.
	 * Refuses with VALIDATION_ERROR what is neither a repository's root nor a URL, or a URL with a password in it;
	 * NOT_FOUND a branch or a remote that is not there; PATH_EXISTS where the clone's path is taken; CONFLICT a
	 * repository that is a project already.
	 */
	openProject(request: OpenRequest, control?: StepControl): Promise<OpenedProject | Refusal>;

	/** Why the repository of a project cannot be used, with what to do; null if it can. Never throws. */
	problem(project: ProjectRepository): Promise<HealthProblem | null>;

	/**
	 * Reads the home's and the repository's configuration. Refuses mistakes in it with VALIDATION_ERROR and
	 * file:line:column.
	 */
	settings(project: ProjectRepository, approved?: readonly string[]): Promise<EffectiveSettings | Refusal>;

	/**
	 * Fetches `origin`, if there is one, and says how base stands against it; the base of a bare clone moves forward if
	 * that loses nothing. A remote that is away, or slow, is part of the answer.
	 */
	refresh(project: ProjectRepository, control?: StepControl & { base?: string }): Promise<RemoteStatus | null>;

	/**
	 * Makes an agent's workspace, or completes one that a crash left half made. After a failure it leaves nothing that
	 * it made, and has touched nothing else. Refuses with PATH_EXISTS, with NOT_FOUND for an unknown branch,
	 * VALIDATION_ERROR for a bad name or configuration, CONFLICT if the setup command fails or is not approved yet.
	 * Never fails because of a shared path.
	 */
	provision(request: ProvisionRequest, control?: StepControl): Promise<Provisioned | Refusal>;

	/**
	 * The same, with the tree, the index and the HEAD of another agent. The setup command runs unless the ignored files
	 * were copied too; if it fails or is not approved, the tree is still made and a note says so. Also refuses with
	 * SNAPSHOT_GONE and SNAPSHOT_INCOMPLETE.
	 */
	provisionFrom(request: ForkRequest, control?: StepControl): Promise<Provisioned | Refusal>;

	/**
	 * The same from bundles of another node, with the files, the index and the HEAD of a snapshot. Refuses also with
	 * CONFLICT.
	 */
	provisionMoved(request: MovedRequest, control?: StepControl): Promise<Provisioned | Refusal>;

	/** A git bundle of a snapshot and of the agent's branch, as text. Refuses with SNAPSHOT_GONE and TOO_LARGE. */
	bundle(
		checkout: Checkout,
		request: BundleRequest,
	): Promise<{ text: string; bytes: number; commit: string } | Refusal>;

	/** The environment in which the agent's commits carry its name. None of it is in the repository's configuration. */
	identity(agent: AgentIdentity): Readonly<Record<string, string>>;

	/** Checks everything and repairs nothing. Never throws because the workspace is damaged: that is a finding. */
	health(checkout: Checkout, seen?: { commit: string | null }): Promise<Health>;

	/**
	 * Takes a snapshot, then cleans the tree, checks out the agent's branch and restores links; makes the tree again if
	 * it is gone. `main` is only fast-forwarded, and refused with WORKTREE_DIRTY or CONFLICT when dirty or ahead.
	 * Refuses with SNAPSHOT_INCOMPLETE where cleaning would lose what the snapshot could not hold. With `accept`, a tree
	 * without problems is left as it is: one that only drifted (a `seen` commit that the branch lost is kept), or one in
	 * which the daemon died; after a `step` that writes files they have to match HEAD.
	 */
	recover(
		checkout: Checkout,
		control?: StepControl,
		accept?: { seen: string | null; step?: LeaseStep },
	): Promise<UpdateResult | Refusal>;

	/**
	 * Checks out the agent's branch and moves it to base if it has no commit that base lacks. Refuses with
	 * WORKTREE_DIRTY; never cleans.
	 */
	release(checkout: Checkout, control?: StepControl): Promise<UpdateResult | Refusal>;

	/**
	 * Checks out another branch, which the agent works on from then on: the local one, else origin's, else a new one from
	 * base. Refuses like `release`.
	 */
	switchBranch(checkout: Checkout, control?: StepControl): Promise<UpdateResult | Refusal>;

	/** Runs a command in a scratch tree of a commit, with the shared paths. The tree is removed afterwards. */
	runAtCommit(
		project: ProjectRepository,
		request: { commit: string; command: string },
		control?: StepControl,
	): Promise<CommandRun | Refusal>;

	/** The commit of a project's branch; null if there is no such branch. */
	branchTip(project: ProjectRepository, branch: string): Promise<string | null>;
	/** The commit of the agent's branch, fetched into the project's repository first; null if there is none. */
	workTip(checkout: Checkout): Promise<string | null | Refusal>;

	/**
	 * Brings base into the agent's branch. Refuses with WORKTREE_DIRTY, MERGE_CONFLICT (files named), CONFLICT (ff is not
	 * possible); after a refusal the tree is as it was.
	 */
	sync(checkout: Checkout, strategy: SyncStrategy, control?: StepControl): Promise<UpdateResult | Refusal>;

	/** Ahead, behind, uncommitted. Refuses with NOT_FOUND if the tree is gone; without a branch, `head` is null. */
	branchStatus(checkout: Checkout): Promise<BranchStatus | Refusal>;

	/** WORKTREE_DIRTY with what is not committed, or null. */
	uncommitted(checkout: Checkout): Promise<Refusal | null>;

	/** The commits on the agent's branch since the last seen one, oldest first. */
	commitsSince(checkout: Checkout, seen: string | null): Promise<UnseenCommit[] | Refusal>;

	/**
	 * Commits in the agent's name, with its trailers. Refuses with AGENT_NO_COMMIT when there is nothing to commit,
	 * MERGE_CONFLICT while files are in conflict, TOO_LARGE with the files over the limit, VALIDATION_ERROR a path
	 * outside, CONFLICT when HEAD is not on the agent's branch.
	 */
	commit(checkout: Checkout, request: CommitRequest, control?: StepControl): Promise<Committed | Refusal>;

	/** All differences, untracked files included. Writes nothing outside scratch files. */
	diff(checkout: Checkout, against: DiffTarget): Promise<Diff | Refusal>;

	/** Pushes the agent's branch to `origin`, never by force. A rejection by the remote is an answer, not a fault. */
	push(checkout: Checkout): Promise<Pushed | Refusal>;

	/** What a commit of the project changes since it left base. Refuses with NOT_FOUND a commit that is not there. */
	diffOfCommit(project: ProjectRepository, range: CommitRange): Promise<Diff | Refusal>;
	/** Computes a merge without moving anything. Refuses like `diffOfCommit`. */
	previewMerge(project: ProjectRepository, request: PreviewRequest): Promise<MergePreview | Refusal>;
	/** The commits that base lacks, and the addresses of the project's remotes. Refuses like `diffOfCommit`. */
	commitsAhead(project: ProjectRepository, range: CommitRange): Promise<CommitsAhead | Refusal>;
	/** Pushes a commit of the project to a branch of `origin`, never by force. A rejection is an answer, not a fault. */
	pushCommit(project: ProjectRepository, request: { branch: string; commit: string }): Promise<Pushed>;

	/**
	 * Merges the reviewed commit into base. Refuses with CONFLICT when the branch has moved on, base moved meanwhile, ff
	 * is not possible, or the check fails; AGENT_NO_COMMIT; WORKTREE_DIRTY (the agent's tree, or the person's checkout of
	 * base); MERGE_CONFLICT with the files. After a refusal everything is as it was. Called again after a crash it
	 * answers the merge that had happened.
	 */
	approve(checkout: Checkout, request: ApproveRequest): Promise<Merged | Refusal>;

	/**
	 * Takes a snapshot, moves the folder into the trash and forgets the worktree. Refuses with WORKTREE_DIRTY and
	 * CONFLICT (not merged) unless forced; `main` always with CONFLICT. A workspace that is gone already is not a
	 * failure.
	 */
	remove(checkout: Checkout, request: RemoveRequest): Promise<Removed | Refusal>;

	/**
	 * Deletes what has expired and packs loose objects, with a reason for each; `dryRun` only lists them. From a
	 * person's repository it removes only objects of expired snapshots, and none that somebody may still borrow.
	 */
	gc(project: ProjectRepository, request: GcRequest): Promise<Leftover[]>;
	/** The project's disk usage. */
	space(project: ProjectRepository): Promise<ProjectSpace>;

	/**
	 * Fills `primary/` from base with the setup command, if it is not filled for base's lockfiles already. Refuses as
	 * `provision`.
	 */
	warm(
		project: ProjectRepository,
		control?: StepControl,
	): Promise<{ path: string; commit: string | null; filled: boolean; setup: CommandRun | null } | Refusal>;

	/**
	 * Records the tree; returns the last snapshot, not `fresh`, if nothing changed since. Takes the same time however
	 * many snapshots there are.
	 */
	takeSnapshot(
		checkout: Checkout,
		why: { reason: string; turn?: number },
	): Promise<{ snapshot: SnapshotState; fresh: boolean }>;
	hasSnapshot(checkout: Checkout, id: string): Promise<boolean>;
	/** Newest first. */
	snapshots(checkout: Checkout): Promise<SnapshotState[]>;
	/**
	 * From the commit that it was taken on, from another snapshot of the agent, or with `start` from the commit at which
	 * the agent's branch began. Refuses with SNAPSHOT_GONE.
	 */
	showSnapshot(checkout: Checkout, id: string, against?: string, what?: DiffExtent): Promise<Diff | Refusal>;
	/**
	 * Restores the tree of a snapshot, after taking one of the present tree. Refuses with SNAPSHOT_GONE and
	 * SNAPSHOT_INCOMPLETE, and `main` always with CONFLICT.
	 */
	restoreSnapshot(checkout: Checkout, id: string): Promise<UpdateResult | Refusal>;
}
