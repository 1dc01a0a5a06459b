// The seam to everything that git does for an agent. One implementation stands on git (`adapters/git/workspaces.ts`).
// Every method answers a value or a `Refusal`; it throws only when the world fails (a disk, a broken repository, git
// gone). Nothing that is not committed is ever overwritten or removed without a snapshot that was taken before. Callers
// hold the agent's workspace lease: no method protects one agent's tree from two callers at once. What agents share is
// protected here.

import type { ProjectSlug } from "#contract/ids.ts";
import type { EffectiveSettings } from "#contract/project-config.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { ProjectSpace } from "#contract/space.ts";
import type {
	BranchStatus,
	CommandRun,
	Committed,
	Diff,
	Health,
	HealthIssue,
	Merged,
	Pushed,
	SeenCommit,
	SyncStrategy,
} from "#contract/workspace.ts";
import type { LeaseStep } from "#contract/workspace-step.ts";
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
} from "./workspace-requests.ts";

export interface Workspaces {
	/**
	 * Ends what is being done, however far it is, and refuses all that is asked for later: the daemon stops, and cannot
	 * wait any longer.
	 */
	halt(): void;

	/**
	 * Makes a repository a project. A path must be the root of a git repository, with or without commits; nothing in it
	 * is changed. A URL is cloned as a bare mirror. Calling it again with the same request finds what is there. Refuses
	 * with VALIDATION_ERROR what is no repository's root, no URL, or a URL with a password in it; NOT_FOUND a branch or a
	 * remote that is not there; PATH_EXISTS where the mirror's place is taken.
	 */
	openProject(
		request: { slug: ProjectSlug; source: string; branch?: string },
		control?: StepControl,
	): Promise<OpenedProject | Refusal>;

	/** Why the repository of a project cannot be used, with what to do; null if it can. Never throws. */
	problem(project: ProjectRepository): Promise<HealthIssue | null>;

	/**
	 * Reads the home's and the repository's configuration. Refuses with VALIDATION_ERROR and file:line:column what is
	 * wrong in it.
	 */
	settings(project: ProjectRepository, approved?: readonly string[]): Promise<EffectiveSettings | Refusal>;

	/**
	 * Fetches a mirror and moves its base forward if that loses nothing. Does nothing for a local project. Never throws
	 * because the remote is away.
	 */
	refresh(project: ProjectRepository, control?: StepControl): Promise<{ moved: boolean; error: string | null }>;

	/**
	 * Makes an agent's workspace, completes one that was begun, or finds it done. On failure nothing is left of what it
	 * made, and nothing is touched that it did not make. Refuses with PATH_EXISTS what stands in the way, NOT_FOUND an
	 * unknown branch, VALIDATION_ERROR a bad name or configuration, CONFLICT a setup command that fails or is not
	 * approved yet. Never fails because of a shared path.
	 */
	provision(request: ProvisionRequest, control?: StepControl): Promise<Provisioned | Refusal>;

	/**
	 * The same, with the tree, the index and the HEAD of another agent. The setup command runs unless what git ignores
	 * came along as well; if it fails, or is not approved, the tree is there all the same, and a note says so. Also
	 * refuses with SNAPSHOT_GONE and SNAPSHOT_INCOMPLETE.
	 */
	provisionFrom(request: ForkRequest, control?: StepControl): Promise<Provisioned | Refusal>;

	/**
	 * What the agent's process needs in its environment so that its commits carry its name; nothing of it is in the
	 * repository's configuration.
	 */
	identity(agent: AgentIdentity): Readonly<Record<string, string>>;

	/** Looks at everything and repairs nothing. Never throws because the workspace is damaged: that is an issue. */
	health(checkout: Checkout, seen?: { commit: string | null }): Promise<Health>;

	/**
	 * Takes a snapshot, then cleans the tree, goes home and links again; makes a tree anew that is gone. `main` is only
	 * moved forward, and refused with WORKTREE_DIRTY or CONFLICT when dirty or ahead. Refuses with SNAPSHOT_INCOMPLETE
	 * where cleaning would lose what the snapshot could not hold. With `accept`, a tree that nothing is wrong with is
	 * left as it is: one that only drifted (a commit that was `seen` and that the branch lost is kept), or one that the
	 * daemon died at; after a `step` that writes files these have to be those of HEAD.
	 */
	recover(
		checkout: Checkout,
		control?: StepControl,
		accept?: { seen: string | null; step?: LeaseStep },
	): Promise<MoveResult | Refusal>;

