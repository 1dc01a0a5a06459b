// What workspaces are asked for, and what they answer with.
import type { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import type { BranchStatus, CommandRun, MergeStrategy, Workspace, WorkspaceKind } from "#contract/workspace.ts";

/** A project as its row has it: `path` is the root of a repository, or the bare mirror in the home. */
export interface ProjectRepository {
	slug: ProjectSlug;
	path: string;
	/**
	 * the branch that it was added with; the home's configuration ranks above it, the repository's default branch below
	 */
	base?: string | null;
}

export type AgentIdentity = { id: AgentId; handle: Handle };

/** An agent in its workspace, as git steps need it. */
export interface Checkout {
	project: ProjectRepository;
	agent: AgentIdentity;
	workspace: Workspace;
}

/** How a long step reports its output, gets its environment and is stopped. */
export interface StepControl {
	/** each line that the project's own commands print, as it comes */
	line?(text: string): void;
	/** of the agent's process, for the project's own commands */
	environment?: Readonly<Record<string, string>>;
	signal?: AbortSignal;
	/** fingerprints of repository configuration that somebody agreed to */
	approved?: readonly string[];
	/**
	 * told where the branch is, and waited for, right before what cannot be taken back; `begun` is what it was told
	 * before a crash
	 */
	begin?(place: { head: string | null }): Promise<void>;
	begun?: { head: string | null };
}

export interface OpenedProject {
	path: string;
	base: string;
	/** where it was cloned from; null for a local one */
	url: string | null;
}

export interface ProvisionRequest {
	project: ProjectRepository;
	agent: AgentIdentity;
	kind: WorkspaceKind;
	/** a branch of the project; if absent the project's base, and for a fork its parent's */
	from?: string;
}

/** The parent's tree as it is, or as a snapshot of it was. */
export interface ForkRequest extends ProvisionRequest {
	parent: Checkout;
	snapshot?: string;
}

export interface Provisioned {
	workspace: Workspace;
	head: string | null;
	/** what was linked, copied or left, and why; never a reason to fail */
	shared: { path: string; done: "linked" | "copied" | "left"; reason: string | null }[];
	setup: CommandRun | null;
	/** everything had been there already */
	found: boolean;
	/** a fork only: what did not come along, and why */
	missing: { path: string; reason: string }[];
	/** sentences for the agent about what is not as it would expect it */
	notes: string[];
}

/** The state of a workspace after a sync, release, recover or restore. */
export interface MoveResult {
	branchStatus: BranchStatus;
	/** the branch or its files moved */
	moved: boolean;
	/** taken first, where there was something to save */
	snapshot: string | null;
	/** one sentence for the agent: what changed under it */
	text: string;
}

export interface CommitRequest {
	message: string;
	/** inside the tree; everything that is not ignored if absent */
	paths?: readonly string[];
	turn?: number;
	stage?: string;
}

/** `base` is measured from where the branch left it. */
export type DiffTarget = { kind: "base" } | { kind: "index" } | { kind: "agent"; checkout: Checkout };

export interface ApproveRequest extends StepControl {
	/** the commit that was reviewed */
	commit: string;
	/** the project's setting if absent */
	strategy?: MergeStrategy;
	/** of the merge or squash commit; made from the branch and its commits if absent */
	message?: string;
}

export interface RemoveRequest extends StepControl {
	/** skips the checks, never the snapshot */
	force?: boolean;
	/** the branch too */
	branch?: boolean;
	/** commits of the branch that are known to have been merged in another form */
	merged?: readonly string[];
}

export interface Removed {
	/** the folder's place in the trash; null if there was none to move */
	trash: string | null;
	snapshot: string | null;
	branchRemoved: boolean;
	teardown: CommandRun | null;
}

export interface Leftover {
	what: "trash" | "snapshot" | "scratch" | "clone" | "borrow" | "unknown" | "ref" | "objects";
	name: string;
	bytes: number;
	reason: string;
	/** false for what is only shown: nobody knows enough about it to free it */
	freed: boolean;
}

export interface GcRequest extends Pick<StepControl, "signal"> {
	dryRun: boolean;
	/** agents whose workspace is there */
	living: readonly AgentIdentity[];
	/** agents of this home that were deleted; whoever is in neither list is of another home, and left alone */
	gone?: readonly AgentId[];
	/** refs or commits of snapshots that a living agent's lineage leads to */
	needed?: readonly string[];
	/** not more than so many now, and without their sizes: the rest another time */
	atMost?: { folders: number; refs: number };
}

export interface Snapshot {
	/** its number among the agent's, from 1 */
	id: string;
	commit: string;
	agent: AgentId;
	at: number;
	reason: string;
	turn: number | null;
	head: string | null;
	/** what it could not hold */
	missing: { path: string; reason: string }[];
	/** how many ignored files there were; they are never held */
	ignored: number;
}