	/**
	 * Goes to the agent's branch and, if it has nothing that base lacks, to base. Refuses with WORKTREE_DIRTY; never
	 * cleans.
	 */
	release(checkout: Checkout, control?: StepControl): Promise<MoveResult | Refusal>;

	/**
	 * Goes to another branch, which the checkout names as its own: the local one, else origin's, else a new one from base.
	 * Refuses as `release`.
	 */
	enter(checkout: Checkout, control?: StepControl): Promise<MoveResult | Refusal>;

	/** Runs a command in a scratch tree of a commit, with what agents share. The tree is gone afterwards. */
	runAtCommit(
		project: ProjectRepository,
		request: { commit: string; command: string },
		control?: StepControl,
	): Promise<CommandRun | Refusal>;

	/** The commit that a branch of the project is on; null if there is no such branch. */
	tipOf(project: ProjectRepository, branch: string): Promise<string | null>;
	/** The one that the agent's own branch is on, brought into the project's repository first; null if there is none. */
	workTip(checkout: Checkout): Promise<string | null | Refusal>;

	/**
	 * Brings base into the agent's branch. Refuses with WORKTREE_DIRTY, MERGE_CONFLICT (files named), CONFLICT (ff is not
	 * possible); after a refusal the tree is as it was.
	 */
	sync(checkout: Checkout, strategy: SyncStrategy, control?: StepControl): Promise<MoveResult | Refusal>;

	/** Ahead, behind, dirty. Refuses with NOT_FOUND when the tree or the branch is gone. */
	branchStatus(checkout: Checkout): Promise<BranchStatus | Refusal>;

	/** The commits on the agent's branch since the one that was last seen, oldest first. */
	commitsSince(checkout: Checkout, seen: string | null): Promise<SeenCommit[] | Refusal>;

	/**
	 * Commits in the agent's name, with its trailers. Refuses with AGENT_NO_COMMIT when there is nothing to commit,
	 * MERGE_CONFLICT while files are in conflict, TOO_LARGE with the files over the limit, VALIDATION_ERROR a path
	 * outside, CONFLICT when HEAD is not on the agent's branch.
	 */
	commit(checkout: Checkout, request: CommitRequest, control?: StepControl): Promise<Committed | Refusal>;

	/** Everything that differs, untracked files included. Writes nothing that anybody sees. */
	diff(checkout: Checkout, against: DiffTarget): Promise<Diff | Refusal>;

	/** Pushes the agent's branch to `origin`, never by force. A remote that says no is an answer. */
	push(checkout: Checkout): Promise<Pushed | Refusal>;

	/**
	 * Merges the reviewed commit into base. Refuses with CONFLICT when the branch has moved on, base moved meanwhile, ff
	 * is not possible, or the check fails; AGENT_NO_COMMIT; WORKTREE_DIRTY (the agent's tree, or the person's checkout of
	 * base); MERGE_CONFLICT with the files. After a refusal everything is as it was. Called again after a crash it
	 * answers the merge that had happened.
	 */
	approve(checkout: Checkout, request: ApproveRequest): Promise<Merged | Refusal>;

	/**
	 * Takes a snapshot, moves the folder into the trash and forgets the worktree. Refuses with WORKTREE_DIRTY and
	 * CONFLICT (not merged) unless forced; `main` always with CONFLICT. A workspace that is gone already is no failure.
	 */
	remove(checkout: Checkout, request: RemoveRequest): Promise<Removed | Refusal>;

	/**
	 * Frees what has expired and packs what is loose, with the reason for each; with `dryRun` only says so. Never removes
	 * an object from a repository that is not ours, nor from one that others borrow from.
	 */
	gc(project: ProjectRepository, request: GcRequest): Promise<Leftover[]>;
	/** What the project takes on the disk. */
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
	 * Records the tree; answers the last one again, not `fresh`, if nothing changed since. Costs the same however many
	 * there are.
	 */
	takeSnapshot(
		checkout: Checkout,
		why: { reason: string; turn?: number },
	): Promise<{ snapshot: Snapshot; fresh: boolean }>;
	hasSnapshot(checkout: Checkout, id: string): Promise<boolean>;
	/** Newest first. */
	snapshots(checkout: Checkout): Promise<Snapshot[]>;
	/** Refuses with SNAPSHOT_GONE. */
	showSnapshot(checkout: Checkout, id: string): Promise<Diff | Refusal>;
	/**
	 * Puts the tree back as it was, after a snapshot of what it is. Refuses with SNAPSHOT_GONE and SNAPSHOT_INCOMPLETE,
	 * and `main` always with CONFLICT.
	 */
	restoreSnapshot(checkout: Checkout, id: string): Promise<MoveResult | Refusal>;
}
